"""The extent of validation: the shape of received values, the full schema of sent ones.

A service may raise a limit, add a value to an enumeration or a field to an object, and released
packages still have to parse its responses. Therefore models only define the types of their fields
and which are required. The rest of a schema is kept in its metadata for `checked`.

The schemas are those of pydantic-core: dictionaries distinguished by `type`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from .free_json import checked_value

Schema: TypeAlias = dict[str, Any]

# Metadata keys: a schema that replaces this one; members to add to this one.
INSTEAD = "checked_instead"
LIMITS = "checked_limits"
# A function that validates values that are to be sent.
TEST = "checked_test"
# A null that only means an omitted value; a union, and whether only its first choice may be
# sent.
ABSENT = "checked_absent"
KNOWN = "checked_known"

_RANGE = ("ge", "gt", "le", "lt", "multiple_of")
_LENGTH = ("max_length", "min_length")
_LIMITS: Mapping[str, tuple[str, ...]] = {
    "str": ("pattern", *_LENGTH),
    "int": _RANGE,
    "float": _RANGE,
    "decimal": ("decimal_places", "max_digits", *_RANGE),
    **dict.fromkeys(("dict", "frozenset", "list", "set", "tuple"), _LENGTH),
    "model-fields": ("extra_behavior",),
}
# Keys with one nested schema, and keys with several.
_ONE = frozenset(
    {
        "extras_schema",
        "items_schema",
        "json_schema",
        "keys_schema",
        "python_schema",
        "schema",
        "values_schema",
    }
)
_SEVERAL = frozenset({"choices", "definitions", "items_schema", "steps"})
_BOOL, _INT, _FLOAT, _STR = ({"type": t, "strict": True} for t in ("bool", "int", "float", "str"))
_SCALARS = frozenset(
    {"bool", "date", "datetime", "decimal", "float", "int", "json-or-python", "literal", "str"}
)
# Keys of the schemas that lists and objects have for all their members.
_MEMBERS = {"list": "items_schema", "dict": "values_schema"}
# A function that runs before or after the validation by a schema.
_VALUE: Schema = {"type": "no-info", "function": checked_value}
# A value that no schema describes.
_ANYTHING: Schema = {"type": "function-after", "function": _VALUE, "schema": {"type": "any"}}
_BY_TYPE: Mapping[type, Schema] = {bool: _BOOL, int: _INT, str: _STR}
# 5.0 is an integer in JSON Schema (2020-12, 6.1.1), but not in Pydantic.
_INTEGER: Schema = {
    "type": "union",
    "mode": "left_to_right",
    "choices": [_INT, {"type": "chain", "steps": [_FLOAT, {"type": "int"}]}],
    "custom_error_type": "int_type",
}


def shaped(schema: Schema) -> Schema:
    """Return the schema reduced to its shape; its metadata keeps the rest.

    Schemas of models are returned unchanged: each model reduces its own.
    """
    return _referable(_shaped(schema), schema)


def _shaped(schema: Schema) -> Schema:
    kind = schema["type"]
    if kind in ("model", "definition-ref") or {INSTEAD, KNOWN} & _metadata(schema).keys():
        return schema
    if kind == "literal":
        return noted(_any_of(schema), INSTEAD, _exact(schema))
    if kind == "int" and schema.get("strict"):
        return noted(_INTEGER, INSTEAD, schema)
    limits = {key: schema[key] for key in _LIMITS.get(kind, ()) if key in schema}
    rest = {key: value for key, value in schema.items() if key not in limits}
    if kind == "union" and all(_is_text(choice) for choice in schema["choices"]):
        return noted(_STR, INSTEAD, schema)
    is_free = _is_free(schema)
    if kind == "float":
        rest["allow_inf_nan"] = False
    if kind == "list":
        # Errors about each of many items would take hundreds of times the memory of the items.
        rest["fail_fast"] = True
    result = _mapped(rest, _shaped_unless_free if is_free else shaped)
    result = noted(result, LIMITS, limits) if limits else result
    if is_free:
        result = {"type": "function-after", "function": _VALUE, "schema": _unnamed(result)}
    if kind == "list" and (is_free or _is_scalar(schema["items_schema"])):
        result = _ordered(_unnamed(result))
    return result


def _shaped_unless_free(schema: Schema) -> Schema:
    return schema if _is_free(schema) else shaped(schema)


def _ordered(items: Schema) -> Schema:
    """Return the schema of a list that is not made of a set.

    Only scalars can be in a set. So lists of others, whose schemas are larger, are not concerned.
    """
    function = {"type": "no-info", "function": _refuse_set}
    python = {"type": "function-before", "function": function, "schema": items}
    return {"type": "json-or-python", "json_schema": items, "python_schema": python}


def _refuse_set(value: object) -> object:
    return checked_value(value) if type(value) in (set, frozenset) else value


def _is_scalar(schema: Schema) -> bool:
    kind = schema["type"]
    if kind == "union":
        return all(
            _is_scalar(choice[0] if isinstance(choice, tuple) else choice)
            for choice in cast("list[Schema | tuple[Schema, str]]", schema["choices"])
        )
    return _is_scalar(schema["schema"]) if kind == "nullable" else kind in _SCALARS


def _is_free(schema: Schema) -> bool:
    """Return whether a schema describes nothing that is in a value."""
    kind = schema["type"]
    members = cast("Schema | None", schema.get(_MEMBERS.get(kind, "")))
    return kind == "any" or (kind in _MEMBERS and (members is None or _is_free(members)))


def checked(schema: Schema) -> Schema:
    """Return the schema with everything that `shaped` removed, for JSON to be sent."""
    return _referable(_checked(schema), schema)


def _checked(schema: Schema) -> Schema:
    notes = _metadata(schema)
    if INSTEAD in notes:
        return _tested(_mapped(cast("Schema", notes[INSTEAD]), checked))
    if ABSENT in notes:
        return checked(schema["schema"])
    if notes.get(KNOWN):
        return checked(schema["choices"][0][0])
    limits: Schema = notes.get(LIMITS, {})
    mapped = _mapped(schema, checked)
    mapped.pop("fail_fast", None)
    if limits.get("extra_behavior") == "forbid":
        del mapped["extras_schema"]
    return _tested({**mapped, **limits})


def _tested(schema: Schema) -> Schema:
    test = _metadata(schema).get(TEST)
    if test is None:
        return schema
    # The name stays on the outer schema, so that references include the test.
    function = {"type": "no-info", "function": test}
    return {"type": "function-after", "function": function, "schema": _unnamed(schema)}


def _unnamed(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "ref"}


def _referable(schema: Schema, replaced: Schema) -> Schema:
    """Return the schema with the reference name of the schema that it replaces."""
    return {**schema, "ref": replaced["ref"]} if "ref" in replaced else schema


def noted(schema: Schema, key: str, value: object) -> Schema:
    """Return the schema with an entry added to its metadata."""
    return {**schema, "metadata": {**_metadata(schema), key: value}}


def _metadata(schema: Schema) -> Schema:
    return cast("Schema", schema.get("metadata") or {})


def _mapped(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Return the schema with a change applied to each directly nested schema."""
    return {key: _part(key, value, change) for key, value in schema.items()}


