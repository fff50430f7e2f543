"""Text: a `str`, encoded by the media type's charset (RFC 9110, 8.3.2)."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import Any

from ..free_json import read_json
from ..operation import Content
from ..responses import RawBody
from .medium import Converter, Medium

_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


class PlainText(Medium):
    """A `str`."""

    sent = received = parsed = returned = "str"
    sample = "text"
    has_schema = False
    has_charset = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is text."""
        return essence.startswith("text/")

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
        """Encode a text, in UTF-8 unless the document names another charset."""
        if not isinstance(value, str):
            raise ValueError("Input should be a string")
        declared = content.media_type
        is_named = _CHARSET.search(declared) is not None
        media_type = declared if is_named else f"{declared}; charset=utf-8"
        return media_type, value.encode(charset(declared))

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> str:
        """Decode a text; bytes that are invalid in its charset are replaced."""
        return data.decode(charset(media_type), "replace")

    def decode_json(
        self, content: Content, data: bytes, media_type: str, converter: Converter
    ) -> str:
        """Return a text that was written as JSON; that of any other value is JSON."""
        with suppress(ValueError):
            value = read_json(data)
            if isinstance(value, str):
                return value
        return self.decode(content, data, media_type, converter)

    def decode_raw(self, data: bytes) -> RawBody:
        """Decode a body that the document does not describe."""
        return data.decode("utf-8", "replace")


def charset(media_type: str) -> str:
    """Return the name of the charset; UTF-8 if it is missing or unknown to Python."""
    named = charset_parameter(media_type)
    try:
        # Not every codec of Python is one of texts.
        " ".encode(named or "utf-8")
        return codecs.lookup(named or "utf-8").name
    except (LookupError, ValueError):
        return "utf-8"


def charset_parameter(media_type: str) -> str | None:
    """Return the `charset` parameter; None if there is none."""
    match = _CHARSET.search(media_type)
    return match[1] if match else None
