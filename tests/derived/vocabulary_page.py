"""The page that describes the x-contract keys, made from their schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.shape import Schema

_HEAD = """\
# The x-contract keys

What OpenAPI has no words for, a document says with these keys, and the tools act on it: the client
repeats what is idempotent, the server counts requests, a webhook is signed. A key that is not in
this list, or that stands where it does not belong, is an error of `specwright validate`; so is a
value that names something the document does not have.

Members with a `/` are inside the member before it; `*` means any name. A JSON pointer leads
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


def render(keywords: Iterable[Keyword[Any]]) -> str:
    """The whole page in Markdown."""
    titled = {
        f"`{keyword.name}` at {' or '.join(_PLACES[place] for place in keyword.places)}": keyword
        for keyword in keywords
    }
    return _HEAD + "".join(
        part for title, each in sorted(titled.items()) for part in _keyword(title, each)
    )


def _keyword(title: str, keyword: Keyword[Any]) -> Iterator[str]:
    schema = keyword.schema()
    example = json.dumps({keyword.name: keyword.example}, indent=2)
    yield f"\n## {title}\n\n{schema['description']}\n\n```json\n{example}\n```\n\n"
    *readers, last = keyword.readers
    yield f"Read by {', '.join(readers)} and {last}.\n\n"
    members = dict(_members("", schema))
    if not members:
        yield f"The value is {_kind(schema)}.\n"
        return
    yield "| Member | Type | Meaning |\n|---|---|---|\n"
    for place, (kind, member) in members.items():
        yield f"| `{place}` | {kind} | {member['description']} |\n"
    for place, (_, member) in members.items():
        if "x-meanings" in member:
            yield f"\n| Value of `{place}` | Meaning |\n|---|---|\n"
            for word, meaning in member["x-meanings"].items():
                yield f'| `"{word}"` | {meaning} |\n'


def _members(path: str, schema: Schema) -> Iterator[tuple[str, tuple[str, Schema]]]:
    members: dict[str, Schema] = dict(schema.get("properties", {}))
    if schema.get("additionalProperties"):
        members["*"] = schema["additionalProperties"]
    for name, member in members.items():
        needed = name in schema.get("required", ()) or name == "*"
        place = f"{path}/{name}" if path else name
        yield place, (_kind(member) + ("" if needed else ", optional"), member)
        yield from _members(place, member)


def _kind(schema: Schema) -> str:
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "x-meanings" in schema:
        return "one of the words below"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"array of {_kind(schema['items'])}"
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return " or ".join(types).replace("string", "JSON pointer" if "format" in schema else "string")
