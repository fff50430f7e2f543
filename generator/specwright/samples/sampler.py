"""Values that a schema is likely to accept, to be tried on another schema.

A large object sampled as a whole is rarely valid: one property with a wrong example is enough to
make it invalid. So a witness of a schema is built from the witnesses of its parts, and its
validator accepts it; that of a component is found once per run. A difference that no value shows
is proven on the whole schemas. Media types other than JSON and unknown encodings are compared by
name: a change of these is breaking without a value that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from specwright.document.schemas.inspection import ANNOTATIONS
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
from specwright.samples.compiled import UNUSABLE, Compiled
from specwright.samples.matching import matching
from specwright.samples.non_validating import written
from specwright.samples.scalars import around, numbers
from specwright.samples.scalars import texts as sample_texts
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.sensitive import SENSITIVE

MOST = 200
_DEEPEST = 24
_PER_SCHEMA = 24
_PROPERTIES = 200
_PER_WITNESS = 60
_WITNESSES = 2
MOST_PARTS = 1_000

# Values that another schema may reject, even if it accepts any list and any object.
_NESTED: tuple[JsonValue, ...] = ([[["a"]]], {"a": {"a": {"a": []}}})

# Keywords that neither constrain values nor show any.
_WORDS = ANNOTATIONS - {"example", "examples"}
_HIDDEN = (ONCE.name, SENSITIVE.name)
_ALL_TYPES = ("null", "string", "integer", "number", "boolean", "array", "object")


class Sampler:
    """Values for schemas that may refer to any of the documents."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._witnesses: dict[str, tuple[JsonValue, ...]] = {}
        self._open: set[str] = set()

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
        valid = (candidate for candidate in candidates if validator.is_valid(candidate))
        return tuple(islice(valid, _WITNESSES))

    def _values(self, schema: JsonValue, depth: int) -> Iterator[JsonValue]:
        if schema is False or depth > _DEEPEST:
            return
        merged = self._merged(schema, depth)
        yield from self._shown(merged)
        yield from self._inherited(schema, depth)
        if "const" in merged:
            yield merged["const"]
            return
        if isinstance(values := merged.get("enum"), list):
            yield from values
            return
        choices = [
            *declared_sequence(merged.get("anyOf")),
            *declared_sequence(merged.get("oneOf")),
        ]
        for choice in choices:
            rest = {k: v for k, v in merged.items() if k not in ("anyOf", "oneOf")}
            yield from self._some({"allOf": [rest, choice]}, depth + 1)
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
            name, schema = ref, self._compiled.target(ref)
        return name

    def _some(self, schema: JsonValue, depth: int) -> Iterator[JsonValue]:
        """Return values that the schema accepts, then values that it may accept."""
        if self._components(schema) & self._open:
            return iter(())
        return chain(
            self.witnesses(schema, depth), islice(self._values(schema, depth), _PER_SCHEMA)
        )

    def _merged(self, schema: JsonValue, depth: int) -> JsonObject:
        """Return the keywords of a schema merged with those of `$ref` and `allOf`.

        Of properties, each has both its schemas; of all other keywords, its own win.
        """
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return {}
        parts = [schema]
        if isinstance(ref := schema.get("$ref"), str):
            parts.append(self._merged(self._compiled.target(ref), depth + 1))
        parts += [self._merged(part, depth + 1) for part in declared_sequence(schema.get("allOf"))]
        merged: JsonObject = {}
        for part in reversed(parts):
            for name, value in part.items():
                if name == "properties" and isinstance(value, dict):
                    merged[name] = _with_properties(mapping(merged.get(name)), value)
                elif name == "required" and isinstance(value, list):
                    merged[name] = [*sequence(merged.get(name)), *value]
                elif name not in ("$ref", "allOf"):
                    merged[name] = value
        return merged

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

    def _objects(self, schema: JsonObject, depth: int) -> Iterator[JsonValue]:
        declared = declared_mapping(schema.get("properties"))
        named = set(texts(declared_sequence(schema.get("required"))))
        least = self._object(declared, sorted(named), depth)
        yield least
        others = islice((name for name in declared if name not in named), _PROPERTIES)
        full = self._object(declared, [*sorted(named), *others], depth, is_full=True)
        yield full
        for name in full:
            yield {key: value for key, value in full.items() if key != name}
            if name not in least:
                yield {**least, name: full[name]}
        for pattern, child in declared_mapping(schema.get("patternProperties")).items():
            for value in islice(self._some(child, depth + 1), 3):
                yield {**least, matching(pattern) or "a": value}
            yield from ({**least, matching(pattern) or "a": value} for value in (None, "a", 1))
        rest = schema.get("additionalProperties", True)
        nested = _NESTED if rest in (True, {}) else ()
        for value in chain(islice(self._some(rest, depth + 1), 3), nested):
            yield {**least, "unknown": value}
            yield {**full, "unknown": value, "UNKNOWN": value}
        for count in around(schema, "minProperties", "maxProperties"):
            yield {**least, **{f"p{n}": 1 for n in range(count - len(least))}}
        for name in full:
            yield from (
                {**least, name: value} for value in self._some(declared.get(name), depth + 1)
            )

    def _object(
        self, declared: JsonObject, names: Iterable[str], depth: int, *, is_full: bool = False
    ) -> JsonObject:
        """Return those of the named properties that have a value."""
        members = {name: self.witnesses(declared.get(name, True), depth + 1) for name in names}
        if is_full:
            members = {
                name: tuple(value for value in values if size(value) < MOST_PARTS)
                for name, values in members.items()
            }
        return {n: max(v, key=size) if is_full else v[0] for n, v in members.items() if v}


def _with_properties(inherited: JsonObject, own: JsonObject) -> JsonObject:
    """Return properties of which those with one name have both their schemas."""
    properties = {**inherited, **own}
    for name in inherited.keys() & own.keys():
        if inherited[name] != own[name]:
            properties[name] = {"allOf": [own[name], inherited[name]]}
    return properties


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
