"""The exchanges that made values in other requests, such as the id in their path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.json_values import JsonValue
from specwright.report.redaction import REDACTED

_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE", "QUERY")
# A shorter text is in many responses by chance; it counts only as an id.
_SHORTEST = 6
# The most exchanges for one failure.
_MOST = 10


class Origins:
    """The origin of each value: the last earlier exchange that made it by an unsafe method."""

    def __init__(self, exchanges: Iterable[Exchange], literals: Collection[str]) -> None:
        """Note the values that each exchange made; `literals` are the constant parts of paths."""
        self._literals = literals
        self._makers: Mapping[str, list[Exchange]] = defaultdict(list)
        for exchange in exchanges:
            response = exchange.response
            if response and response.is_success and exchange.request.method not in _SAFE:
                own = set(_named(exchange.request))
                for value in set(_told(response)) - own:
                    self._makers[value].append(exchange)

    def of(self, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
        """Return the exchanges that others depend on, in the order of the run."""
        there = {exchange.number for exchange in exchanges}
        origins: dict[int, Exchange] = {}
        pending = list(exchanges)
        while pending and len(origins) < _MOST:
            exchange = pending.pop()
            for value in set(_named(exchange.request)) - set(self._literals):
                maker = self._maker(value, exchange.number)
                if maker is not None and maker.number not in origins.keys() | there:
                    origins[maker.number] = maker
                    pending.append(maker)
        return tuple(origins[number] for number in sorted(origins))

    def _maker(self, value: str, before: int) -> Exchange | None:
        makers = (maker for maker in self._makers.get(value, ()) if maker.number < before)
        return max(makers, key=lambda maker: maker.number, default=None)


def renamed(before: HttpResponse, now: HttpResponse) -> dict[str, str]:
    """Return the new values of a response, by the old values that they replace."""
    places = dict(_leaves(before.json_or_none)) | _location(before)
    fresh = dict(_leaves(now.json_or_none)) | _location(now)
    return {
        value: fresh[place]
        for place, value in places.items()
        # The value that a report hides cannot be restored.
        if fresh.get(place, value) != value and _is_telling(place, value) and REDACTED not in value
    }


def ids(response: HttpResponse) -> frozenset[str]:
    """Return the ids in a response."""
    places = dict(_leaves(response.json_or_none)) | _location(response)
    return frozenset(value for place, value in places.items() if is_id(place))


def _told(response: HttpResponse) -> Iterator[str]:
    places = {**dict(_leaves(response.json_or_none)), **_location(response)}
    return (value for place, value in places.items() if _is_telling(place, value))


def _named(request: HttpRequest) -> Iterator[str]:
    """Yield the values in the path, the query and the body."""
    parts = urlsplit(request.url)
    yield from map(unquote, filter(None, parts.path.split("/")))
    yield from (value for _, value in parse_qsl(parts.query))
    leaves = dict(_leaves(request.json_or_none))
    yield from (value for place, value in leaves.items() if _is_telling(place, value))


def _is_telling(place: tuple[str, ...], value: str) -> bool:
    return is_id(place) or len(value) >= _SHORTEST


def is_id(place: tuple[str, ...]) -> bool:
    """Return whether a member is an id by its name, such as `id`, `orderId` and `order_id`."""
    name = next((part for part in reversed(place) if not part.isdecimal()), "")
    return name.lower() in ("id", "uuid", "key", "slug") or name.endswith(
        ("_id", "-id", "Id", "ID")
    )


def _location(response: HttpResponse) -> dict[tuple[str, ...], str]:
    """Return the last segment of the Location of a new resource (RFC 9110, 10.2.2)."""
    path = urlsplit(response.header("location") or "").path
    last = unquote(path.rstrip("/").rpartition("/")[2])
    return {("Location", "id"): last} if last else {}


def _leaves(value: JsonValue) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts and integers of a JSON value, each with its path."""
    pending: list[tuple[tuple[str, ...], JsonValue]] = [((), value)]
    while pending:
        place, part = pending.pop()
        match part:
            case dict(members):
                pending += [((*place, name), member) for name, member in members.items()]
            case list(items):
                pending += [((*place, str(at)), item) for at, item in enumerate(items)]
            case str(text):
                yield place, text
            case bool():
                pass
            case int(number):
                yield place, str(number)
