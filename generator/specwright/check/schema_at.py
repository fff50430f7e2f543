"""Which part of a schema describes the value at a pointer of its instances."""

from __future__ import annotations

from typing import Any

from specwright.check.subject import Subject, mapping, sequence
from specwright.pointer import Pointer, split

MAX_STEPS = 2_000


def describes(subject: Subject, schema: Any, pointer: Pointer) -> bool:
    """Whether instances of the schema can have a described value at the pointer."""
    return bool(find(subject, schema, pointer))


def find(subject: Subject, schema: Any, pointer: Pointer) -> list[dict[str, Any]]:
    """The schemas of the value at the pointer, through references and all alternatives."""
    found = _spread(subject, [schema])
    for token in split(pointer):
        found = _spread(subject, [below for each in found for below in _below(each, token)])
    return found


def _spread(subject: Subject, schemas: list[Any]) -> list[dict[str, Any]]:
    """The schemas with all that they are made of; each object once, so that circles end."""
    spread: dict[int, dict[str, Any]] = {}
    queue = list(schemas)
    while queue and len(spread) < MAX_STEPS:
        schema = mapping(queue.pop())
        if id(schema) in spread or not schema:
            continue
        spread[id(schema)] = schema
        if "$ref" in schema:
            queue.append(subject.follow(schema))
        for keyword in ("allOf", "anyOf", "oneOf"):
            queue.extend(sequence(schema.get(keyword)))
    return list(spread.values())


def _below(schema: dict[str, Any], token: str) -> list[Any]:
    named = mapping(schema.get("properties")).get(token)
    if named is not None:
        return [{"description": ""} if named is True else named]
    if token.isdecimal():
        prefix = sequence(schema.get("prefixItems"))
        if int(token) < len(prefix):
            return [prefix[int(token)]]
        if isinstance(schema.get("items"), dict):
            return [schema["items"]]
    if isinstance(schema.get("additionalProperties"), dict):
        return [schema["additionalProperties"]]
    return []


def items(subject: Subject, schemas: list[dict[str, Any]]) -> list[Any]:
    """The schemas of the items, where the schemas describe arrays."""
    return [
        each["items"]
        for schema in schemas
        for each in _spread(subject, [schema])
        if isinstance(each.get("items"), dict)
    ]
