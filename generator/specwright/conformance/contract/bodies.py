"""Bodies that are not JSON: their media types, and the members that are files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specwright.document.model import Document
from specwright.document.operations.sites import Site, is_range

_FILES = frozenset({"binary", "base64"})


def sent_as(media_type: str) -> str:
    """Return the media type of a body, with a concrete one for a range."""
    return "text/plain" if is_range(media_type) else media_type


def files(document: Document, content: Site) -> Iterator[str]:
    """Yield the properties of a form that are files (OpenAPI 3.1.1, 4.8.14.5; 3.0.4, 4.7.14.2)."""
    schema = document.follow(content.value.get("schema"))
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, declared in (properties or {}).items():
        found = document.follow(declared)
        items = document.follow(found.get("items")) if isinstance(found, dict) else None
        if any(_is_file(each) for each in (found, items)):
            yield name


def _is_file(schema: Any) -> bool:
    return isinstance(schema, dict) and (
        schema.get("format") in _FILES or "contentMediaType" in schema
    )
