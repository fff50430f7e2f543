"""XML (RFC 7303), and the media types with an XML suffix."""

from __future__ import annotations

import json
from typing import Any

from ..operation import Content
from ..responses import RawBody
from .medium import Converter, Medium
from .text import PlainText, charset, charset_parameter

_TEXT = PlainText()


class Xml(Medium):
    """A value of a schema; without a description of its nodes, the text of a document."""

    untyped = "str"
    is_object = True
    has_charset = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is XML."""
        return essence.endswith(("+xml", "/xml"))

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
        """Encode a value, in UTF-8 unless the document names another charset."""
        plain = json.loads(converter.write(value))
        if content.xml is None:
            return _TEXT.encode(content, plain, converter)
        # Imported late, as below: most documents have no XML.
        from ..xml.writing import write

        encoding = charset(content.media_type)
        named = charset_parameter(content.media_type) or ""
        label = "UTF-8" if encoding == "utf-8" else named
        try:
            body = f'<?xml version="1.0" encoding="{label}"?>\n{write(content.xml, plain)}'
        except RecursionError:
            raise ValueError("too many nested values") from None
        return content.media_type, body.encode(encoding, "xmlcharrefreplace")

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        """Decode a value."""
        return converter.read(self.to_json(content, data, media_type))

    def to_json(self, content: Content, data: bytes, media_type: str) -> bytes:
        """Return the JSON of a value."""
        if content.xml is None:
            return json.dumps(data.decode(charset(media_type), "replace")).encode()
        from ..xml.reading import read

        try:
            return json.dumps(read(content.xml, data, charset_parameter(media_type))).encode()
        except RecursionError:
            raise ValueError("too many nested elements") from None

    def decode_raw(self, data: bytes) -> RawBody:
        """Return the text of a body that the document does not describe."""
        return data.decode("utf-8", "replace")
