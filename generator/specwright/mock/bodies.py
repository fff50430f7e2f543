"""Serialization of bodies, with the encoders of the media types where they need no types."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from specwright.document.operations.sites import essence
from specwright.runtime.shared.media.medium import Converter
from specwright.runtime.shared.media.table import medium_of
from specwright.runtime.shared.operation import Content

# Separates the parts of a multipart body; no value contains it.
BOUNDARY = "3f1c2b7e8a544d5e"


def written(media_type: str, value: Any) -> bytes:
    """Return a value, or the items of a stream, as the bytes of a body.

    Args:
        value: for a media type without a schema, text or bytes to be written as they are.
    """
    medium = medium_of(media_type)
    writer = _WRITERS.get(medium.name)
    if writer is not None:
        return writer(value)
    _, payload = medium.encode(Content(essence(media_type)), value, _PLAIN_JSON)
    return payload if isinstance(payload, bytes) else b"".join(payload.read())


def declared(media_type: str) -> str:
    """Return the Content-Type of a response, with a concrete media type for a range."""
    plain = essence(media_type)
    if plain.startswith("multipart/"):
        return f"{plain}; boundary={BOUNDARY}"
    top, _, sub = plain.partition("/")
    return _OF_RANGES.get(top, "application/octet-stream") if sub == "*" else media_type


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _form(value: Any) -> bytes:
    return urlencode({name: _form_text(each) for name, each in value.items()}, doseq=True).encode()


def _form_text(value: Any) -> Any:
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return [_form_text(item) for item in value]
    return value if isinstance(value, str) else json.dumps(value)


def _multipart(value: Any) -> bytes:
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
    parts = [f'{head}"{name}"\r\n\r\n{_form_text(each)}\r\n' for name, each in value.items()]
    return "".join([*parts, f"--{BOUNDARY}--\r\n"]).encode()


def _plain(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


_OF_RANGES = {"*": "application/json", "application": "application/json", "text": "text/plain"}
_PLAIN_JSON = Converter(_json, json.loads, dict, dict)
# A medium whose encoder needs the types of a generated package, or chooses a boundary, has a
# writer here; the others write with their encoders.
_WRITERS: dict[str, Callable[[Any], bytes]] = {
    "form": _form,
    "multipart": _multipart,
    "text": _plain,
    "binary": _plain,
}
