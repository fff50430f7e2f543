"""How much of a value is checked: its shape when it is read, everything when it is sent.

A service may raise a limit, add a value to a set or a field to an object, and a package that is
out there has to read its answers. So models know the types of their fields and which must be
there, and nothing else. The rest of a schema waits in its metadata for `checked`.

The schemas are those of pydantic-core: dictionaries told apart by `type`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

Schema: TypeAlias = dict[str, Any]

# Keys of the metadata: a schema that takes the place of this one, members that this one has too.
INSTEAD = "checked_instead"
LIMITS = "checked_limits"
# A function that checked values go through.
TEST = "checked_test"
# A null that only stands for what was left out; a union, and whether only its first choice is
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
# Where a schema keeps one other, and where it keeps several.
_ONE = frozenset(
    {"items_schema", "json_schema", "keys_schema", "python_schema", "schema", "values_schema"}
)
_SEVERAL = frozenset({"choices", "definitions", "items_schema", "steps"})
_BOOL, _INT, _FLOAT, _STR = ({"type": t, "strict": True} for t in ("bool", "int", "float", "str"))
_BY_TYPE: Mapping[type, Schema] = {bool: _BOOL, int: _INT, str: _STR}
# JSON Schema calls 5.0 an integer (2020-12, 6.1.1), and Pydantic does not.
_INTEGER: Schema = {
    "type": "union",
    "mode": "left_to_right",
    "choices": [_INT, {"type": "chain", "steps": [_FLOAT, {"type": "int"}]}],
    "custom_error_type": "int_type",
}


def shaped(schema: Schema) -> Schema:
    """Return the schema without all that is not shape, which its metadata keeps.

    Schemas of models are returned as they are: each model has done it for itself.
    """
    return _referable(_shaped(schema), schema)


def _shaped(schema: Schema) -> Schema:
    kind = schema["type"]
    if kind in ("model", "definition-ref") or {INSTEAD, KNOWN} & _metadata(schema).keys():
        return schema
    if kind == "literal":
        return noted(_any_of(schema["expected"]), INSTEAD, schema)
    if kind == "int" and schema.get("strict"):
        return noted(_INTEGER, INSTEAD, schema)
    limits = {key: schema[key] for key in _LIMITS.get(kind, ()) if key in schema}
    rest = {key: value for key, value in schema.items() if key not in limits}
    if kind == "union" and all(_is_text(each) for each in schema["choices"]):
        return noted(_STR, INSTEAD, schema)
    result = _mapped(rest, shaped)
    return noted(result, LIMITS, limits) if limits else result


def checked(schema: Schema) -> Schema:
    """Return the schema with all that `shaped` took from it, for JSON that is to be sent."""
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
    return _tested({**_mapped(schema, checked), **limits})


def _tested(schema: Schema) -> Schema:
    test = _metadata(schema).get(TEST)
    if test is None:
        return schema
    # A reference leads to the test, too.
    inner = {key: value for key, value in schema.items() if key != "ref"}
    function = {"type": "no-info", "function": test}
    return {"type": "function-after", "function": function, "schema": inner}


def _referable(schema: Schema, replaced: Schema) -> Schema:
    """Return the schema under the name by which others refer to the one that it replaces."""
    return {**schema, "ref": replaced["ref"]} if "ref" in replaced else schema


def noted(schema: Schema, key: str, value: object) -> Schema:
    """Return the schema with an entry in its metadata."""
    return {**schema, "metadata": {**_metadata(schema), key: value}}


def _metadata(schema: Schema) -> Schema:
    return cast("Schema", schema.get("metadata") or {})


def _mapped(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Change the schemas right below this one, wherever a schema of its type keeps them."""
    return {key: _part(key, value, change) for key, value in schema.items()}


def _part(key: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    if key == "fields":
        fields = cast("dict[str, Schema]", value)
        return {name: {**each, "schema": change(each["schema"])} for name, each in fields.items()}
    if key == "choices" and isinstance(value, dict):
        return {tag: change(each) for tag, each in cast("dict[str, Schema]", value).items()}
    if key in _SEVERAL and isinstance(value, list):
        # A choice may come with a name for messages.
        return [
            (change(each[0]), *each[1:]) if isinstance(each, tuple) else change(each)
            for each in cast("list[Schema | tuple[Schema, str]]", value)
        ]
    return change(value) if key in _ONE else value


def _any_of(expected: list[Any]) -> Schema:
    """Return the schema of values of the types of these.

    Any of them is a better match than all others where a union has to choose: `any` says so.
    """
    types: set[type] = {type(each) for each in expected}
    if len(types) != 1 or not types <= _BY_TYPE.keys():
        return {"type": "any"}
    literal = {"type": "literal", "expected": expected}
    other = {"type": "chain", "steps": [{"type": "any"}, _BY_TYPE[types.pop()]]}
    return {"type": "union", "mode": "left_to_right", "choices": [literal, other]}


def _is_text(schema: Schema | tuple[Schema, str]) -> bool:
    if isinstance(schema, tuple) or schema["type"] not in ("literal", "str"):
        return False
    return all(isinstance(each, str) for each in schema.get("expected", ()))
