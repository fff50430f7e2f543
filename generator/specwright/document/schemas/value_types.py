"""The types of the values to which schemas apply (JSON Schema 2020-12, validation, 6.1.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast, get_args

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, WHOLE, Subschema, held, spread
from specwright.document.schemas.inspection import listed_values
from specwright.json_values import mapping, one_or_more, texts
from specwright.pointer import Pointer
from specwright.runtime.shared.xml.nodes import JsonType

_TYPES: frozenset[str] = frozenset(get_args(JsonType))
_BY_VALUE: dict[type, JsonType] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
OF_OBJECTS = frozenset({"additionalProperties", "patternProperties", "properties", "required"})
_OF_ARRAYS = ("items", "prefixItems")
_Types = frozenset[JsonType]


@dataclass(frozen=True, slots=True)
class ValueTypes:
    """The types of a document's schemas, each found once."""

    document: Document
    _known: dict[tuple[Pointer, ...], _Types] = field(default_factory=dict)

    def of(self, schemas: Iterable[Subschema]) -> _Types:
        """Return the types of values to which all of these schemas apply; empty if any.

        Where no schema names types, its other keywords tell objects and arrays.
        """
        schemas = [*schemas]
        key = tuple(schema.pointer for schema in schemas)
        if key not in self._known:
            self._known[key] = self._of(schemas, frozenset())
        return self._known[key]

    def _of(self, schemas: Iterable[Subschema], above: frozenset[Pointer]) -> _Types:
        parts = [*spread(schemas, lambda part: held(self.document, part, WHOLE))]
        types: _Types | None = None
        for part in parts:
            if part.pointer not in above:
                types = _both(types, self._own(part, above | {part.pointer}))
        if types is not None:
            return types
        return structure({keyword for part in parts for keyword in mapping(part.value)})

    def _own(self, schema: Subschema, above: frozenset[Pointer]) -> _Types | None:
        value = mapping(schema.value)
        types: _Types | None = None
        if "type" in value:
            declared = {name for name in texts(one_or_more(value["type"])) if name in _TYPES}
            types = frozenset(cast("set[JsonType]", declared))
        elif values := listed_values(value):
            types = frozenset(_BY_VALUE[type(item)] for item in values)
        for keyword in UNIONS:
            alternatives = [*held(self.document, schema, [keyword])]
            of_alternatives = [
                self._of([part], above) for part in alternatives if part.pointer not in above
            ]
            if of_alternatives and all(of_alternatives):
                types = _both(types, frozenset().union(*of_alternatives))
        return types or None


def structure(keywords: Iterable[str]) -> frozenset[JsonType]:
    """Return the types, object or array, that keywords without `type` are about."""
    named = {*keywords}
    objects: set[JsonType] = {"object"} if not named.isdisjoint(OF_OBJECTS) else set()
    arrays: set[JsonType] = {"array"} if not named.isdisjoint(_OF_ARRAYS) else set()
    return frozenset(objects | arrays)


def _both(first: _Types | None, second: _Types | None) -> _Types | None:
    """Return the types that values have to which both sets apply."""
    if first is None or second is None:
        return second if first is None else first
    both = first & second
    # Each integer is a number.
    if "integer" in first | second and "number" in first | second:
        both |= {"integer"} if "integer" not in both and "number" not in both else set()
    return both