def _part(key: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    if key == "fields":
        fields = cast("dict[str, Schema]", value)
        return {name: {**each, "schema": change(each["schema"])} for name, each in fields.items()}
    if key == "choices" and isinstance(value, dict):
        return {tag: change(each) for tag, each in cast("dict[str, Schema]", value).items()}
    if key in _SEVERAL and isinstance(value, list):
        # A choice may have a label for messages.
        return [
            (change(choice[0]), *choice[1:]) if isinstance(choice, tuple) else change(choice)
            for choice in cast("list[Schema | tuple[Schema, str]]", value)
        ]
    return change(value) if key in _ONE else value


def _any_of(literal: Schema) -> Schema:
    """Return the schema of all values that have the types of the expected ones.

    In a union, an expected value is a better match than others, which pass through `any`.
    """
    types: set[type] = {type(value) for value in literal["expected"]}
    if len(types) != 1 or not types <= _BY_TYPE.keys():
        return _ANYTHING
    other = {"type": "chain", "steps": [{"type": "any"}, _BY_TYPE[types.pop()]]}
    return {"type": "union", "mode": "left_to_right", "choices": [_exact(literal), other]}


def _exact(literal: Schema) -> Schema:
    """Return the schema of the expected values and no equal ones, as 1 and true are in Python."""
    types: set[type] = {type(value) for value in literal["expected"]}
    if types not in ({int}, {bool}):
        return literal
    return {"type": "chain", "steps": [_INTEGER if types == {int} else _BOOL, literal]}


def _is_text(schema: Schema | tuple[Schema, str]) -> bool:
    if isinstance(schema, tuple) or schema["type"] not in ("literal", "str"):
        return False
    return all(isinstance(type_, str) for type_ in schema.get("expected", ()))
