"""Values that a schema is likely to accept, to be tried on another schema.

A large object sampled as a whole is rarely valid: one property with a wrong example is enough to
make it invalid. So a witness of a schema is built from the witnesses of its parts, and its
validator accepts it; that of a component is found once per run. A difference that no value shows
is proven on the whole schemas. Media types other than JSON and unknown encodings are compared by
name: a change of these is breaking without a value that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from specwright.document.schemas.inspection import ANNOTATIONS
from specwright.document.schemas.validators import UNUSABLE
from specwright.json_values import (
    JsonObject,
    JsonValue,
    declared_mapping,
    declared_sequence,
    mapping,
    one_or_more,
    sequence,
    texts,
)
from specwright.samples.compiled import Compiled
from specwright.samples.expressions import matching
from specwright.samples.merging import both, combined, of_item, of_member
from specwright.samples.non_validating import written
from specwright.samples.repair import repaired
from specwright.samples.scalars import around, further_numbers, numbers
from specwright.samples.scalars import texts as sample_texts
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.sensitive import SENSITIVE

MOST = 200
_DEEPEST = 24
_PER_SCHEMA = 24
_PROPERTIES = 200
_PER_WITNESS = 60
_WITNESSES = 2
_MOST_DISTINCT = 30
# Candidates that are repaired, repairs within each other, and searches for parts of all of them.
_REPAIRED, _MOST_REPAIRS, _MOST_SEARCHES = 4, 2, 120
MOST_PARTS = 1_000

# Values that another schema may reject, even if it accepts any list and any object.
_NESTED: tuple[JsonValue, ...] = ([[["a"]]], {"a": {"a": {"a": []}}})

# Keywords that neither constrain values nor show any.
_WORDS = ANNOTATIONS - {"example", "examples"}
_HIDDEN = (ONCE.name, SENSITIVE.name)
_ALL_TYPES = ("null", "string", "integer", "number", "boolean", "array", "object")


class Sampler:
    """Values for schemas that may refer to any of the documents.

    Args:
        repairs: whether values that a schema rejects are repaired, which takes more tries.
    """

    def __init__(self, compiled: Compiled, *, repairs: bool = True) -> None:
        self._compiled = compiled
        self._most_repairs = _MOST_REPAIRS if repairs else 0
        self._witnesses: dict[str, tuple[JsonValue, ...]] = {}
        self._open: set[str] = set()
        self._repairs = 0
        self._left = 0
        self._irreparable: set[str] = set()

    def of(self, schema: JsonValue) -> Iterator[JsonValue]:
        """Return some values, the simplest first."""
        return islice(self._values(schema, 0), MOST)

    def witnesses(self, schema: JsonValue, depth: int = 0) -> tuple[JsonValue, ...]:
        """Return values that the schema accepts: of objects, a minimal one and a larger one.

        Those of a component are found once.
        """
        schema = _plain(schema)
        ref = _reference(schema)
        components = self._components(schema)
        if components & self._open:
            # A component is left out of its own witness, as the recursion would not end.
            return ()
        known = None if ref is None else self._witnesses.get(ref)
        if known is not None:
            return known
        self._open |= components
        values = self._accepted(schema, depth)
        self._open -= components
        # Within a recursion an empty result is not final: there may be witnesses outside of it.
        if ref is not None and (values or not self._open):
            self._witnesses[ref] = values
        return values

    def _components(self, schema: JsonValue) -> set[str]:
        """Return the references of a schema, its own and those in its `allOf`."""
        if not isinstance(schema, dict):
            return set()
        ref = schema.get("$ref")
        own = {ref} if isinstance(ref, str) else set[str]()
        return own.union(*map(self._components, declared_sequence(schema.get("allOf"))))

    def _accepted(self, schema: JsonValue, depth: int) -> tuple[JsonValue, ...]:
        candidates = islice(self._values(schema, depth), _PER_WITNESS)
        if not isinstance(schema, dict):
            return tuple(islice(candidates, _WITNESSES))
        try:
            validator = self._compiled.validator(schema)
        except UNUSABLE:
            return ()
        tried: list[JsonValue] = []
        valid = (
            candidate for candidate in _noted(candidates, tried) if validator.is_valid(candidate)
        )
        accepted = tuple(islice(valid, _WITNESSES))
        return accepted or self._repaired(schema, tried, depth)

    def _repaired(
        self, schema: JsonObject, candidates: Sequence[JsonValue], depth: int
    ) -> tuple[JsonValue, ...]:
        """Return a value of a schema that is made from one that it rejects."""
        # Within a recursion there may be values that are none in another one.
        key = json.dumps([schema, sorted(self._open)])
        if self._repairs == self._most_repairs or depth > _DEEPEST or key in self._irreparable:
            return ()
        if not self._repairs:
            self._left = _MOST_SEARCHES
        self._repairs += 1
        try:
            validator = self._compiled.whole(schema)
            for candidate in candidates[:_REPAIRED]:
                value = repaired(self, validator, schema, candidate, depth)
                if value is not None:
                    return (value,)
        except UNUSABLE:
            return ()
        finally:
            self._repairs -= 1
        if self._left or not self._repairs:
            self._irreparable.add(key)
        return ()

    def _values(self, schema: JsonValue, depth: int) -> Iterator[JsonValue]:
        if schema is False or depth > _DEEPEST:
            return
        merged = self.keywords(schema, depth)
        yield from self._shown(merged)
        yield from self._inherited(schema, depth)
        if "const" in merged:
            yield merged["const"]
            return
        if isinstance(values := merged.get("enum"), list):
            yield from values
            return
        rest, choices = _choices(merged)
        for choice in choices:
            # `unevaluatedProperties` sees what is in `allOf`, but not what is beside it there.
            chosen = {**rest, "allOf": [choice, *sequence(rest.get("allOf"))]}
            yield from self._some(chosen, depth + 1)
        declared = merged.get("type")
        kinds = texts(one_or_more(declared)) if declared else () if choices else _implied(merged)
        for kind in kinds:
            yield from self._of_type(kind, merged, depth)

    def _shown(self, schema: JsonObject) -> Iterator[JsonValue]:
        """Yield the scalar examples of a schema; others may contain a secret."""
        if "const" in schema or isinstance(schema.get("enum"), list) or is_hidden(schema):
            return
        for value in (*sequence(schema.get("examples")), schema.get("example")):
            if value is not None and not isinstance(value, dict | list):
                yield value

    def _inherited(self, schema: JsonValue, depth: int) -> Iterator[JsonValue]:
        """Yield values of the schemas that inherit from a schema."""
        return iter(())

    def _of_items(self, values: Iterable[JsonValue]) -> list[JsonValue]:
        """Return the values of items in the order of their use."""
        return [*values]

    def named(self, schema: JsonValue) -> str | None:
        """Return the last reference of a schema that is nothing but a chain of references."""
        name = None
        for _ in range(_DEEPEST):
            ref = _reference(_plain(schema))
            if ref is None:
                break
            name, schema = ref, self._compiled.schema(ref)
        return name

    def _some(self, schema: JsonValue, depth: int) -> Iterator[JsonValue]:
        """Return values that the schema accepts, then values that it may accept."""
        if self._components(schema) & self._open:
            return iter(())
        return chain(
            self.witnesses(schema, depth), islice(self._values(schema, depth), _PER_SCHEMA)
        )

    def keywords(self, schema: JsonValue, depth: int = 0) -> JsonObject:
        """Return the keywords of a schema joined with those of `$ref` and `allOf`."""
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return {}
        parts: list[JsonObject] = [
            {name: value for name, value in schema.items() if name not in ("$ref", "allOf")}
        ]
        if isinstance(ref := schema.get("$ref"), str):
            parts.append(self.keywords(self._compiled.schema(ref), depth + 1))
        parts += [self.keywords(part, depth + 1) for part in declared_sequence(schema.get("allOf"))]
        joined: JsonObject = {}
        for part in reversed(parts):
            joined = combined(part, joined)
        return joined

    def target(self, ref: str) -> JsonValue:
        """Return the target of a reference; None if it does not exist."""
        return self._compiled.schema(ref)

    def distinct(self, schema: JsonValue, count: int, depth: int) -> Sequence[JsonValue]:
        """Return different values that a schema accepts, up to a number of them."""
        if self._components(schema) & self._open or depth > _DEEPEST:
            return ()
        if self._repairs:
            if not self._left:
                return ()
            self._left -= 1
        values: dict[str, JsonValue] = {}
        try:
            validator = self._compiled.validator(
                schema if isinstance(schema, dict) else schema is not False
            )
        except UNUSABLE:
            return ()
        for value in islice(self._varied(schema, count, depth, values), _PER_WITNESS):
            if len(values) < count and validator.is_valid(value):
                values.setdefault(_identity(value), value)
            if len(values) >= count:
                break
        return [*values.values()][:count]

    def _varied(
        self, schema: JsonValue, count: int, depth: int, values: Mapping[str, JsonValue]
    ) -> Iterator[JsonValue]:
        """Yield values of a schema, those first that differ in one member from another one."""
        yield from self.witnesses(schema, depth)[:1]
        keywords = self.keywords(schema)
        at = 0
        while at < len(values) < count:
            base = [*values.values()][at]
            at += 1
            members = mapping(base)
            for name in members:
                for other in self.distinct(of_member(keywords, name), count, depth + 1):
                    if other != members[name]:
                        yield {**members, name: other}
        if keywords.get("type") in ("integer", "number"):
            yield from further_numbers(keywords)
        yield from self._values(schema, depth)

    def _of_type(self, kind: str, schema: JsonObject, depth: int) -> Iterator[JsonValue]:
        match kind:
            case "null":
                yield None
            case "boolean":
                yield from (True, False)
            case "integer" | "number":
                yield from numbers(schema, kind)
            case "string":
                yield from self._encoded(schema, depth)
                yield from sample_texts(schema)
            case "array":
                yield from self._arrays(schema, depth)
            case "object":
                yield from self._objects(schema, depth)

    def _encoded(self, schema: JsonObject, depth: int) -> Iterator[str]:
        """Yield texts with content that the schema describes."""
        if any(name.startswith("content") for name in schema):
            for value in self._some(schema.get("contentSchema", True), depth + 1):
                text = written(schema, value)
                if text is not None:
                    yield text

    def _arrays(self, schema: JsonObject, depth: int) -> Iterator[JsonValue]:
        if schema.get("uniqueItems") is True or "contains" in schema:
            yield self._list(schema, depth)
        prefix = declared_sequence(schema.get("prefixItems"))
        start = [next(self._some(item, depth + 1), None) for item in prefix]
        yield start
        # Valid members first: they are usually enough, and the others are many.
        for values in (self.witnesses, self._some):
            contained = values(schema.get("contains", False), depth + 1)
            items = self._of_items(values(schema.get("items", True), depth + 1))
            members = [*contained, *items] or ["a"]
            # The first values must not all be empty.
            yield [*start, members[0]]
            for count in around(schema, "minItems", "maxItems", "minContains", "maxContains"):
                yield [*start, *(members[n % len(members)] for n in range(count))][: max(count, 1)]
                yield [*start, *([members[0]] * count)]
                yield list(range(count))
            yield from ([*start, member] for member in members)

    def _list(self, schema: JsonObject, depth: int) -> JsonValue:
        """Return a list of different items, those first that `contains` asks for."""
        contained, rest = schema.get("contains"), schema.get("items", True)
        needed = _count(schema, "minContains", 1) if contained is not None else 0
        length = max(_count(schema, "minItems", 1), needed)
        others: JsonValue = (
            {"allOf": [rest, {"not": contained}]} if "maxContains" in schema else rest
        )
        items: list[JsonValue] = []
        first = len(declared_sequence(schema.get("prefixItems")))
        kinds = [
            *((of_item(schema, index), 1) for index in range(first)),
            (both(rest, contained), needed),
            (others, length),
        ]
        for kind, count in kinds:
            new = (
                value
                for value in self.distinct(kind, min(len(items) + count, _MOST_DISTINCT), depth + 1)
                if value not in items
            )
            items += islice(new, min(count, max(length - len(items), 0)))
        return items

    def _objects(self, schema: JsonObject, depth: int) -> Iterator[JsonValue]:
        declared = declared_mapping(schema.get("properties"))
        named = set(texts(declared_sequence(schema.get("required"))))
        least = self._object(schema, sorted(named), depth)
        yield least
        others = islice((name for name in declared if name not in named), _PROPERTIES)
        full = self._object(schema, [*sorted(named), *others], depth, is_full=True)
        yield full
        missing = _count(schema, "minProperties", 0) - len(least)
        if missing > 0:
            yield {**least, **dict(islice(self.others(schema, least, depth), missing))}
        for name in full:
            yield {key: value for key, value in full.items() if key != name}
            if name not in least:
                yield {**least, name: full[name]}
        for pattern, child in declared_mapping(schema.get("patternProperties")).items():
            key = next(matching(pattern, 1), "a")
            for value in islice(self._some(child, depth + 1), 3):
                yield {**least, key: value}
            yield from ({**least, key: value} for value in (None, "a", 1))
        rest = schema.get("additionalProperties", True)
        nested = _NESTED if rest in (True, {}) else ()
        for value in chain(islice(self._some(rest, depth + 1), 3), nested):
            yield {**least, "unknown": value}
            yield {**full, "unknown": value, "UNKNOWN": value}
        for count in around(schema, "minProperties", "maxProperties"):
            yield {**least, **{f"p{n}": 1 for n in range(count - len(least))}}
        for name in full:
            yield from (
                {**least, name: value} for value in self._some(of_member(schema, name), depth + 1)
            )

    def _object(
        self, schema: JsonObject, names: Iterable[str], depth: int, *, is_full: bool = False
    ) -> JsonObject:
        """Return those of the named properties that have a value."""
        members = {name: self.witnesses(of_member(schema, name), depth + 1) for name in names}
        if is_full:
            members = {
                name: tuple(value for value in values if size(value) < MOST_PARTS)
                for name, values in members.items()
            }
        return {n: max(v, key=size) if is_full else v[0] for n, v in members.items() if v}

    def others(
        self, schema: JsonObject, value: JsonObject, depth: int
    ) -> Iterator[tuple[str, JsonValue]]:
        """Yield members that an object of a schema may have beside those that it has."""
        count = _MOST_DISTINCT
        patterns = declared_mapping(schema.get("patternProperties"))
        asked = schema.get("propertyNames")
        names: Iterable[JsonValue] = chain(
            declared_mapping(schema.get("properties")),
            *(matching(pattern, count) for pattern in patterns),
            (f"p{number}" for number in range(count)),
        )
        if asked is not None:
            known = self.distinct({"allOf": [{"type": "string"}, asked]}, count, depth + 1)
            names = [*(name for name in names if name in known), *known]
        for name in dict.fromkeys(name for name in names if isinstance(name, str)):
            if name not in value:
                yield from (
                    (name, m) for m in self.witnesses(of_member(schema, name), depth + 1)[:1]
                )


def _choices(schema: JsonObject) -> tuple[JsonObject, list[JsonValue]]:
    """Return the alternatives of the first union, and the schema without that union."""
    for keyword in ("anyOf", "oneOf"):
        if choices := declared_sequence(schema.get(keyword)):
            return {name: value for name, value in schema.items() if name != keyword}, choices
    parts = sequence(schema.get("allOf"))
    for index, part in enumerate(parts):
        rest, choices = _choices(mapping(part))
        if choices:
            return {**schema, "allOf": [*parts[:index], rest, *parts[index + 1 :]]}, choices
    return schema, []


def _noted(values: Iterable[JsonValue], notes: list[JsonValue]) -> Iterator[JsonValue]:
    for value in values:
        notes.append(value)
        yield value


def _identity(value: JsonValue) -> str:
    """Return a text that is the same for values that JSON Schema takes to be equal."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return json.dumps(whole, sort_keys=True)


