"""Consistency of the members of an object with each other and with its earlier version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from email.utils import parsedate_to_datetime
from functools import reduce

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.links import member_names
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.recording.exchange import Exchange, decimal_of, seconds_of, value_at
from specwright.conformance.recording.record import Record, Violation
from specwright.document.schemas.applicators import (
    Subschema,
    applying,
    of_item,
    of_property,
    reachable,
)
from specwright.json_values import JsonValue, mapping
from specwright.names import snake
from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keyword import Keyword
from specwright.vocabulary.keywords.computed import COMPUTED, SET_WHEN, Computed, Means, When
from specwright.vocabulary.keywords.mode import MODE
from specwright.vocabulary.keywords.moment import MOMENT, Moment

CONSISTENCY = BehaviourRule(
    "consistency",
    BehaviourCategory.STATE,
    (
        "The members of an object agree: computed members are correct, and those that a state "
        "requires are set."
    ),
    example="an order of 3 at 2.00 has the total 2.00; a paid order has null in `paid_at`",
    advice=(
        "Compute the value where it is stored, and set it in the same transaction as the state."
    ),
)
TIMESTAMP = BehaviourRule(
    "moment",
    BehaviourCategory.STATE,
    "A timestamp is the time at which a resource was created or changed.",
    example="an item has changed, and its `updated_at` has not",
    advice="Take the time when the change is committed, in UTC, and write it with the change.",
)

_KEYWORDS: tuple[Keyword[object], ...] = (COMPUTED, SET_WHEN, MOMENT, MODE)
# The maximum difference between the clocks of server and test, and their resolution.
_CLOCKS_SECONDS = 600.0
_COARSE_SECONDS = 2.0
_Declared = list[tuple[str, Subschema]]


@dataclass(frozen=True, slots=True)
class _Object:
    """An object in a response.

    Attributes:
        properties: the names of its members with the schemas that declare something about them.
        schemas: the pointers of the schemas that apply to it.
        around: the object that contains it, at any depth.
        depth: the number of objects and arrays that contain it.
    """

    value: dict[str, JsonValue]
    properties: _Declared
    schemas: tuple[Pointer, ...]
    around: _Object | None
    depth: int

    def moment(self, wanted: Moment) -> tuple[str, Pointer, float] | None:
        """Return the name, the pointer and the value of a timestamp, in seconds since 1970."""
        for name, schema in self.properties:
            if MOMENT.read(mapping(schema.value)) is wanted:
                seconds = seconds_of(self.value[name])
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
    # The newest version of a resource in another response, by role, schema and id.
    _newest: dict[tuple[str, Pointer, str], tuple[float, Exchange]] = field(default_factory=dict)
    # The mode that the first response to each role shows.
    _modes: dict[str, tuple[JsonValue, Exchange]] = field(default_factory=dict)
    # The schema of a resource, with the likely names of the id by which a GET reads it.
    _readers: dict[Pointer, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        """Find the operations that read one resource."""
        self._readers = dict(_readers(self.contract))

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
        violations: list[Violation] = []
        for object_ in self._objects([self._at(schema)], response.json_or_none):
            violations += self._of_object(exchange, operation, object_)
        return violations

    def _at(self, schema: Pointer) -> Subschema:
        return Subschema(schema, resolve(self.contract.document.data, schema))

    def _may_hold(self, schema: Pointer) -> bool:
        """Return whether any keyword is declared in a schema or below it."""
        if schema not in self._holds:
            schemas = reachable(self.contract.document, self._at(schema))
            self._holds[schema] = any(map(_declares, schemas))
        return self._holds[schema]

    def _objects(
        self,
        schemas: list[Subschema],
        value: JsonValue,
        around: _Object | None = None,
        depth: int = 0,
    ) -> Iterator[_Object]:
        """Yield the objects in a value about which something is declared."""
        document, key = self.contract.document, tuple(schema.pointer for schema in schemas)
        if key not in self._applied:
            self._applied[key] = list(applying(document, schemas))
        applied = self._applied[key]
        if isinstance(value, list):
            for index, item in enumerate(value):
                inner = [e for subschema in applied for e in of_item(document, subschema, index)]
                yield from self._objects(inner, item, around, depth + 1)
        elif isinstance(value, dict) and applied:
            members = {
                name: [e for subschema in applied for e in of_property(document, subschema, name)]
                for name in value
            }
            declared = [
                (name, place)
                for name, places in members.items()
                for place in places
                if _declares(place)
            ]
            pointers = tuple(subschema.pointer for subschema in applied)
            this = _Object(value, declared, pointers, around, depth)
            if declared:
                yield this
            for name, places in members.items():
                inside = this if declared else around
                if places and isinstance(value[name], (dict, list)):
                    yield from self._objects(places, value[name], inside, depth + 1)

    def _of_object(
        self, exchange: Exchange, operation: ContractOperation, object_: _Object
    ) -> Iterator[Violation]:
        for name, schema in dict(object_.properties).items():
            promises = mapping(schema.value)
            computed, needed = COMPUTED.read(promises), SET_WHEN.read(promises)
            for keyword, message in (
                (COMPUTED, computed and _differs(object_.value, name, computed)),
                (SET_WHEN, needed and _is_missing(object_.value, name, needed)),
            ):
                if keyword.name in promises:
                    place = schema.pointer + join(keyword.name)
                    self.record.check(CONSISTENCY, place)
                    if message:
                        yield _violation(operation, place, message, exchange)
            if MODE.name in promises:
                yield from self._mode(
                    exchange, operation, name, object_.value[name], schema.pointer
                )
        yield from self._created(exchange, operation, object_)
        yield from self._modified(exchange, operation, object_)

    def _mode(
        self,
        exchange: Exchange,
        operation: ContractOperation,
        name: str,
        value: JsonValue,
        place: Pointer,
    ) -> Iterator[Violation]:
        self.record.check(CONSISTENCY, place)
        first, other = self._modes.setdefault(exchange.role, (value, exchange))
        if value != first:
            message = f"'{name}' is '{value}', and '{first}' in other responses to the same key"
            yield _violation(operation, place, message, other, exchange)

    def _created(
        self, exchange: Exchange, operation: ContractOperation, object_: _Object
    ) -> Iterator[Violation]:
        created = object_.moment(Moment.CREATED)
        response = exchange.response
        if created is None or response is None or object_.depth or response.status != 201:
            return
        name, place, seconds = created
        self.record.check(TIMESTAMP, place)
        if abs(seconds - exchange.sent_at) > _CLOCKS_SECONDS:
            message = f"'{name}' is far from the time of the request"
            yield _violation(operation, place, message, exchange, rule=TIMESTAMP)

    def _modified(
        self, exchange: Exchange, operation: ContractOperation, object_: _Object
    ) -> Iterator[Violation]:
        modified = object_.moment(Moment.MODIFIED)
        if modified is None:
            return
        name, place, seconds = modified
        created = None if object_.around is None else object_.around.moment(Moment.CREATED)
        if created is not None and seconds - created[2] > _COARSE_SECONDS:
            message = f"'{created[0]}' is earlier than '{name}' of the contained object"
            yield _violation(operation, created[1], message, exchange, rule=TIMESTAMP)
        for schema in object_.schemas:
            ids = {snake(name): value for name, value in object_.value.items()}
            names = [reader for reader in self._readers.get(schema, ()) if reader in ids]
            if names:
                which = exchange.role, schema, str(ids[names[0]])
                yield from self._version(exchange, operation, object_, which, seconds)
        if object_.depth or not operation.is_safe:
            return
        self.record.check(TIMESTAMP, place)
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
        if not isinstance(was, dict) or was == object_.value or then is None or not is_later:
            return
        if was.get(name) == object_.value[name] and seconds < then - _COARSE_SECONDS:
            message = f"the resource has changed, but '{name}' has not"
            yield _violation(operation, place, message, before, exchange, rule=TIMESTAMP)

    def _version(
        self,
        exchange: Exchange,
        operation: ContractOperation,
        object_: _Object,
        key: tuple[str, Pointer, str],
        seconds: float,
    ) -> Iterator[Violation]:
        """Compare a resource as it is read with newer versions in earlier responses."""
        newest = self._newest.get(key)
        if object_.depth:
            if newest is None or newest[0] < seconds:
                self._newest[key] = seconds, exchange
        elif newest is not None and operation.is_safe:
            shown_at, earlier = newest
            is_later = earlier.sent_at + earlier.seconds < exchange.sent_at
            if is_later and seconds < shown_at:
                message = "an earlier response had a newer version of the resource"
                yield _violation(
                    operation, operation.pointer, message, earlier, exchange, rule=TIMESTAMP
                )


def _violation(
    operation: ContractOperation,
    place: Pointer,
    message: str,
    *exchanges: Exchange,
    rule: str = CONSISTENCY,
) -> Violation:
    return Violation(rule, place, message, exchanges, operation=operation.name)


def _readers(contract: Contract) -> Iterator[tuple[Pointer, tuple[str, ...]]]:
    for operation in contract.operations.values():
        path, response = shape(operation.site.key), operation.response(200)
        names = variables(operation.site.key)
        schema = None if response is None else contract.schema_of(response)
        is_reader = operation.method == "GET" and path[-1:] == (None,) and len(names) == 1
        if is_reader and schema is not None:
            at, _ = contract.document.end(schema, {"$ref": f"#{schema}"})
            yield at, member_names(path[:-1], names[0])


def _declares(schema: Subschema) -> bool:
    value = schema.value
    return isinstance(value, dict) and any(keyword.name in value for keyword in _KEYWORDS)


def _holds(value: dict[str, JsonValue], when: When | None) -> bool:
    return when is None or value_at(value, when.at.raw) in [text.raw for text in when.values]


def _is_missing(value: dict[str, JsonValue], name: str, needed: When) -> str:
    if value[name] is not None or not _holds(value, needed):
        return ""
    return f"'{name}' is null while '{needed.at.raw}' is '{value_at(value, needed.at.raw)}'"


def _differs(value: dict[str, JsonValue], name: str, computed: Computed) -> str:
    """Return how a value differs from its computed value; empty if it does not."""
    number = decimal_of(value[name])
    if number is None or not _holds(value, computed.when):
        return ""
    try:
        parts: list[JsonValue] = [resolve(value, text.raw) for text in computed.of]
    except KeyError:
        return ""
    wanted = _computed(computed.by, parts)
    if wanted is None or wanted == number:
        return ""
    return f"'{name}' is not the {computed.by} of {', '.join(text.raw for text in computed.of)}"


def _computed(by: Means, parts: list[JsonValue]) -> Decimal | None:
    """Return the value computed from others; None if one of them is not a number."""
    if by is Means.COUNT:
        return Decimal(len(parts[0])) if isinstance(parts[0], list) else None
    if by is Means.PRODUCT:
        parts = [part for part in parts if part is not None]
    numbers = [decimal_of(part) for part in parts]
    if not numbers or any(number is None for number in numbers):
        return None
    known = [number for number in numbers if number is not None]
    if by is Means.PRODUCT:
        return reduce(lambda one, other: one * other, known)
    return max(Decimal(0), known[0] - sum(known[1:]))


def _date(text: str | None) -> float | None:
    """Return the time in a Date header (RFC 9110, 6.6.1), in seconds since 1970."""
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
