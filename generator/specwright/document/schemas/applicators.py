"""Schemas that apply to a value and to its parts (JSON Schema 2020-12, core, 10 and 11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.shape import OBJECTS
from specwright.errors import InputError
from specwright.json_values import JsonValue, mapping
from specwright.patterns import matches
from specwright.pointer import Pointer, join

REFERENCES = ("$ref", "$dynamicRef")
# A value fits all of their schemas, and some of those of unions.
WHOLE = (*REFERENCES, "allOf")
UNIONS = ("anyOf", "oneOf")
# Their schemas apply, some conditionally, to the same value as the schema around them. That of a
# `not` says nothing about valid values.
IN_PLACE = (*WHOLE, *UNIONS, "if", "then", "else", "dependentSchemas")
# For members and items that no other keyword of the schema covers.
_OTHER_PROPERTIES = ("additionalProperties", "unevaluatedProperties")
_OTHER_ITEMS = ("items", "unevaluatedItems")


@dataclass(frozen=True, slots=True)
class Subschema:
    """A schema and its place."""

    pointer: Pointer
    value: JsonValue


def held(document: Document, schema: Subschema, keywords: Iterable[str]) -> Iterator[Subschema]:
    """Yield the schemas that keywords of a schema hold or refer to."""
    values = mapping(schema.value)
    for keyword in keywords:
        if keyword not in values:
            continue
        at, value = schema.pointer + join(keyword), values[keyword]
        match OBJECTS["schema"].get(keyword), value:
            case "", str() if keyword in REFERENCES:
                yield from _referred(document, value)
            case "schema", _:
                yield Subschema(at, value)
            case "schema[]", list():
                yield from (Subschema(at + join(n), each) for n, each in enumerate(value))
            case "schema{}", dict():
                yield from (Subschema(at + join(name), each) for name, each in value.items())


def _referred(document: Document, ref: str) -> Iterator[Subschema]:
    if document.is_local(ref):
        # Loading refuses unresolved references, except for those with a target found at run time.
        with suppress(InputError):
            yield Subschema(document.target(ref), document.resolve(ref))


def spread(
    schemas: Iterable[Subschema], step: Callable[[Subschema], Iterable[Subschema]]
) -> Iterator[Subschema]:
    """Yield the schemas and all that a step reaches from them, each once, so circles end."""
    seen: set[Pointer] = set()
    stack = [*schemas][::-1]
    while stack:
        schema = stack.pop()
        if schema.pointer not in seen:
            seen.add(schema.pointer)
            yield schema
            stack += [*step(schema)][::-1]


def applying(document: Document, schemas: Iterable[Subschema]) -> Iterator[Subschema]:
    """Yield these schemas, and all that may apply to the same value."""
    return spread(schemas, lambda schema: held(document, schema, IN_PLACE))


def reachable(document: Document, schema: Subschema) -> Iterator[Subschema]:
    """Yield a schema and all that it holds or refers to, at any depth."""
    return spread([schema], lambda each: held(document, each, OBJECTS["schema"]))


def of_property(document: Document, schema: Subschema, name: str) -> Iterator[Subschema]:
    """Yield the subschemas that may apply to a property of a schema's values."""
    values = mapping(schema.value)
    named = mapping(values.get("properties"))
    if name in named:
        yield Subschema(schema.pointer + join("properties", name), named[name])
    is_other = name not in named
    for pattern, each in mapping(values.get("patternProperties")).items():
        is_match = matches(pattern, name)
        is_other &= is_match is not True
        if is_match is not False:
            yield Subschema(schema.pointer + join("patternProperties", pattern), each)
    if is_other:
        yield from held(document, schema, _OTHER_PROPERTIES)


def of_item(document: Document, schema: Subschema, index: int) -> Iterator[Subschema]:
    """Yield the subschemas that may apply to an item of a schema's values."""
    first = [*held(document, schema, ["prefixItems"])]
    yield from first[index : index + 1] or held(document, schema, _OTHER_ITEMS)
    yield from held(document, schema, ["contains"])
