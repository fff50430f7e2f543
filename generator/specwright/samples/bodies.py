"""Samples as bodies, in the encodings of generated clients."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import cast

from specwright.document.operations.sites import essence
from specwright.json_values import JsonValue
from specwright.runtime.shared.files import File
from specwright.runtime.shared.media.event_stream import ServerSentEvent
from specwright.runtime.shared.media.medium import Chunks, Converter
from specwright.runtime.shared.media.table import medium_of, stream_medium_of
from specwright.runtime.shared.operation import Content
from specwright.runtime.shared.xml.nodes import XmlRoot
from specwright.samples.xml import as_xml

_BOUNDARY = re.compile("boundary=([0-9a-f]+)")


def _members(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError("only the members of an object are parts of a form")
    return value


_CONVERTER: Converter = Converter(
    write=lambda value: json.dumps(value).encode(),
    read=json.loads,
    members=_members,
    make=dict,
    named=lambda _: _CONVERTER,
)


def encode(
    media_type: str,
    value: object,
    files: frozenset[str] = frozenset(),
    xml: XmlRoot | None = None,
) -> tuple[str, bytes]:
    """Return the media type with its parameters and the bytes of a body, equal for equal values.

    Args:
        value: a JSON value, the items of a stream, or the sample of a medium without a schema.
        files: names of the members that are files.
        xml: the root element, if the body is XML.

    Raises:
        ValueError: the media type cannot represent the value.
    """
    if xml is not None:
        return media_type, as_xml(xml, cast("JsonValue", value)).encode()
    content = Content(media_type)
    declared, payload = medium_of(media_type).encode(
        content, _native(media_type, value, files), _CONVERTER
    )
    data = b"".join(payload.read()) if isinstance(payload, Chunks) else payload
    boundary = _BOUNDARY.search(declared)
    if boundary is not None:
        # A random boundary would make equal requests differ.
        fixed = sha256(json.dumps(value).encode()).hexdigest()[: len(boundary[1])]
        declared = declared.replace(boundary[1], fixed)
        data = data.replace(boundary[1].encode(), fixed.encode())
    return declared, data


def items(
    media_type: str, data: bytes, *, are_events: bool
) -> Iterator[JsonValue | ServerSentEvent]:
    """Yield the complete items of a stream: JSON values, or events with data that is a text.

    Args:
        are_events: whether the schema of an item describes a whole event.

    Raises:
        ValueError: an item is not JSON.
    """
    medium = stream_medium_of(media_type)
    content = Content(media_type, model=None if are_events else "")
    return iter(()) if medium is None else medium.reader(content, _CONVERTER).feed(data)


def _native(media_type: str, value: object, files: frozenset[str]) -> object:
    """Return a value as users pass it to a client."""
    medium = medium_of(media_type)
    if medium.is_binary:
        data = value if isinstance(value, bytes) else _data(value)
        return File(data, content_type=essence(media_type))
    if medium.has_files and isinstance(value, dict):
        return {name: _file(each) if name in files else each for name, each in value.items()}
    if medium.has_schema or isinstance(value, type(medium.sample)):
        return value
    return json.dumps(value) if isinstance(medium.sample, str) else medium.sample


def _file(value: object) -> object:
    if isinstance(value, list):
        return [_file(item) for item in value]
    data = _data(value)
    try:
        data.decode()
    except UnicodeDecodeError:
        return File(data, "file.bin", "application/octet-stream")
    return File(data, "file.txt", "text/plain")


def _data(value: object) -> bytes:
    """Return the bytes of a file; a text may have any, as `surrogateescape` decodes them."""
    return str(value or "").encode("utf-8", "surrogateescape")
