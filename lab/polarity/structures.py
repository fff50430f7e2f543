"""Edits to the structure of a schema, and their effects on its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.compare.edits import EDITS, Effect

Schema = dict[str, Any]
# Takes a schema, and the target of its reference; gives both sides of a change, or None where the
# edit would mean nothing.
Structure = Callable[[Any, Schema], tuple[Any, Any] | None]

NAME = "brand_new"
NULL = {"type": "null"}
# Objects that no schema of a published document accepts which requires anything else.
OTHER = {"type": "object", "required": [NAME], "properties": {NAME: {"const": "other"}}}
THIRD = {"type": "object", "required": [NAME], "properties": {NAME: {"const": "third"}}}
LISTS = {"type": "array", "items": {"type": "object", "required": [NAME]}}


def _is_apart(resolved: Schema) -> bool:
    """Whether a schema accepts none of the objects above, nor null or lists."""
    kind = resolved.get("type")
    if not isinstance(kind, str) or kind in ("array", "null"):
        return False
    return kind != "object" or bool(set(resolved.get("required") or ()) - {NAME})


def _apart(edit: Callable[[Any], tuple[Any, Any]]) -> Structure:
    return lambda schema, resolved: edit(schema) if _is_apart(resolved) else None


def _one(*schemas: Any) -> Schema:
    return {"oneOf": list(schemas)}


def _any(*schemas: Any) -> Schema:
    return {"anyOf": list(schemas)}


def _said(schema: Any) -> Any:
    return {**schema, "description": "Other words."}


def _required(resolved: Schema) -> str | None:
    """A property that is required and declared by the schema itself."""
    properties = resolved.get("properties") or {}
    is_plain = (
        resolved.get("type") == "object"
        and not {
            "additionalProperties",
            "patternProperties",
            "allOf",
            "anyOf",
            "oneOf",
            "$ref",
        }
        & resolved.keys()
    )
    named = [name for name in resolved.get("required") or () if name in properties]
    found = next((name for name in named if "type" in properties[name]), None)
    return found if is_plain else None


def _without_schema(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
    name = _required(resolved)
    if name is None:
        return None
    others = {key: each for key, each in resolved["properties"].items() if key != name}
    return resolved, {**resolved, "properties": others}


def _marked(mark: str, *, before: bool) -> Structure:
    def edit(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
        name = _required(resolved)
        if name is None or {"readOnly", "writeOnly"} & resolved["properties"][name].keys():
            return None
        child = {**resolved["properties"][name], mark: True}
        marked = {**resolved, "properties": {**resolved["properties"], name: child}}
        return (marked, resolved) if before else (resolved, marked)

    return edit


def _conditional(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
    if _required(resolved) is None or "if" in resolved:
        return None
    condition = {"if": {"required": [_required(resolved)]}, "then": {"required": [NAME]}}
    return resolved, {**resolved, **condition}


def _dependent(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
    if _required(resolved) is None or "dependentRequired" in resolved:
        return None
    return resolved, {**resolved, "dependentRequired": {_required(resolved): [NAME]}}


def _apart_in_all_of(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
    if _required(resolved) is None:
        return None
    parts = [{"properties": resolved["properties"]}, {"required": resolved["required"]}]
    others = {k: v for k, v in resolved.items() if k not in ("properties", "required")}
    return resolved, {**others, "allOf": parts}


def _inlined(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
    return (schema, resolved) if schema.keys() == {"$ref"} else None


def _listed(schema: Any, resolved: Schema) -> tuple[Any, Any] | None:
    return (schema, {"type": "array", "items": schema}) if _is_apart(resolved) else None


CONSTS = [{"const": "a"}, {"const": "b"}, {"const": "c"}]
STRUCTURES: Mapping[str, tuple[Effect, Structure]] = {
    "one type becomes a union": (Effect.WIDENS, _apart(lambda s: (s, _one(s, OTHER)))),
    "one type becomes one of several": (
        Effect.WIDENS,
        _apart(lambda s: (s, _any(THIRD, OTHER, s))),
    ),
    "a union becomes one type": (Effect.NARROWS, _apart(lambda s: (_one(s, OTHER), s))),
    "a union becomes its last type": (Effect.NARROWS, _apart(lambda s: (_any(OTHER, s), s))),
    "an alternative less": (
        Effect.NARROWS,
        _apart(lambda s: (_one(s, OTHER, LISTS), _one(LISTS, s))),
    ),
    "an alternative more": (
        Effect.WIDENS,
        _apart(lambda s: (_any(OTHER, s), _any(s, LISTS, OTHER))),
    ),
    "another alternative": (
        Effect.REPLACES,
        _apart(lambda s: (_one(s, OTHER), _one(s, LISTS))),
    ),
    "null beside": (Effect.WIDENS, _apart(lambda s: (s, _one(NULL, s)))),
    "null beside several": (
        Effect.WIDENS,
        _apart(lambda s: (_any(s, OTHER), _any(s, OTHER, NULL))),
    ),
    "null no more": (Effect.NARROWS, _apart(lambda s: (_any(s, NULL), s))),
    "a list of them": (Effect.REPLACES, _listed),
    "values as alternatives, one more": (
        Effect.WIDENS,
        lambda s, r: (_one(*CONSTS[:2]), _one(*CONSTS[::-1])),
    ),
    "values as alternatives, one less": (
        Effect.NARROWS,
        lambda s, r: (_one(*CONSTS), _one(*CONSTS[:0:-1])),
    ),
    "true becomes 1": (Effect.REPLACES, lambda s, r: ({"enum": [True, "a"]}, {"enum": [1, "a"]})),
    "a required property without a schema": (Effect.WIDENS, _without_schema),
    "a condition": (Effect.NARROWS, _conditional),
    "a dependency": (Effect.NARROWS, _dependent),
    "null with words": (Effect.NEITHER, _apart(lambda s: (_one(NULL, s), _one(_said(NULL), s)))),
    "alternatives described and reversed": (
        Effect.NEITHER,
        _apart(lambda s: (_one(s, OTHER, THIRD), _one(_said(THIRD), _said(OTHER), s))),
    ),
    "anyOf for oneOf": (Effect.NEITHER, _apart(lambda s: (_one(s, OTHER), _any(s, OTHER)))),
    "a union in a union": (
        Effect.NEITHER,
        _apart(lambda s: (_any(s, OTHER, LISTS), _any(_any(s, OTHER), LISTS))),
    ),
    "one alternative": (Effect.NEITHER, _apart(lambda s: (s, _any(s)))),
    "a constant for one value": (
        Effect.NEITHER,
        lambda s, r: ({"enum": ["a"]}, {"const": "a"}),
    ),
    "values as alternatives": (
        Effect.NEITHER,
        lambda s, r: ({"enum": ["a", "b"]}, _one(*CONSTS[1::-1])),
    ),
    "types as alternatives": (
        Effect.NEITHER,
        lambda s, r: (
            {"type": ["string", "integer"]},
            _any({"type": "integer"}, {"type": "string"}),
        ),
    ),
    "taken apart": (Effect.NEITHER, _apart_in_all_of),
    "inlined": (Effect.NEITHER, _inlined),
}
# Of these it matters who sends: (breaks clients that send, breaks clients that receive).
MARKS: Mapping[str, tuple[tuple[bool, bool], Structure]] = {
    "no longer read-only": ((True, False), _marked("readOnly", before=True)),
    "read-only": ((False, False), _marked("readOnly", before=False)),
    "write-only": ((False, True), _marked("writeOnly", before=False)),
    "no longer write-only": ((False, False), _marked("writeOnly", before=True)),
}


def changes(schema: Any, resolved: Schema) -> list[tuple[str, tuple[bool, bool], Any, Any]]:
    """Return all changes of a schema: the name, the clients broken (as above), and both sides."""
    found: list[tuple[str, tuple[bool, bool], Any, Any]] = []
    for name, (effect, structure) in STRUCTURES.items():
        if pair := structure(schema, resolved):
            found.append((name, _BROKEN[effect], *pair))
    for name, (broken, structure) in MARKS.items():
        if pair := structure(schema, resolved):
            found.append((name, broken, *pair))
    for name, (effect, edit) in EDITS.items():
        if name == "unique items" and resolved.get("maxItems", 2) < 2:
            continue
        if not (_JOINING & resolved.keys()) and (after := edit(resolved)):
            found.append((name, _BROKEN[effect], resolved, after))
    return found


# Beside these, an edit of one keyword may change nothing.
_JOINING = frozenset(
    ("allOf", "anyOf", "oneOf", "not", "if", "const", "$ref", "readOnly", "writeOnly")
)
_BROKEN = {
    Effect.NARROWS: (True, False),
    Effect.WIDENS: (False, True),
    Effect.REPLACES: (True, True),
    Effect.NEITHER: (False, False),
}
