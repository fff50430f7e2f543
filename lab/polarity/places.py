"""The schemas in the request and response bodies of a published document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specwright.document.model import Document
from specwright.document.operations.sites import (
    Direction,
    json_content,
    operations,
    request_body,
    success_content,
)

_DEEPEST = 4
# In these a schema does not decide alone about a value.
_JOINING = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "const", "enum"))


@dataclass(frozen=True)
class Place:
    """A schema within the body of an operation.

    Attributes:
        body: the schema of the whole body.
        way: names of properties, or `items`, from there to the schema.
        from_client: whether clients send it, and not the API.
    """

    operation: str
    body: Any
    way: tuple[tuple[str, str], ...]
    schema: Any
    resolved: dict[str, Any]
    from_client: bool


def places(document: Document) -> Iterator[Place]:
    """Yield the schemas of bodies, as far as properties and items contain them."""
    for operation in operations(document):
        if operation.direction is not Direction.PATH:
            continue
        asked = json_content(document, request_body(document, operation))
        answered = success_content(document, operation)
        for content, from_client in ((asked, True), (answered, False)):
            if content is not None and "schema" in content.value:
                body = content.value["schema"]
                for way, schema, resolved in _below(document, body, (), from_client):
                    yield Place(operation.name, body, way, schema, resolved, from_client)


def _below(
    document: Document, schema: Any, way: tuple[tuple[str, str], ...], from_client: bool
) -> Iterator[tuple[tuple[tuple[str, str], ...], Any, dict[str, Any]]]:
    resolved = document.follow(schema)
    hidden = "readOnly" if from_client else "writeOnly"
    if not isinstance(resolved, dict) or len(way) > _DEEPEST or resolved.get(hidden) is True:
        return
    yield way, schema, resolved
    if _JOINING & resolved.keys():
        return
    for name, child in (resolved.get("properties") or {}).items():
        yield from _below(document, child, (*way, ("properties", name)), from_client)
    if "items" in resolved and resolved.get("maxItems") != 0:
        yield from _below(document, resolved["items"], (*way, ("items", "")), from_client)


def replaced(document: Document, body: Any, way: tuple[tuple[str, str], ...], value: Any) -> Any:
    """Return the body with another schema at a place; all on the way to it is written there."""
    if not way:
        return value
    (keyword, name), *rest = way
    whole = dict(document.follow(body))
    if keyword == "items":
        whole["items"] = replaced(document, whole["items"], tuple(rest), value)
    else:
        child = replaced(document, whole["properties"][name], tuple(rest), value)
        whole["properties"] = {**whole["properties"], name: child}
    return whole
