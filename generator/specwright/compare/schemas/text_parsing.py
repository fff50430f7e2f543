"""Values that a receiver parses from untyped text, such as a query string."""

from __future__ import annotations

from specwright.compare.schemas.flatten import FlatSchema, flatten, types
from specwright.compare.schemas.transfer import Transfer, ValueEncoding
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import OPERATION, example
from specwright.json_values import JsonObject, mapping
from specwright.samples.sides import Side

_SCALARS = ("boolean", "integer", "number", "string")
# Keywords that restrict a text.
_LIMITS = frozenset(("const", "enum", "format", "maxLength", "minLength", "pattern"))

TEXT_TYPE_CHANGED = ChangeRule(
    "text-type-changed",
    ChangeCategory.CLIENT_SOURCE,
    (
        "Generated code has another type for a value that is sent as text, such as a query "
        "parameter. All values are parsed as before."
    ),
    example=example(
        OPERATION,
        "- {name: size, in: query, schema: {type: integer}}",
        "- {name: size, in: query, schema: {type: string}}",
        "- {name: size, in: query, schema: {type: integer}, deprecated: true}\n"
        "      - {name: extent, in: query, schema: {type: string}}",
    ),
    remedy="Add a parameter of another name for the new type, and mark the old one `deprecated`.",
)


def with_parsed_text(
    schema: JsonObject, flat: FlatSchema, side: Side, transfer: Transfer
) -> JsonObject:
    """Return the schema extended by values that parse alike: a number as text, one as a list."""
    as_text = _any_text(schema, flat)
    items = flat.children.get(("items", ""))
    is_list = transfer.encoding is ValueEncoding.REPEATED and "array" in types(schema.get("type"))
    if is_list and items and _takes_one(flat):
        one = flatten(side.document, items, transfer.polarity)
        if not one.children and not one.choices:
            return {"anyOf": [as_text, _any_text(mapping(side.absolute(one.keywords)), one)]}
    return as_text


def _any_text(schema: JsonObject, flat: FlatSchema) -> JsonObject:
    kinds = types(schema.get("type"))
    if "string" not in kinds or _LIMITS & (schema.keys() | flat.keywords.keys()):
        return schema
    return {**schema, "type": [*sorted({*kinds, *_SCALARS})]}


def _takes_one(flat: FlatSchema) -> bool:
    least = flat.keywords.get("minItems", 0)
    return isinstance(least, int) and least <= 1
