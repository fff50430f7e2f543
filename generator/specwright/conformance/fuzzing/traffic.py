"""The traffic of a run, as far as it tells whether a failed check proves anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.resources import singular
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.ids import is_reference
from specwright.conformance.recording.exchange import Exchange
from specwright.json_values import JsonValue
from specwright.names import snake
from specwright.pointer import Pointer

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})


@dataclass(slots=True)
class TrafficOracle:
    """The document and the whole traffic, which reports are judged by."""

    contract: Contract
    routes: ContractRoutes
    exchanges: Iterable[Exchange]
    # The numbers of deletions by id, and by the kind of resource that had it.
    _deleted: dict[str, dict[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        """Find the ids that were deleted."""
        self._deleted = defaultdict(dict)
        for exchange in self.exchanges:
            if (
                exchange.request.method == "DELETE"
                and exchange.response
                and exchange.response.is_success
            ):
                for kind, id in [*_segments(exchange.request.url)][-1:]:
                    self._deleted[id].setdefault(kind, exchange.number)

    def has_success(self, operation: Pointer) -> bool:
        """Return whether a request of an operation succeeded."""
        return any(
            exchange.succeeded for exchange in self.exchanges if exchange.operation == operation
        )

    def is_about_deleted(self, exchange: Exchange) -> bool:
        """Return whether a request contains an id that was deleted before it."""
        url = exchange.request.url
        query = ((_kind(name), text) for name, text in parse_qsl(urlsplit(url).query))
        return any(
            number < exchange.number
            for kind, text in (*_segments(url), *query, *_scalars(exchange.request.json_or_none))
            for deleted, number in self._deleted.get(text, {}).items()
            # A number may be anything else, such as a quantity.
            if not text.isdecimal() or is_reference(kind) or kind == deleted
        )

    def refers_to_nothing(self, exchange: Exchange) -> bool:
        """Return whether a body refers to unseen resources, by a name such as `user_id`."""
        seen = [
            earlier.response.body
            for earlier in self.exchanges
            if earlier.number < exchange.number and earlier.response and earlier.response.is_success
        ]
        return any(
            not any(text.encode(errors="replace") in body for body in seen)
            for kind, text in _scalars(exchange.request.json_or_none)
            # An `id` may be that of the resource itself, which the client chooses.
            if "_" in kind and is_reference(kind)
        )

    def is_first(self, cause: Exchange) -> bool:
        """Return whether the response is not a repetition of an earlier one, as for a used key."""
        return not any(
            exchange.number < cause.number
            and exchange.operation == cause.operation
            and exchange.response is not None
            and cause.response is not None
            and exchange.response.body == cause.response.body != b""
            for exchange in self.exchanges
        )

    def is_undisturbed(self, cause: Exchange, proof: Exchange) -> bool:
        """Return whether nothing was changed between two exchanges, as far as we can know."""
        end = proof.sent_at + proof.seconds
        return not any(
            exchange.request.method not in _SAFE
            and exchange.number not in (cause.number, proof.number)
            and exchange.sent_at <= end
            and exchange.sent_at + exchange.seconds >= cause.sent_at
            # A redirect may follow a change, as after a form (RFC 9110, 15.4.4).
            and (exchange.response is None or exchange.response.status < 400)
            for exchange in self.exchanges
        )


def _segments(url: str) -> Iterator[tuple[str, str]]:
    """Yield the segments of a path, each with the kind that the one before it names."""
    parts = [unquote(segment) for segment in urlsplit(url).path.rstrip("/").split("/")]
    return zip(map(_kind, parts), parts[1:], strict=False)


def _scalars(value: JsonValue, kind: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of all values inside a value that may be ids, each with its kind."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _scalars(each, _kind(name))
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item, kind)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield kind, str(value)


def _kind(name: str) -> str:
    """Return the kind of resource that a name is about: `product` for `products`."""
    return singular(snake(name))
