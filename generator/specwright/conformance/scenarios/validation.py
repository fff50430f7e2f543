"""Requests that do not fit the document by one thing, and requests that just fit it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specwright.conformance.calls import Absent, Call
from specwright.conformance.contract import Contract, Operation, Slot
from specwright.conformance.exchange import Exchange, JsonValue, readings, text_of
from specwright.conformance.record import Violation
from specwright.conformance.workbench import Workbench
from specwright.pointer import Pointer, join, split
from specwright.vocabulary.keywords.error import MALFORMED, Condition
from specwright.vocabulary.keywords.invalid import INVALID

# Longer texts and lists are for servers to refuse by the size of the body.
_LONGEST = 5_000
_UNKNOWN = "unknownMember"


@dataclass(frozen=True, slots=True)
class Variant:
    """A value in the place of another one, and the condition that it meets; None where it fits."""

    how: str
    value: JsonValue
    condition: Condition | None


def validation(bench: Workbench) -> None:
    """Change one thing at a time in a request that succeeds, to every side of its limits."""
    for operation in bench.contract.operations.values():
        made = bench.made.get(operation.pointer)
        if made is None:
            bench.target.record.skip(
                "invalid-accepted", operation.pointer, "the operation never succeeded"
            )
            continue
        trial = _Trial(bench, operation, bench.with_fresh_key(made[0]))
        trial.parameters()
        trial.body()


@dataclass(frozen=True, slots=True)
class _Trial:
    bench: Workbench
    operation: Operation
    call: Call

    @property
    def contract(self) -> Contract:
        return self.bench.contract

    def parameters(self) -> None:
        """Values of parameters in query and headers, whose text has no other reading."""
        for slot in self.operation.slots:
            if slot.written.location not in ("query", "header"):
                continue
            schema = self.contract.document.follow(slot.site.value.get("schema"))
            for variant in _variants(schema if isinstance(schema, dict) else {}):
                if self._is_distinct(slot, variant):
                    place = slot.site.pointer
                    self._send(self.call.with_argument(slot.key, variant.value), place, variant)

    def _is_distinct(self, slot: Slot, variant: Variant) -> bool:
        """Whether the text of a value does not fit where the value does not."""
        if variant.value is None or isinstance(variant.value, (dict, list)):
            return False
        # As text, `17` is a number that may be out of range, too.
        if isinstance(variant.value, str) and variant.value.isdecimal():
            return False
        fits = [
            not any(self.contract.instances.problems(slot.schema, each))
            for each in readings(text_of(variant.value))
        ]
        return any(fits) if variant.condition is None else not any(fits)

    def body(self) -> None:
        """Members of the JSON body, one after the other, and members that are not there."""
        schema = self.contract.body_schema(self.operation)
        if schema is None or isinstance(self.call.body, Absent):
            return
        for pointer, declared in self._members(schema, "", 0):
            place = declared["pointer"]
            for variant in _variants(declared["schema"]):
                self._member(self.call.with_member(pointer, variant.value), schema, place, variant)
        for pointer, holder in self._objects(schema):
            for name in holder.get("required", ()):
                if isinstance(self.call.body, dict) and not pointer:
                    body = {key: each for key, each in self.call.body.items() if key != name}
                    missing = Variant(f"without '{name}'", None, Condition.MISSING_FIELD)
                    call = Call(self.operation, self.call.arguments, body)
                    self._member(call, schema, schema, missing)
            if holder.get("additionalProperties") is False:
                unknown = Variant(f"'{_UNKNOWN}' at '{pointer}'", 1, Condition.UNKNOWN_FIELD)
                call = self.call.with_member(pointer + join(_UNKNOWN), 1)
                self._member(call, schema, schema, unknown)

    def _member(self, call: Call, schema: Pointer, place: Pointer, variant: Variant) -> None:
        wrong = any(self.contract.instances.problems(schema, call.body))
        if wrong is (variant.condition is not None):
            self._send(call, place, variant)

    def _members(
        self, schema: Pointer, pointer: Pointer, depth: int
    ) -> Iterator[tuple[Pointer, dict[str, Any]]]:
        """The properties of the body, without that which tells requests apart."""
        at, found = self.contract.document.end(schema, {"$ref": f"#{schema}"})
        key = self.operation.declared["idempotency"]
        if not isinstance(found, dict) or depth > 2:
            return
        for name in found.get("properties") or {}:
            place, inner = at + join("properties", name), pointer + join(name)
            value = self.contract.document.follow(found["properties"][name])
            if isinstance(value, dict) and (key is None or key.key.raw != inner):
                yield inner, {"schema": value, "pointer": place}
                yield from self._members(place, inner, depth + 1)

    def _objects(self, schema: Pointer) -> Iterator[tuple[Pointer, dict[str, Any]]]:
        """The objects of the body that are there."""
        body = None if isinstance(self.call.body, Absent) else self.call.body
        _, found = self.contract.document.end(schema, {"$ref": f"#{schema}"})
        if isinstance(found, dict) and isinstance(body, dict):
            yield "", found
            for name, each in (found.get("properties") or {}).items():
                inner = self.contract.document.follow(each)
                if isinstance(inner, dict) and isinstance(body.get(name), dict):
                    yield join(name), inner

    def _send(self, call: Call, place: Pointer, variant: Variant) -> None:
        exchange = self.bench.send(self.bench.with_fresh_key(call))
        response = exchange.response
        if response is None or response.status in (429, 500):
            return
        record, name = self.bench.target.record, self.operation.name
        if variant.condition is None:
            record.check("valid-refused", place)
            if self._is_malformed(exchange, place):
                message = f"{name}: {variant.how} was refused as malformed"
                record.violate(Violation("valid-refused", place, message, (exchange,)))
            return
        record.check("invalid-accepted", place)
        if response.is_success:
            message = f"{name}: {variant.how} was accepted"
            record.violate(Violation("invalid-accepted", place, message, (exchange,)))
        elif response.status < 500:
            self._code(exchange, place, variant)

    def _is_malformed(self, exchange: Exchange, place: Pointer) -> bool:
        """Whether the answer says that the request has a form that it must not have."""
        response, errors = exchange.response, self.contract.errors
        if response is None or response.is_success:
            return False
        if errors is None:
            return False
        code = response.at(errors.code.raw)
        param = response.at(errors.param.raw) if errors.param is not None else None
        listed = {each.raw: value.condition for each, value in errors.codes.items()}
        # Another member may be at fault: a value that fits may ask for one that is not there.
        at_fault = param is None or str(param).split(".")[-1] == split(place)[-1]
        return listed.get(str(code)) in MALFORMED and at_fault

    def _code(self, exchange: Exchange, place: Pointer, variant: Variant) -> None:
        """Hold the code of a refusal to the condition that it is declared for."""
        errors, response = self.contract.errors, exchange.response
        if errors is None or response is None:
            return
        wanted = {
            code.raw for code, each in errors.codes.items() if each.condition is variant.condition
        }
        own = self._own_code(place)
        code = response.at(errors.code.raw)
        conditions = {each.raw: value.condition for each, value in errors.codes.items()}
        if not wanted or code in wanted or code == own or conditions.get(str(code)) is None:
            return
        message = f"{self.operation.name}: {variant.how} was answered '{code}'"
        self.bench.target.record.violate(
            Violation("error-code", place, f"{message}, not '{min(wanted)}'", (exchange,))
        )

    def _own_code(self, place: Pointer) -> str | None:
        found = self.contract.document.end(place, {"$ref": f"#{place}"})[1]
        declared = INVALID.read(found) if isinstance(found, dict) else None
        return None if declared is None else declared.code.raw


def _variants(schema: dict[str, Any]) -> Iterator[Variant]:
    """Values around every limit of a schema; whether they fit is checked before they are sent."""
    kinds = schema.get("type")
    kind = kinds if isinstance(kinds, str) else None
    for wrong in _WRONG_TYPES.get(kind or "", ()):
        yield Variant(f"{wrong!r} for a {kind}", wrong, Condition.INVALID_VALUE)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        for value in values:
            yield Variant(f"'{value}'", value, None)
        if kind == "string":
            yield Variant("a value out of the list", "no-such-value", Condition.INVALID_VALUE)
        return
    if kind in ("integer", "number"):
        yield from _numbers(schema)
    if kind == "string" and "format" not in schema:
        yield from _texts(schema)
    if kind == "array":
        yield from _arrays(schema)


_WRONG_TYPES: dict[str, tuple[JsonValue, ...]] = {
    "string": (17, True, None, {}),
    "integer": ("17", 1.5, True, None),
    "number": ("17", True, None),
    "boolean": ("true", 1, None),
    "array": ({}, "text", None),
    "object": ([], "text", None),
}


def _numbers(schema: dict[str, Any]) -> Iterator[Variant]:
    for keyword, step in (("minimum", -1), ("maximum", 1)):
        if isinstance(schema.get(keyword), int):
            limit = schema[keyword]
            yield Variant(f"{limit}, the {keyword},", limit, None)
            yield Variant(f"{limit + step}", limit + step, Condition.OUT_OF_RANGE)


def _texts(schema: dict[str, Any]) -> Iterator[Variant]:
    for keyword, step in (("minLength", -1), ("maxLength", 1)):
        limit = schema.get(keyword)
        if isinstance(limit, int) and 0 <= limit + step <= _LONGEST:
            yield Variant(f"a text of {limit}", "a" * limit, None)
            yield Variant(
                f"a text of {limit + step}", "a" * (limit + step), Condition.INVALID_LENGTH
            )
    if "pattern" in schema:
        for text in ("with space", "ümlaut", "-"):
            yield Variant(f"'{text}', which the pattern refuses,", text, Condition.INVALID_VALUE)


def _arrays(schema: dict[str, Any]) -> Iterator[Variant]:
    item = schema.get("items") if isinstance(schema.get("items"), dict) else {}
    value = (item or {}).get("enum", ["text"])[0]
    for keyword, step in (("minItems", -1), ("maxItems", 1)):
        limit = schema.get(keyword)
        if isinstance(limit, int) and 0 <= limit + step <= _LONGEST:
            yield Variant(
                f"a list of {limit + step}", [value] * (limit + step), Condition.INVALID_LENGTH
            )
