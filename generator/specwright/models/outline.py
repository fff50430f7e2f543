"""The index of the models of a document, without generating them.

Pages that show calls of the client need the names of arguments, and nothing else of the models.
These follow from the schemas, as the tests of all documents show (docs/decisions/0235). Classes
that only the model generator names, such as the alternatives of a union with properties of its
own, are not in this index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from keyword import iskeyword
from typing import TYPE_CHECKING

from pydantic import BaseModel

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, Subschema
from specwright.document.schemas.inheritance import properties
from specwright.document.schemas.inspection import has_properties, is_binary, reference
from specwright.ir.index import IndexedModel, ModelIndex
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence, texts
from specwright.models.brackets import without_brackets
from specwright.models.dialect import named
from specwright.pointer import Pointer, resolve

if TYPE_CHECKING:
    from datamodel_code_generator.reference import FieldNameResolver

# Such a name is an attribute as it is, unless Python or Pydantic has a use for it.
_PLAIN = re.compile("[a-z][a-z0-9_]*")
# The types of Python that annotations name.
_BUILTINS = ("bytes", "list")
# Keywords with schemas that are written within the annotation of a field.
_WITHIN = ("additionalProperties", "allOf", "items", *UNIONS)


def outline(document: Document) -> ModelIndex:
    """Return the classes and aliases of a normalised document, with the fields of classes."""
    attributes = without_brackets(document)
    return ModelIndex(
        {
            pointer: _model(document, pointer, name, attributes)
            for pointer, name in named(document).names.items()
        }
    )


def _model(
    document: Document, pointer: Pointer, class_name: str, attributes: Mapping[str, str]
) -> IndexedModel:
    schema = Subschema(pointer, resolve(document.data, pointer))
    if not _is_class(document, schema.value):
        return IndexedModel(class_name, False, {})
    return IndexedModel(class_name, True, _fields(_properties(document, schema), attributes))


def _is_class(document: Document, schema: JsonValue) -> bool:
    is_union = any(not part.keys().isdisjoint(UNIONS) for part in _parts(schema))
    is_object = "object" in one_or_more(mapping(schema).get("type", "object"))
    is_reference = reference(schema) is not None
    return is_object and not is_union and not is_reference and has_properties(document, schema)


def _properties(document: Document, schema: Subschema) -> dict[str, JsonValue]:
    """Return the properties with fields: those of the schema, and those that it makes required."""
    parts = [*_parts(schema.value)]
    declared = {
        name: value for part in parts for name, value in mapping(part.get("properties")).items()
    }
    if all("allOf" not in part for part in parts):
        return declared
    # An inherited property that becomes required gets a field of its own.
    required = [name for part in parts for name in texts(part.get("required"))]
    others = [name for name in required if name not in declared]
    inherited = properties(document, schema) if others else {}
    return declared | {
        name: inherited[name].schema.value if name in inherited else True for name in others
    }


def _parts(schema: JsonValue) -> Iterator[JsonObject]:
    """Yield a schema and the parts of its `allOf` that are written within it."""
    if isinstance(schema, dict) and "$ref" not in schema:
        yield schema
        for part in sequence(schema.get("allOf")):
            yield from _parts(part)


def _fields(properties: Mapping[str, JsonValue], attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the attribute of each property, as the model generator names it.

    Args:
        attributes: those that the model generator is given.
    """
    fields: dict[str, str] = {}
    others: set[str] = set()
    for name, schema in properties.items():
        is_plain = _PLAIN.fullmatch(name) and not iskeyword(name) and not hasattr(BaseModel, name)
        attribute = attributes.get(name)
        if attribute is None:
            attribute = name if is_plain and name not in others else _renamed(name, others)
        others.add(attribute)
        hides_type = attribute in _BUILTINS and attribute in _builtins(schema)
        # The generator's metadata has no empty names either.
        fields[name or attribute] = f"{attribute}_" if hides_type else attribute
    return fields


def _renamed(name: str, others: set[str]) -> str:
    attribute = _resolver().get_valid_name(name, others)
    if hasattr(BaseModel, attribute):
        return _resolver().get_valid_name(f"{attribute}_", others)
    return attribute


@cache
def _resolver() -> FieldNameResolver:
    # Imported here: it takes 0.1 s, which an API with names in snake case does not need.
    from datamodel_code_generator.reference import FieldNameResolver

    return FieldNameResolver(snake_case_field=True)


def _builtins(schema: JsonValue) -> Iterator[str]:
    """Yield the names of Python's types in the annotation of a schema."""
    if isinstance(schema, dict) and "$ref" not in schema:
        if is_binary(schema):
            yield "bytes"
        if "array" in one_or_more(schema.get("type")) or "items" in schema:
            yield "list"
        for keyword in _WITHIN:
            for part in one_or_more(schema.get(keyword)):
                yield from _builtins(part)
