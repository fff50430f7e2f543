"""Consistency of the members of an object with each other and with its earlier version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from functools import reduce
from typing import Any

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.contract.contract import Contract, Operation
from specwright.conformance.recording.exchange import Exchange, JsonValue, value_at
from specwright.conformance.recording.record import Record, Violation
from specwright.document.applicators import (
    Subschema,
    applying,
    of_item,
    of_property,
    reachable,
)
from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keyword import Keyword
from specwright.vocabulary.keywords.computed import COMPUTED, SET_WHEN, Computed, Means, When
from specwright.vocabulary.keywords.moment import MOMENT, Moment

_KEYWORDS: tuple[Keyword[Any], ...] = (COMPUTED, SET_WHEN, MOMENT)
# The maximum difference between the clocks of server and test, and their resolution.
_CLOCKS_SECONDS = 600.0
_COARSE_SECONDS = 2.0
_Declared = list[tuple[str, Subschema]]


@dataclass(frozen=True, slots=True)
class _Object:
    """An object in a response.

    Attributes:
        properties: the names of its members with the schemas that declare something about them.
        around: the object that contains it, at any depth.
        depth: the number of objects and arrays that contain it.
    """

    value: dict[str, JsonValue]
    properties: _Declared
    around: _Object | None
    depth: int

    def moment(self, wanted: Moment) -> tuple[str, Pointer, float] | None:
        """Return the name, the pointer and the value of a timestamp, in seconds since 1970."""
        for name, schema in self.properties:
            if MOMENT.read(schema.value) is wanted:
                seconds = _seconds(self.value[name])
                if seconds is not None:
                    return name, schema.pointer, seconds
        return None


@dataclass(slots=True)
class Consistency:
    """The rules, with their state during a run."""

    contract: Contract
    record: Record
    _holds: dict[Pointer, bool] = field(default_factory=dict)
    _applied: dict[tuple[Pointer, ...], list[Subschema]] = field(default_factory=dict)
    # The latest read of a resource, by role and URL.
    _read: dict[tuple[str, str], Exchange] = field(default_factory=dict)

    def __call__(self, exchange: Exchange) -> list[Violation]:
        """Return the violations in an exchange."""
        operation, response = (
            self.contract.operations.get(exchange.operation or ""),
            exchange.response,
        )
        if operation is None or response is None or not response.is_success:
            return []
        declared = operation.response(response.status)
        schema = None if declared is None else self.contract.schema_of(declared)
        if schema is None or not self._may_hold(schema):
            return []
        found: list[Violation] = []
        for each in self._objects([self._at(schema)], response.json_or_none):
            found += self._of_object(exchange, operation, each)
        return found

    def _at(self, schema: Pointer) -> Subschema:
        return Subschema(schema, resolve(self.contract.document.data, schema))

    def _may_hold(self, schema: Pointer) -> bool:
        """Return whether any keyword is declared in a schema or below it."""
        if schema not in self._holds:
            found = reachable(self.contract.document, self._at(schema))
            self._holds[schema] = any(map(_declares, found))
        return self._holds[schema]

    def _objects(
        self,
        schemas: list[Subschema],
        value: JsonValue,
        around: _Object | None = None,
        depth: int = 0,
    ) -> Iterator[_Object]:
        """Yield the objects in a value about which something is declared."""
        document, key = self.contract.document, tuple(each.pointer for each in schemas)
        if key not in self._applied:
            self._applied[key] = list(applying(document, schemas))
        applied = self._applied[key]
        if isinstance(value, list):
            for index, item in enumerate(value):
                inner = [e for each in applied for e in of_item(document, each, index)]
                yield from self._objects(inner, item, around, depth + 1)
        elif isinstance(value, dict) and applied:
            members = {
                name: [e for each in applied for e in of_property(document, each, name)]
                for name in value
            }
            declared = [
                (name, each) for name, found in members.items() for each in found if _declares(each)
            ]
            this = _Object(value, declared, around, depth)
            if declared:
                yield this
            for name, found in members.items():
                inside = this if declared else around
                if found and isinstance(value[name], (dict, list)):
                    yield from self._objects(found, value[name], inside, depth + 1)

    def _of_object(
        self, exchange: Exchange, operation: Operation, found: _Object
    ) -> Iterator[Violation]:
        for name, schema in dict(found.properties).items():
            computed, needed = COMPUTED.read(schema.value), SET_WHEN.read(schema.value)
            for keyword, message in (
                (COMPUTED, computed and _differs(found.value, name, computed)),
                (SET_WHEN, needed and _is_missing(found.value, name, needed)),
            ):
                if keyword.name in schema.value:
                    place = schema.pointer + join(keyword.name)
                    self.record.check(Behaviour.CONSISTENCY, place)
                    if message:
                        said = f"{operation.name}: {message}"
                        yield Violation(Behaviour.CONSISTENCY, place, said, (exchange,))
        yield from self._created(exchange, operation, found)
        yield from self._modified(exchange, operation, found)

    def _created(
        self, exchange: Exchange, operation: Operation, found: _Object
    ) -> Iterator[Violation]:
        created = found.moment(Moment.CREATED)
        response = exchange.response
        if created is None or response is None or found.depth or response.status != 201:
            return
        name, place, seconds = created
        self.record.check(Behaviour.MOMENT, place)
        if abs(seconds - exchange.sent_at) > _CLOCKS_SECONDS:
            message = f"{operation.name}: '{name}' is far from the time of the request"
            yield Violation(Behaviour.MOMENT, place, message, (exchange,))

    def _modified(
        self, exchange: Exchange, operation: Operation, found: _Object
    ) -> Iterator[Violation]:
        modified = found.moment(Moment.MODIFIED)
        if modified is None:
            return
        name, place, seconds = modified
        created = None if found.around is None else found.around.moment(Moment.CREATED)
        if created is not None and seconds - created[2] > _COARSE_SECONDS:
            message = (
                f"{operation.name}: '{created[0]}' is earlier than '{name}' of the contained object"
            )
            yield Violation(Behaviour.MOMENT, created[1], message, (exchange,))
        if found.depth or not operation.is_safe:
            return
        self.record.check(Behaviour.MOMENT, place)
        key = (exchange.role, exchange.request.url)
        before = self._read.get(key)
        if before is None or before.sent_at + before.seconds < exchange.sent_at:
            self._read[key] = exchange
        if before is None or before.response is None:
            return
        was, is_later = (
            before.response.json_or_none,
            before.sent_at + before.seconds < exchange.sent_at,
        )
        # By the server's own clock: the resource has changed since that time.
        then = _date(before.response.header("date"))
        if not isinstance(was, dict) or was == found.value or then is None or not is_later:
            return
        if was.get(name) == found.value[name] and seconds < then - _COARSE_SECONDS:
            message = f"{operation.name}: the resource has changed, but '{name}' has not"
            yield Violation(Behaviour.MOMENT, place, message, (before, exchange))


def _declares(schema: Subschema) -> bool:
    value = schema.value
    return isinstance(value, dict) and any(each.name in value for each in _KEYWORDS)


def _holds(value: dict[str, JsonValue], when: When | None) -> bool:
    return when is None or value_at(value, when.at.raw) in [each.raw for each in when.values]


def _is_missing(value: dict[str, JsonValue], name: str, needed: When) -> str:
    if value[name] is not None or not _holds(value, needed):
        return ""
    return f"'{name}' is null while '{needed.at.raw}' is '{value_at(value, needed.at.raw)}'"


def _differs(value: dict[str, JsonValue], name: str, computed: Computed) -> str:
    """Return how a value differs from its computed value; empty if it does not."""
    given = _number(value[name])
    if given is None or not _holds(value, computed.when):
        return ""
    try:
        parts: list[JsonValue] = [resolve(value, each.raw) for each in computed.of]
    except KeyError:
        return ""
    wanted = _computed(computed.by, parts)
    if wanted is None or wanted == given:
        return ""
    return f"'{name}' is not the {computed.by} of {', '.join(each.raw for each in computed.of)}"


def _computed(by: Means, parts: list[JsonValue]) -> Decimal | None:
    """Return the value computed from others; None if one of them is not a number."""
    if by is Means.COUNT:
        return Decimal(len(parts[0])) if isinstance(parts[0], list) else None
    if by is Means.PRODUCT:
        parts = [each for each in parts if each is not None]
    numbers = [_number(each) for each in parts]
    if not numbers or any(each is None for each in numbers):
        return None
    known = [each for each in numbers if each is not None]
    if by is Means.PRODUCT:
        return reduce(lambda one, other: one * other, known)
    return max(Decimal(0), known[0] - sum(known[1:]))


def _number(value: JsonValue) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _seconds(value: JsonValue) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value).timestamp()
    except ValueError:
        return None


def _date(text: str | None) -> float | None:
    """Return the time in a Date header (RFC 9110, 6.6.1), in seconds since 1970."""
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
