"""Bodies that are not JSON: forms, files and text, as generated clients write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from specwright.conformance.recording.exchange import JsonValue
from specwright.document.model import Document
from specwright.document.operations.sites import Site, essence, is_range
from specwright.runtime.shared.files import File
from specwright.runtime.shared.media.medium import Chunks, Converter
from specwright.runtime.shared.media.table import medium_of
from specwright.runtime.shared.operation import Content

_CONVERTER = Converter(
    write=lambda value: json.dumps(value).encode(), read=json.loads, members=dict, make=dict
)
_BOUNDARY = re.compile("boundary=([0-9a-f]+)")
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


def written(media_type: str, value: JsonValue, files: frozenset[str]) -> tuple[str, bytes]:
    """Return the media type with its parameters and the bytes of a body, equal for equal values.

    Args:
        files: names of the members that are files.

    Raises:
        ValueError: the media type cannot represent the value.
    """
    medium, given = medium_of(media_type), _given(media_type, value, files)
    kind, payload = medium.encode(Content(media_type), given, _CONVERTER)
    data = b"".join(payload.read()) if isinstance(payload, Chunks) else payload
    boundary = _BOUNDARY.search(kind)
    if boundary is not None:
        # A random boundary would make equal requests differ.
        fixed = sha256(json.dumps(value).encode()).hexdigest()[: len(boundary[1])]
        kind = kind.replace(boundary[1], fixed)
        data = data.replace(boundary[1].encode(), fixed.encode())
    return kind, data


def _given(media_type: str, value: JsonValue, files: frozenset[str]) -> Any:
    match medium_of(media_type).name:
        case "multipart" if isinstance(value, dict):
            return {name: _file(each) if name in files else each for name, each in value.items()}
        case "binary":
            return File(str(value or "").encode(), content_type=essence(media_type))
        case "text":
            return value if isinstance(value, str) else json.dumps(value)
        case _:
            return value


def _file(value: JsonValue) -> Any:
    if isinstance(value, list):
        return [_file(each) for each in value]
    return File(str(value or "").encode(), "file.txt", "text/plain")


def _is_file(schema: Any) -> bool:
    return isinstance(schema, dict) and (
        schema.get("format") in _FILES or "contentMediaType" in schema
    )
