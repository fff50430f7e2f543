"""Members that only responses have (`readOnly`: OpenAPI 3.1.1, 4.8.24)."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema, applying
from specwright.document.shape import walk
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer, resolve


def in_place(document: Document, schema: Pointer) -> Iterator[tuple[Pointer, JsonObject]]:
    """Yield the schema at a pointer and those that apply with it, each with its pointer."""
    start = Subschema(schema, resolve(document.data, schema))
    for subschema in applying(document, [start]):
        if isinstance(subschema.value, dict):
            yield subschema.pointer, subschema.value


def is_read_only(document: Document, schema: Pointer) -> bool:
    """Return whether a server may ignore or refuse a member in a request."""
    return any(each.get("readOnly") is True for _, each in in_place(document, schema))


def for_requests(document: Document) -> Document:
    """Return the document in which read-only members are not required."""
    copied = document.with_data(deepcopy(document.data))
    for node in walk(copied.data):
        required, properties = node.value.get("required"), node.value.get("properties")
        if node.kind == "schema" and isinstance(required, list) and isinstance(properties, dict):
            node.value["required"] = [
                name for name in required if not _is_marked(copied, properties.get(str(name)))
            ]
    return copied


def _is_marked(document: Document, described: JsonValue) -> bool:
    return any(
        isinstance(schema, dict) and schema.get("readOnly") is True
        for schema in (described, document.follow(described))
    )
