"""Replays of a failure of an earlier run: first its setup, then its own requests."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from specwright.conformance.checks.rule import BehaviourCategory
from specwright.conformance.checks.table import BY_ID
from specwright.conformance.checks.verdicts import Repetition, ReplayVerdict
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.monitors import Monitors
from specwright.conformance.outcome.result import Recorded, RecordedFailure
from specwright.conformance.recording.exchange import Exchange, json_or_none, value_at
from specwright.conformance.recording.origins import ids, is_id, renamed
from specwright.json_values import JsonValue
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, KEY_HEADER

# How many characters of a key a repetition replaces.
_FRESH = 8
# Statuses that say nothing about rules on other subjects.
_REFUSES_THE_KEY = (401, 403)
_TOO_MANY = 429


@dataclass(slots=True)
class FailureReplay:
    """A repetition of a failure, with recorded values replaced by current ones."""

    contract: Contract
    target: TargetServer
    failure: RecordedFailure
    _names: dict[str, str] = field(default_factory=dict, repr=False)
    _created: set[str] = field(default_factory=set, repr=False)
    _refused: str = ""

    def __post_init__(self) -> None:
        """Attach the monitors, and give each idempotency key a new ending."""
        self.target.record.monitors = (Monitors(self.contract, self.target.record),)
        for recorded in (*self.failure.setup, *self.failure.requests):
            for key in self._keys(recorded):
                end = secrets.token_hex(_FRESH)[: min(_FRESH, len(key))]
                self._names.setdefault(key, key[: -len(end)] + end)

    def prepare(self) -> Iterator[tuple[Recorded, Exchange]]:
        """Send the requests that set up the failure.

        Raises:
            TargetLost: the target no longer responds.
        """
        for recorded in self.failure.setup:
            exchange = self._send(recorded)
            yield recorded, exchange
            response = exchange.response
            if response is None or not response.is_success:
                status = response.status if response is not None else exchange.failure
                self._refused = (
                    f"{recorded.method} {recorded.path}, which creates a prerequisite: {status}"
                )
            else:
                self._created |= ids(response)

    def repeat(self) -> Iterator[tuple[Recorded, Exchange]]:
        """Send the requests of the failure.

        Raises:
            TargetLost: the target no longer responds.
        """
        for request in self.failure.requests:
            yield request, self._send(request)

    def verdict(self) -> ReplayVerdict:
        """Return the verdict on whether the failure still occurs."""
        sent = self.target.record.exchanges[len(self.failure.setup) :]
        verdict = judge(
            Repetition(
                self.contract,
                self.failure.rule,
                self.failure.pointer,
                [request.response for request in self.failure.requests],
                sent,
                self.target.record,
                frozenset(self._created),
            )
        )
        if self._refused and verdict.is_fixed is not False:
            return ReplayVerdict(None, self._refused)
        return verdict

    def _send(self, recorded: Recorded) -> Exchange:
        names = self._names
        path = in_path(recorded.path, names)
        operation = self._operation(recorded, path)
        place = None if operation is None else operation.pointer
        request = self.target.request(
            recorded.method,
            path,
            role=recorded.role,
            headers=[(name, in_text(value, names)) for name, value in recorded.headers],
            body=None if recorded.body is None else in_body(recorded.body, names),
            operation=place,
        )
        exchange = self.target.send(request, recorded.source, place, recorded.role)
        if recorded.response is not None and exchange.response is not None:
            names.update(renamed(recorded.response, exchange.response))
        return exchange

    def _operation(self, recorded: Recorded, path: str) -> ContractOperation | None:
        """Return the operation of a request, which may have a base URL of its own."""
        base_url = self.target.base_urls.get(recorded.operation, self.target.base_url)
        routes = ContractRoutes(self.contract, self.target.base_url)
        return routes.operation(recorded.method, base_url + path)

    def _keys(self, recorded: Recorded) -> Iterator[str]:
        """Yield the keys by which the server recognizes a repeated request."""
        operation = self._operation(recorded, recorded.path)
        idempotency = operation.get(IDEMPOTENCY) if operation is not None else None
        names = {KEY_HEADER}
        if idempotency is not None and idempotency.header is not None:
            names.add(idempotency.header.raw.lower())
        yield from (value for name, value in recorded.headers if name.lower() in names)
        if idempotency is not None and idempotency.key is not None and recorded.body is not None:
            value = value_at(json_or_none(recorded.body), idempotency.key.raw)
            if isinstance(value, str) and value:
                yield value


def judge(repetition: Repetition) -> ReplayVerdict:
    """Return whether the failure still occurs."""
    last, was = repetition.now[-1], repetition.was
    if repetition.violation is not None:
        return ReplayVerdict(False, repetition.violation)
    if last.response is None:
        return ReplayVerdict(None, f"there is no response ({last.failure})")
    rule = BY_ID.get(repetition.rule)
    if rule is None or rule.judge is None:
        words = f"'{repetition.rule}' needs more than these requests: run `specwright test` again"
        return ReplayVerdict(None, words)
    status, before = last.response.status, was.status if was is not None else None
    if status != before and status == _TOO_MANY:
        return ReplayVerdict(None, "the rate limit is used up (429)")
    is_foreign = rule.category is BehaviourCategory.AUTHENTICATION or last.role == OTHER_TENANT
    if status != before and status in _REFUSES_THE_KEY and not is_foreign:
        return ReplayVerdict(None, f"the request is refused because of its key ({status})")
    return rule.judge(repetition)


# A shorter value is replaced only as a whole.
_SHORTEST_PART = 8


def in_path(path: str, names: Mapping[str, str]) -> str:
    """Return a path with its query, with values replaced."""
    place, mark, query = path.partition("?")
    segments = "/".join(_percent(segment, names) for segment in place.split("/"))
    pairs = [pair.partition("=") for pair in query.split("&")]
    return segments + mark + "&".join(f"{key}{eq}{_percent(v, names)}" for key, eq, v in pairs)


def in_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text, such as the value of a header, with values replaced."""
    if text in names:
        return names[text]
    for old, new in names.items():
        if len(old) >= _SHORTEST_PART:
            text = text.replace(old, new)
    return text


def in_body(body: bytes, names: Mapping[str, str]) -> bytes:
    """Return a body with values replaced; the same bytes if nothing changes."""
    try:
        value: JsonValue = json.loads(body)
        changed = _in_value(value, names, ())
        return body if changed == value else json.dumps(changed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "surrogateescape")
        return in_text(text, names).encode("utf-8", "surrogateescape")


def _percent(part: str, names: Mapping[str, str]) -> str:
    changed = in_text(unquote(part), names)
    return part if changed == unquote(part) else quote(changed, safe="")


def _in_value(value: JsonValue, names: Mapping[str, str], place: tuple[str, ...]) -> JsonValue:
    match value:
        case dict(members):
            return {
                name: _in_value(member, names, (*place, name)) for name, member in members.items()
            }
        case list(items):
            return [_in_value(item, names, place) for item in items]
        case str(text):
            return in_text(text, names)
        case bool() | None:
            return value
        case int(number) if is_id(place) and str(number) in names:
            new = names[str(number)]
            return int(new) if new.isdecimal() else new
    return value
