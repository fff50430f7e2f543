"""Rows of CSV (RFC 4180), as a contributor adds their medium."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from ..operation import Content
from .medium import Converter, Medium


class CsvRows(Medium):
    """A list of objects with members that are texts."""

    def matches(self, essence: str) -> bool:
        return essence == "text/csv"

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
        rows = json.loads(converter.write(value))
        text = io.StringIO()
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(text, names)
        writer.writeheader()
        writer.writerows(rows)
        return content.media_type, text.getvalue().encode()

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        rows = list(csv.DictReader(io.StringIO(data.decode())))
        return converter.read(json.dumps(rows).encode())