def _count(schema: JsonObject, keyword: str, default: int) -> int:
    count = schema.get(keyword)
    return int(count) if isinstance(count, int | float) else default


def size(value: JsonValue) -> int:
    """Return the number of parts of a value, up to a limit.

    Pairs of equal values, nested 30 deep, have 2^30.
    """
    pending, count = [value], 0
    while pending and count < MOST_PARTS:
        part = pending.pop()
        count += 1
        pending += (
            part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        )
    return count


def _reference(schema: JsonValue) -> str | None:
    """Return the reference of a schema that is nothing else."""
    ref = mapping(schema).get("$ref")
    return ref if isinstance(ref, str) and len(mapping(schema)) == 1 else None


def _plain(schema: JsonValue) -> JsonValue:
    """Return the bare reference of an annotated one, which OpenAPI 3.0 has to write by `allOf`."""
    if isinstance(ref := mapping(schema).get("$ref"), str):
        return {"$ref": ref} if mapping(schema).keys() - {"$ref"} <= _WORDS else schema
    parts = sequence(mapping(schema).get("allOf"))
    if len(parts) != 1 or _reference(parts[0]) is None:
        return schema
    return parts[0] if mapping(schema).keys() - {"allOf"} <= _WORDS else schema


def is_hidden(schema: JsonObject) -> bool:
    """Return whether the examples of a schema may be secrets."""
    return any(schema.get(mark) is True for mark in _HIDDEN)


def _implied(schema: JsonObject) -> tuple[str, ...]:
    """Return the types that the keywords of a schema apply to, else all types."""
    if "properties" in schema or "required" in schema or "propertyNames" in schema:
        return ("object",)
    if "items" in schema or "prefixItems" in schema:
        return ("array",)
    return _ALL_TYPES
