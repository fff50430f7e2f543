"""A query string that is one value as a whole (OpenAPI 3.2.0, 4.12.1)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote_to_bytes

from pydantic import JsonValue

from .free_json import read_json, write_json
from .media.form import Form
from .media.json_value import Json
from .media.medium import Converter, Medium
from .media.table import medium_of
from .media.text import PlainText
from .operation import Content


def _unchanged(value: Any) -> Any:
    return value


_JSON: Converter = Converter(
    write=write_json,
    read=read_json,
    members=_unchanged,
    make=_unchanged,
    named=lambda _: _JSON,
)
_TEXT = PlainText()


def parts(content: Content, value: JsonValue) -> list[str]:
    """Return the parts of a query string, between its ampersands.

    Raises:
        ValueError: the media type cannot represent the value.
    """
    medium = _medium(content)
    _, data = medium.encode(content, value, _JSON)
    assert isinstance(data, bytes)
    # A form is percent-encoded already.
    written = data.decode() if isinstance(medium, Form) else quote(data, safe="")
    return written.split("&") if written else []


def read(content: Content, query: str) -> JsonValue:
    """Return the value of a query string.

    Raises:
        ValueError: the query string does not match the media type.
    """
    medium = _medium(content)
    data = query.encode("latin-1")
    data = data if isinstance(medium, Form) else unquote_to_bytes(data)
    value: JsonValue = medium.decode(content, data, content.media_type, _JSON)
    return value


def _medium(content: Content) -> Medium:
    """Return the medium of a query string; in other media types, its value is a text."""
    medium = medium_of(content.media_type)
    return medium if isinstance(medium, Form | Json) else _TEXT
