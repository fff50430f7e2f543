"""Edits of one keyword each, with a known effect: values removed or added."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

Schema = dict[str, Any]
# Gives the schema after the edit; None where the edit would mean nothing, or not only one thing.
Edit = Callable[[Schema], Schema | None]


class Effect(Enum):
    """The effect of an edit on the values of a schema."""

    NARROWS = "some values are gone"
    WIDENS = "some values are new"
    REPLACES = "some values are gone and others are new"
    NEITHER = "the values are the same"


# Beside these, a limit of a text may have no effect.
_DECIDING = ("pattern", "format", "enum", "const")


def _moved(kind: str, keyword: str, step: int, *others: str) -> Edit:
    """Move a limit that no other keyword makes meaningless."""

    def edit(schema: Schema) -> Schema | None:
        limit = schema.get(keyword)
        if schema.get("type") != kind or type(limit) is not int or set(others) & schema.keys():
            return None
        changed = {**schema, keyword: limit + step}
        return changed if limit + step >= 0 and _is_possible(changed) else None

    return edit


def _is_possible(schema: Schema) -> bool:
    pairs = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))
    return all(schema.get(least, 0) <= schema.get(most, 10**9) for least, most in pairs)


def _dropped(kind: str, keyword: str, *others: str) -> Edit:
    def edit(schema: Schema) -> Schema | None:
        if schema.get("type") != kind or keyword not in schema or set(others) & schema.keys():
            return None
        return {name: value for name, value in schema.items() if name != keyword}

    return edit


def _added(kind: str, keyword: str, value: object, *others: str) -> Edit:
    def edit(schema: Schema) -> Schema | None:
        if schema.get("type") != kind or {keyword, *others} & schema.keys():
            return None
        return {**schema, keyword: value}

    return edit


def _other_type(before: str, after: str) -> Edit:
    def edit(schema: Schema) -> Schema | None:
        if schema.get("type") != before or {"enum", "const", "format"} & schema.keys():
            return None
        return {**schema, "type": after}

    return edit


def _demanding(schema: Schema) -> Schema | None:
    required = schema.get("required", [])
    optional = sorted(schema.get("properties", {}).keys() - set(required))
    return {**schema, "required": [*required, optional[0]]} if optional else None


def _generous(schema: Schema) -> Schema | None:
    return {**schema, "required": schema["required"][1:]} if schema.get("required") else None


def _closed(schema: Schema) -> Schema | None:
    marks = {"additionalProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf"}
    if "properties" not in schema or marks & schema.keys():
        return None
    return {**schema, "additionalProperties": False}


def _fewer_values(schema: Schema) -> Schema | None:
    values = schema.get("enum", [])
    return {**schema, "enum": values[1:]} if len(values) > 1 else None


def _more_values(schema: Schema) -> Schema | None:
    if schema.get("type") != "string" or "enum" not in schema:
        return None
    return {**schema, "enum": [*schema["enum"], "something_new"]}


def _one_value(schema: Schema) -> Schema | None:
    values = schema.get("enum", [])
    if len(values) < 2:
        return None
    return {name: each for name, each in schema.items() if name != "enum"} | {"const": values[0]}


def _without_null(schema: Schema) -> Schema | None:
    kinds = schema.get("type")
    if not isinstance(kinds, list) or "null" not in kinds or "enum" in schema:
        return None
    return {**schema, "type": [kind for kind in kinds if kind != "null"]}


def _with_null(schema: Schema) -> Schema | None:
    kind = schema.get("type")
    if not isinstance(kind, str) or {"enum", "const"} & schema.keys():
        return None
    return {**schema, "type": [kind, "null"]}


def _with_property(schema: Schema) -> Schema | None:
    if "properties" not in schema or schema.get("additionalProperties") is not None:
        return None
    return {**schema, "properties": {**schema["properties"], "brand_new": {"type": "string"}}}


def _reversed(keyword: str) -> Edit:
    def edit(schema: Schema) -> Schema | None:
        values = schema.get(keyword, [])
        return {**schema, keyword: values[::-1]} if len(values) > 1 else None

    return edit


def _as_list(schema: Schema) -> Schema | None:
    kind = schema.get("type")
    return {**schema, "type": [kind]} if isinstance(kind, str) else None


def _as_fraction(schema: Schema) -> Schema | None:
    limit = schema.get("maximum")
    return {**schema, "maximum": float(limit)} if type(limit) is int else None


def _in_all_of(schema: Schema) -> Schema | None:
    return {"allOf": [schema]} if "$ref" not in schema and "discriminator" not in schema else None


def _with(keyword: str, value: object) -> Edit:
    return lambda schema: {**schema, keyword: value} if "$ref" not in schema else None


_PATTERN = "^[a-f]*$"
EDITS: Mapping[str, tuple[Effect, Edit]] = {
    "a lower maximum": (Effect.NARROWS, _moved("integer", "maximum", -1, "enum")),
    "a higher minimum": (Effect.NARROWS, _moved("integer", "minimum", 1, "enum")),
    "a lower maxLength": (Effect.NARROWS, _moved("string", "maxLength", -1, *_DECIDING)),
    "a higher minLength": (Effect.NARROWS, _moved("string", "minLength", 1, *_DECIDING)),
    "a lower maxItems": (Effect.NARROWS, _moved("array", "maxItems", -1)),
    "a higher minItems": (Effect.NARROWS, _moved("array", "minItems", 1)),
    "a new minItems": (Effect.NARROWS, _added("array", "minItems", 1)),
    "a new maxItems": (Effect.NARROWS, _added("array", "maxItems", 3)),
    "unique items": (Effect.NARROWS, _added("array", "uniqueItems", True)),
    "a new maximum": (Effect.NARROWS, _added("integer", "maximum", 7, "enum", "minimum")),
    "a new multipleOf": (Effect.NARROWS, _added("integer", "multipleOf", 2, "enum", "const")),
    "a new maxLength": (Effect.NARROWS, _added("string", "maxLength", 3, *_DECIDING)),
    "a new pattern": (Effect.NARROWS, _added("string", "pattern", _PATTERN, *_DECIDING)),
    "a new format": (Effect.NARROWS, _added("string", "format", "uuid", *_DECIDING)),
    "an integer for a number": (Effect.NARROWS, _other_type("number", "integer")),
    "another type": (Effect.REPLACES, _other_type("boolean", "object")),
    "one value less": (Effect.NARROWS, _fewer_values),
    "one value for several": (Effect.NARROWS, _one_value),
    "one more property required": (Effect.NARROWS, _demanding),
    "no other properties": (Effect.NARROWS, _closed),
    "no null": (Effect.NARROWS, _without_null),
    "a higher maximum": (Effect.WIDENS, _moved("integer", "maximum", 1, "enum")),
    "a lower minimum": (Effect.WIDENS, _moved("integer", "minimum", -1, "enum")),
    "a higher maxLength": (Effect.WIDENS, _moved("string", "maxLength", 1, *_DECIDING)),
    "a lower minLength": (Effect.WIDENS, _moved("string", "minLength", -1, *_DECIDING)),
    "a higher maxItems": (Effect.WIDENS, _moved("array", "maxItems", 1)),
    "a lower minItems": (Effect.WIDENS, _moved("array", "minItems", -1)),
    "no maximum": (Effect.WIDENS, _dropped("integer", "maximum", "enum")),
    "no maxLength": (Effect.WIDENS, _dropped("string", "maxLength", *_DECIDING)),
    "no pattern": (Effect.WIDENS, _dropped("string", "pattern", "enum", "const", "format")),
    "no format": (Effect.WIDENS, _dropped("string", "format", "enum", "const", "pattern")),
    "no enum": (Effect.WIDENS, _dropped("string", "enum")),
    "no const": (Effect.WIDENS, _dropped("string", "const")),
    "no type": (Effect.WIDENS, _dropped("boolean", "type")),
    "a number for an integer": (Effect.WIDENS, _other_type("integer", "number")),
    "one more value": (Effect.WIDENS, _more_values),
    "one property less required": (Effect.WIDENS, _generous),
    "null": (Effect.WIDENS, _with_null),
    "a description": (Effect.NEITHER, _with("description", "Other words.")),
    "a title": (Effect.NEITHER, _with("title", "Other words")),
    "a comment": (Effect.NEITHER, _with("$comment", "Other words.")),
    "examples": (Effect.NEITHER, _with("examples", ["a"])),
    "an extension": (Effect.NEITHER, _with("x-other", 1)),
    "the enum in another order": (Effect.NEITHER, _reversed("enum")),
    "required in another order": (Effect.NEITHER, _reversed("required")),
    "the type as a list": (Effect.NEITHER, _as_list),
    "the maximum as a fraction": (Effect.NEITHER, _as_fraction),
    "wrapped in allOf": (Effect.NEITHER, _in_all_of),
    "a new optional property": (Effect.NEITHER, _with_property),
    "a pattern that every text has": (Effect.NEITHER, _added("string", "pattern", "", "pattern")),
    "a limit that does not apply": (Effect.NEITHER, _added("string", "maximum", 3)),
}
