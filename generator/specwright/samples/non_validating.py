"""Enforcement of keywords that JSON Schema leaves optional: more formats, and encoded content."""

from __future__ import annotations

import binascii
import json
import quopri
import re
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress

import jsonschema_rs

from specwright.document.schemas.discriminator_object import tag_property
from specwright.document.schemas.number_formats import RANGES
from specwright.json_values import JsonObject, JsonValue, mapping

# Formats that JSON Schema (2020-12, validation, 7.3) or the OpenAPI format registry defines, so
# that a receiver may enforce them.
KNOWN_FORMATS = frozenset(
    (
        *("date", "date-time", "time", "duration", "email", "idn-email", "hostname"),
        *("idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid"),
        *("uri-template", "json-pointer", "relative-json-pointer", "regex", "byte", "binary"),
        *("base64url", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float", "double", "decimal", "decimal128", "unixtime"),
    )
)
_QUOTED = re.compile(rb"(?:[^=]|=[0-9A-Fa-f]{2}|=\r?\n)*")
_URL_SAFE = re.compile("[A-Za-z0-9_-]*={0,2}")
# RFC 3339, A, has no signs, no fractions and no gaps between units; the serializers of common
# languages write them, such as Pydantic `P2Y70D` and java.time `PT0.5S` (0227).
_DURATION = re.compile(
    r"-?P(?=[-\dT])(-?\d+W|(-?\d+Y)?(-?\d+M)?(-?\d+D)?"
    r"(T(?=[-\d])(-?\d+H)?(-?\d+M)?(-?\d+(\.\d+)?S)?)?)"
)
_JSON = "application/json"
Schema = Mapping[str, JsonValue]


def type_of_keyword(keyword: str, value: object) -> str:
    """Return the type of the values that a keyword of this module applies to."""
    is_of_numbers = keyword == "format" and isinstance(value, str) and value in RANGES
    return "number" if is_of_numbers else "string"


def written(schema: Schema, value: object) -> str | None:
    """Return the text that encodes a value as its content; None for an unsupported encoding."""
    text = value if isinstance(value, str) else json.dumps(value)
    if schema.get("contentMediaType") == _JSON:
        text = json.dumps(value)
    write = _WRITERS.get(_encoding(schema))
    return write(text.encode()).decode() if write else None


def _encoding(schema: Schema) -> str:
    """Return the encoding of the content of a text; empty if none is declared."""
    return str(schema.get("contentEncoding", ""))


def _base64(text: str) -> bytes:
    return b64decode(text, validate=True)


def _base64url(text: str) -> bytes:
    """Read base64 of the alphabet for URLs, with padding or without (RFC 4648, 5 and 3.2)."""
    if not _URL_SAFE.fullmatch(text):
        raise binascii.Error("a character that is not in the alphabet for URLs")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _quoted(text: str) -> bytes:
    if not _QUOTED.fullmatch(text.encode()):
        raise binascii.Error("an equals sign without two digits")
    return quopri.decodestring(text)


_READERS: Mapping[str, Callable[[str], bytes]] = {
    "": str.encode,
    "base64": _base64,
    "base64url": _base64url,
    "quoted-printable": _quoted,
}
_WRITERS: Mapping[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "base64": b64encode,
    "base64url": urlsafe_b64encode,
    "quoted-printable": quopri.encodestring,
}


class _Note(ABC):
    """A keyword of one schema; it raises `ValueError` for a value that it forbids."""

    def __init__(
        self, parent_schema: JsonObject, value: JsonValue, schema_path: list[str | int]
    ) -> None:
        self.schema = parent_schema
        self.value = value

    @abstractmethod
    def validate(self, instance: object) -> None: ...


class _Format(_Note):
    def __init__(
        self, parent_schema: JsonObject, value: JsonValue, schema_path: list[str | int]
    ) -> None:
        super().__init__(parent_schema, value, schema_path)
        self.known = jsonschema_rs.Draft202012Validator(
            {"format": value}, formats=dict(FORMATS), validate_formats=True
        )

    def validate(self, instance: object) -> None:
        if isinstance(instance, str):
            self.known.validate(instance)
        elif isinstance(instance, int | float) and self.value in RANGES:
            least, most = RANGES[str(self.value)]
            if not least <= instance <= most:
                raise ValueError(self.value)


class _Encoding(_Note):
    def validate(self, instance: object) -> None:
        if isinstance(instance, str):
            _content(self.schema, instance)


class _MediaType(_Note):
    def validate(self, instance: object) -> None:
        if isinstance(instance, str) and self.value == _JSON:
            _json(self.schema, instance)


class _Content(_Note):
    def __init__(
        self, parent_schema: JsonObject, value: JsonValue, schema_path: list[str | int]
    ) -> None:
        super().__init__(parent_schema, value, schema_path)
        # References cannot be resolved here, so schemas with references are not enforced.
        with suppress(ValueError, jsonschema_rs.ReferencingError):
            schema = value if isinstance(value, bool) else mapping(value)
            self.known = jsonschema_rs.Draft202012Validator(schema, offline=True)

    def validate(self, instance: object) -> None:
        is_json = self.schema.get("contentMediaType") == _JSON
        if isinstance(instance, str) and is_json and hasattr(self, "known"):
            try:
                self.known.validate(_json(self.schema, instance))
            except jsonschema_rs.ValidationError as error:
                raise ValueError(f"its content does not fit: {error.message}") from None


class Tagged(_Note):
    """A discriminator, which only requires its property: nothing more of it is defined."""

    def validate(self, instance: object) -> None:
        name = tag_property(self.schema)
        if isinstance(instance, dict) and name not in instance:
            raise ValueError(name)


def _content(schema: Schema, text: str) -> bytes:
    encoding = _encoding(schema)
    try:
        return _READERS.get(encoding, str.encode)(text)
    except ValueError:
        raise ValueError(f"it is not encoded as {encoding}") from None


def _json(schema: Schema, text: str) -> object:
    content = _content(schema, text)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("its content is not JSON") from None


def _reads(read: Callable[[str], bytes]) -> Callable[[str], bool]:
    def is_readable(text: str) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return is_readable


def _is_duration(text: str) -> bool:
    return _DURATION.fullmatch(text) is not None


# Formats of OpenAPI, and those of JSON Schema that are read in another way.
FORMATS: Mapping[str, Callable[[str], bool]] = {
    "duration": _is_duration,
    "byte": _reads(_base64),
    "base64url": _reads(_base64url),
}
CONTENT: dict[str, type[jsonschema_rs.KeywordValidator]] = {
    "contentEncoding": _Encoding,
    "contentMediaType": _MediaType,
    "contentSchema": _Content,
}
ENFORCED: dict[str, type[jsonschema_rs.KeywordValidator]] = {"format": _Format, **CONTENT}
