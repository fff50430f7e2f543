"""The parts of a schema that describe the value at a pointer of its instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from specwright.check.context import LintContext
from specwright.document.schemas.applicators import Subschema, applying, of_item, of_property
from specwright.pointer import Pointer, split

MAX_STEPS = 2_000


def describes(context: LintContext, schema: Subschema, pointer: Pointer) -> bool:
    """Return whether instances of the schema can have a described value at the pointer."""
    return any(map(_says_something, find(context, schema, pointer)))


def find(context: LintContext, schema: Subschema, pointer: Pointer) -> list[Subschema]:
    """Return the schemas of the value at the pointer, through references and all alternatives."""
    schemas = _applying(context, [schema])
    for token in split(pointer):
        schemas = _applying(
            context, (subschema for one in schemas for subschema in _below(context, one, token))
        )
    return schemas


def _applying(context: LintContext, schemas: Iterable[Subschema]) -> list[Subschema]:
    return list(islice(applying(context.document, schemas), MAX_STEPS))


def _below(context: LintContext, schema: Subschema, token: str) -> Iterator[Subschema]:
    yield from of_property(context.document, schema, token)
    if token.isdecimal():
        yield from of_item(context.document, schema, int(token))


def _says_something(schema: Subschema) -> bool:
    """Return whether the schema says more than that any value is valid, or that none is."""
    is_named = schema.pointer.rpartition("/")[0].endswith("/properties")
    return bool(schema.value) and (is_named or isinstance(schema.value, dict))
