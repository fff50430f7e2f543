"""Texts of XML as JSON values that are neither objects nor arrays, and back.

The texts are those of JSON. When reading, those of XML Schema (1.1, datatypes, 3.3) count as well:
`1` and `0` as booleans, and numbers with a sign, leading zeros or space around them.
"""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

from .nodes import JsonType, XmlShape

_SPACE = " \t\r\n"
_INTEGER = re.compile(r"[+-]?[0-9]{1,640}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,640}\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
SCALARS: frozenset[JsonType] = frozenset({"boolean", "integer", "number", "string"})


def scalar(shape: XmlShape, text: str) -> JsonValue:
    """Return the value of a text; the text itself if it is none of the types."""
    types = shape.types
    if not types or types == ("string",):
        return text
    plain = text.strip(_SPACE)
    is_text = "string" in types
    if not plain and "null" in types and not is_text:
        return None
    value: JsonValue = text
    if "integer" in types and _INTEGER.fullmatch(plain):
        value = int(plain)
    elif "boolean" in types and plain in _BOOLEANS:
        value = _BOOLEANS[plain]
    elif "number" in types and _NUMBER.fullmatch(plain):
        number = float(plain)
        value = text if number - number else int(plain) if _INTEGER.fullmatch(plain) else number
    # Where a text is allowed, too, only what JSON would write is something else.
    return text if is_text and written(value) != text else value


def written(value: JsonValue) -> str:
    """Return the text of a value that is neither an object nor an array; null has none."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def fits(shape: XmlShape, text: str) -> bool:
    """Return whether a text is that of a scalar of this shape."""
    if shape.values:
        return text in shape.values
    if not shape.types:
        return True
    return "string" in shape.types or not isinstance(scalar(shape, text), str)
