"""The page that describes the x-contract keys, made from their schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from specwright.document.vocabulary import Keyword, Place, schema_for

_HEAD = """\
# The x-contract keys

What OpenAPI has no words for, a document says with these keys, and the tools act on it: the client
repeats what is idempotent, the server counts requests, a webhook is signed. A key that is not in
this list, or that stands where it does not belong, is an error of `specwright validate`; so is a
value that names something the document does not have.

Members with a `/` are inside the member before it; `*` stands for any name. A JSON pointer leads
into the value that is sent or received, not into the document.
"""
_PLACES = {
    Place.DOCUMENT: "the document",
    Place.OPERATION: "an operation",
    Place.WEBHOOK: "the operation of a webhook",
    Place.PARAMETER: "a parameter",
    Place.SCHEMA: "a schema",
    Place.PROPERTY: "the schema of a property",
}

_Schema = dict[str, Any]


def render(keywords: Iterable[Keyword]) -> str:
    """The whole page in Markdown."""
    listed = sorted(keywords, key=lambda each: (each.name, each.definition))
    parts = [_HEAD]
    for (name, _), group in groupby(listed, key=lambda each: (each.name, each.definition)):
        members = list(group)
        where = " or ".join(_PLACES[each.place] for each in members)
        parts.extend(_keyword(name, where, schema_for(members[0])))
    return "".join(parts)


def _keyword(name: str, where: str, schema: _Schema) -> Iterator[str]:
    definitions: _Schema = schema["$defs"]
    shape = _resolved(schema, definitions)
    yield f"\n## `{name}` at {where}\n\n{shape['description']}\n\n"
    rows = list(_rows("", shape, definitions))
    if not rows:
        yield f"The value is {_kind(shape, definitions)}.\n"
        return
    yield "| Member | Type | Meaning |\n|---|---|---|\n"
    yield from rows


def _rows(path: str, shape: _Schema, definitions: _Schema) -> Iterator[str]:
    members: dict[str, _Schema] = dict(shape.get("properties", {}))
    others = shape.get("additionalProperties")
    if isinstance(others, dict):
        members["*"] = others
    for name, member in members.items():
        resolved = _resolved(member, definitions)
        needed = name in shape.get("required", ()) or name == "*"
        kind = _kind(resolved, definitions) + ("" if needed else ", optional")
        place = f"{path}/{name}" if path else name
        yield f"| `{place}` | {kind} | {resolved['description']} |\n"
        yield from _rows(place, resolved, definitions)


def _resolved(schema: _Schema, definitions: _Schema) -> _Schema:
    if "$ref" not in schema:
        return schema
    target: _Schema = definitions[schema["$ref"].rpartition("/")[2]]
    return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}


def _kind(schema: _Schema, definitions: _Schema) -> str:
    if "oneOf" in schema:
        choices = (_resolved(each, definitions) for each in schema["oneOf"])
        return " or ".join(_kind(each, definitions) for each in choices)
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values:
        return " or ".join(f"`{json.dumps(value)}`" for value in values)
    if schema.get("format") == "json-pointer":
        return "JSON pointer"
    if schema["type"] == "array":
        return f"array of {_kind(_resolved(schema['items'], definitions), definitions)}"
    types = schema["type"]
    return types if isinstance(types, str) else " or ".join(types)
