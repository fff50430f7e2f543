"""Pairs of a base schema and its counterpart in the revision, with their own keywords."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from specwright.compare.schemas.equality import Sameness
from specwright.compare.schemas.flatten import ChildKey, FlatSchema, Subschemas
from specwright.compare.schemas.transfer import Transfer
from specwright.compare.schemas.unions import Union
from specwright.document.schemas.discriminators import Discriminator
from specwright.document.schemas.polarity import Polarity
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.samples.sides import Side

T = TypeVar("T")
Schema = JsonObject


class Keywords(NamedTuple):
    """Keywords that are compared together.

    Attributes:
        stem: the start of the ids of the rules: `…-narrowed` and `…-widened`.
        asserts: whether validators enforce them; otherwise any change counts as a break.
    """

    stem: str
    names: tuple[str, ...]
    asserts: bool = True


# In this order: the type of a value, its limits, its members, its composition.
STEPS = (
    Keywords("type", ("type",)),
    Keywords("enum", ("enum", "const")),
    Keywords("format", ("format",), asserts=False),
    Keywords("content", ("contentEncoding",), asserts=False),
    Keywords("content", ("contentMediaType",), asserts=False),
    Keywords("content", ("contentSchema",), asserts=False),
    Keywords("range", ("minimum", "exclusiveMinimum")),
    Keywords("range", ("maximum", "exclusiveMaximum")),
    Keywords("range", ("multipleOf",)),
    Keywords("length", ("minLength",)),
    Keywords("length", ("maxLength",)),
    Keywords("pattern", ("pattern",)),
    Keywords("array", ("minItems",)),
    Keywords("array", ("maxItems",)),
    Keywords("array", ("uniqueItems",)),
    Keywords("array", ("items", "prefixItems", "unevaluatedItems")),
    Keywords("array", ("contains", "minContains", "maxContains")),
    Keywords("object", ("minProperties",)),
    Keywords("object", ("maxProperties",)),
    Keywords("object", ("additionalProperties", "patternProperties", "unevaluatedProperties")),
    Keywords("object", ("propertyNames",)),
    Keywords("object", ("dependentRequired",)),
    Keywords("object", ("dependentSchemas",)),
    Keywords("union", ("anyOf",)),
    Keywords("union", ("oneOf",)),
    Keywords("union", ("allOf",)),
    Keywords("union", ("not",)),
    Keywords("union", ("if", "then", "else")),
    Keywords("union", ("$dynamicRef", "$ref")),
)
# Keywords that may constrain properties that `properties` does not name.
_CONSTRAINING_UNDECLARED = frozenset(("if", "allOf", "not", "$dynamicRef", "unevaluatedProperties"))
# Where counterexamples are judged without references.
_CONTENT: ChildKey = ("contentSchema", "")
# Patterns that match every text.
_EVERYTHING = ("", ".*", "^", "$", "^.*")


class UnionContext(NamedTuple):
    """The unions around two alternatives, where several alternatives may accept one value.

    Attributes:
        candidates: the alternatives that may accept the values sent.
    """

    base: Subschemas
    revision: Subschemas
    candidates: tuple[Subschemas, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A schema of the base and its counterpart in the revision.

    Attributes:
        unions: the unions in both, with their matching alternatives.
        discriminators: the discriminators in both, if any.
        context: the unions around both, if another alternative may accept a value that one rejects.
    """

    base: FlatSchema
    revision: FlatSchema
    transfer: Transfer
    unions: tuple[Union, ...] = ()
    discriminators: tuple[Discriminator | None, Discriminator | None] = (None, None)
    context: UnionContext | None = None

    @property
    def is_lifted(self) -> bool:
        """Whether only alternatives are to be compared."""
        return any(union.is_all for union in self.unions)

    @property
    def shared(self) -> tuple[ChildKey, ...]:
        """The keys of the subschemas in both."""
        if self.is_lifted:
            return ()
        return tuple(key for key in self.base.children if key in self.revision.children)


def directed(polarity: Polarity, before: T, after: T) -> tuple[T, T, str]:
    """Return the sender's value, the receiver's value, and the suffix for a break."""
    if polarity is Polarity.TO_SERVER:
        return before, after, "narrowed"
    return after, before, "widened"


def own_schemas(pair: Pair, sides: tuple[Side, Side], same: Sameness) -> tuple[Schema, Schema]:
    """Return both schemas on their own, with the subschemas open that are compared separately."""
    base, revision = pair.base, pair.revision
    schemas: tuple[Schema, Schema] = ({}, {})
    known = {name for group in STEPS for name in group.names} | {"required"}
    for name in known & (base.keywords.keys() | revision.keywords.keys()):
        values = base.keywords.get(name), revision.keywords.get(name)
        is_same = name in base.keywords and name in revision.keywords and same(*values)
        for schema, flat, side in zip(schemas, (base, revision), sides, strict=True):
            if is_same:
                schema[name] = sides[0].absolute(values[0])
            elif name in flat.keywords:
                schema[name] = side.absolute(flat.keywords[name])
    shared = set(pair.shared)
    for schema, flat, other, side in zip(
        schemas, (base, revision), (revision, base), sides, strict=True
    ):
        for key, places in flat.children.items():
            is_open = (
                key[0] == "properties"
                and not pair.is_lifted
                and not _may_constrain_undeclared(other)
            )
            value = True if key in shared or is_open else side.whole(places)
            if key == _CONTENT and key not in shared:
                value = {"allOf": [side.absolute(place.value) for place in places]}
            _put(schema, key, value)
    for union in pair.unions:
        _put_union(union, sides, schemas)
    for schema in schemas:
        if schema.get("pattern") in _EVERYTHING:
            del schema["pattern"]
    base_schema, revision_schema = schemas
    return _normal_form(base_schema), _normal_form(revision_schema)


def _may_constrain_undeclared(flat: FlatSchema) -> bool:
    """Return whether a schema may constrain properties that it does not declare itself."""
    return bool(flat.choices) or bool(_CONSTRAINING_UNDECLARED & flat.keywords.keys())


def _normal_form(schema: Schema) -> Schema:
    """Return the schema in a normal form."""
    if "const" in schema and "enum" not in schema:
        schema["enum"] = [schema.pop("const")]
    kinds = schema.get("type")
    if isinstance(kinds, list):
        schema["type"] = kinds[0] if len(kinds) == 1 else [*sorted(map(str, kinds))]
    for name in ("enum", "required"):
        if isinstance(values := schema.get(name), list):
            schema[name] = sorted(values, key=lambda value: json.dumps(value, default=str))
    return schema


def _put(schema: Schema, key: ChildKey, value: JsonValue) -> None:
    keyword, name = key
    if keyword in ("prefixItems", "allOf"):
        sequence(schema.setdefault(keyword, [])).append(value)
    elif name or keyword in ("properties", "patternProperties", "dependentSchemas"):
        mapping(schema.setdefault(keyword, {}))[name] = value
    else:
        schema[keyword] = value


def _put_union(union: Union, sides: tuple[Side, Side], schemas: tuple[Schema, Schema]) -> None:
    """Add a union to both schemas, with shared alternatives made equal: they are compared alone."""
    before: list[JsonValue] = [sides[0].whole(alternative.places) for alternative in union.base]
    shared = dict(union.partners)
    after = [before[old] for old in sorted(shared.values())]
    after += [sides[1].whole(alternative.places) for alternative in union.added]
    if union.base and union.names[0]:
        schemas[0][union.keyword] = before
    if union.revision and union.names[1]:
        schemas[1][union.keyword] = after
