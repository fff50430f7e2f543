"""JSON text parsed strictly into data, with the line and column of every value."""

from __future__ import annotations

import json
import math
import re

from specwright.document.sources.lines import Lines
from specwright.errors import InputError, Location
from specwright.json_values import JsonObject, JsonValue, sequence

MAX_DEPTH = 200

_SPACE = re.compile(r"[ \t\n\r]*")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_TOKEN = re.compile(
    rf"{_TEXT.pattern}|-?(?:NaN|Infinity)|-?\d[\d.eE+-]*|[{{}}\[\],:]|true|false|null"
)
# What the parser of Python reports, in words of ours, with hints.
_PROBLEMS = (
    (
        "Expecting property name",
        "a name in double quotes was expected here",
        "a trailing comma, a comment or single quotes are not JSON",
    ),
    (
        "Expecting value",
        "a value was expected here",
        "a value is missing, or is not JSON (True, None, a trailing comma)",
    ),
    (
        "Expecting ',' delimiter",
        "a comma was expected here",
        "a comma is missing before this, or a bracket is not closed",
    ),
    (
        "Expecting ':' delimiter",
        "a colon was expected here",
        "a colon belongs between a member's name and its value",
    ),
    (
        "Unterminated string",
        "a string is not closed",
        "close the string with a double quote on the same line",
    ),
    (
        "Invalid control character",
        "a control character is in a string",
        "write line breaks and tabs in strings as \\n and \\t",
    ),
    (
        "Invalid \\",
        "this may not follow a backslash",
        'only \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX may follow a backslash',
    ),
    (
        "Extra data",
        "the value of this file has ended before this",
        "one JSON value per file; something follows after its end",
    ),
)


class _RefusedError(Exception):
    """Valid for Python's parser, but refused by us; `_find_refused` finds the place."""


class JsonSource:
    """The text of a JSON file; positions are found on demand, one container at a time."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._scan = json.JSONDecoder(strict=False).raw_decode
        self._members: dict[int, dict[str, tuple[int, int]]] = {}
        self._lines = Lines(text)

    def position(self, tokens: tuple[str, ...]) -> tuple[int, int]:
        here = value = self._skip_space(0)
        for token in tokens:
            child = self._children(value).get(token)
            if child is None:
                break
            here, value = child
        return self.line_and_column(here)

    def line(self, number: int) -> str:
        return self._lines.text(number)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        return self._lines.position(offset)

    def _skip_space(self, offset: int) -> int:
        space = _SPACE.match(self.text, offset)
        return space.end() if space else offset

    def _children(self, offset: int) -> dict[str, tuple[int, int]]:
        """Return the start of each child of a container: (its key or itself, its value)."""
        known = self._members.get(offset)
        if known is None:
            opening = self.text[offset]
            reader = {"{": self._read_object, "[": self._read_array}.get(opening)
            known = self._members[offset] = reader(offset + 1) if reader else {}
        return known

    # Values are skipped with the parser of the standard library, which runs in C: faster than
    # walking tokens in Python, and each container is read once.
    def _read_object(self, offset: int) -> dict[str, tuple[int, int]]:
        members: dict[str, tuple[int, int]] = {}
        offset = self._skip_space(offset)
        while self.text[offset] == '"':
            key_at = offset
            key, offset = self._scan(self.text, offset)
            value_at = self._skip_space(self._skip_space(offset) + 1)
            members[key] = (key_at, value_at)
            offset = self._next_item(value_at)
        return members

    def _read_array(self, offset: int) -> dict[str, tuple[int, int]]:
        items: dict[str, tuple[int, int]] = {}
        offset = self._skip_space(offset)
        while self.text[offset] != "]":
            items[str(len(items))] = (offset, offset)
            offset = self._next_item(offset)
        return items

    def _next_item(self, offset: int) -> int:
        _, offset = self._scan(self.text, offset)
        offset = self._skip_space(offset)
        return self._skip_space(offset + 1) if self.text[offset] == "," else offset


def parse(file: str, text: str) -> tuple[JsonValue, JsonSource]:
    """Parse JSON by RFC 8259, and refuse text that another parser might read differently."""
    source = JsonSource(file, text)
    try:
        data = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
        refused = _too_deep(data) or _has_lone_surrogate(text)
    except json.JSONDecodeError as error:
        words, hint = next(
            ((words, hint) for sign, words, hint in _PROBLEMS if error.msg.startswith(sign)),
            (error.msg, None),
        )
        place = Location(file, *source.line_and_column(min(error.pos, len(text))))
        raise InputError(f"not valid JSON: {words}", place, hint) from None
    except (_RefusedError, RecursionError, ValueError):
        refused = True
    if refused:
        offset, message, hint = _find_refused(text)
        raise InputError(message, Location(file, *source.line_and_column(offset)), hint)
    return data, source


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RefusedError
    return members


def _constant(name: str) -> JsonValue:
    raise _RefusedError(name)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _RefusedError(digits)
    return value


def _too_deep(data: JsonValue) -> bool:
    level = [data]
    for _ in range(MAX_DEPTH):
        level = (
            [
                value
                for parent in level
                for value in (parent.values() if isinstance(parent, dict) else sequence(parent))
                if type(value) is dict or type(value) is list
            ]
            if type(level[0]) in (dict, list)
            else []
        )
        if not level:
            return False
    return True


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _has_lone_surrogate(text: str) -> bool:
    if not _SURROGATE.search(text):
        return False
    return any(
        _LONE_SURROGATE.search(json.loads(literal, strict=False))
        for literal in _TEXT.findall(text)
        if _SURROGATE.search(literal)
    )


def _find_refused(text: str) -> tuple[int, str, str]:
    """Return offset, message and hint for the first error that only we report."""
    keys: list[set[str] | None] = []
    expects_key = False
    for token in _TOKEN.finditer(text):
        written = token[0]
        match written[0]:
            case "{" | "[":
                keys.append(set() if written == "{" else None)
                expects_key = written == "{"
                if len(keys) > MAX_DEPTH:
                    return (
                        token.start(),
                        f"nested deeper than {MAX_DEPTH} levels",
                        ("no API needs this; the file is damaged or malicious"),
                    )
            case "}" | "]":
                keys.pop()
            case ",":
                expects_key = keys[-1] is not None
            case '"':
                value = json.loads(written, strict=False)
                if _LONE_SURROGATE.search(value):
                    return (
                        token.start(),
                        "lone surrogate in a string",
                        ("write the character itself, or both halves"),
                    )
                seen = keys[-1] if keys else None
                if expects_key and seen is not None:
                    if value in seen:
                        return (
                            token.start(),
                            f"duplicate key {written}",
                            ("remove one of the two; parsers disagree about which one counts"),
                        )
                    seen.add(value)
                expects_key = False
            case "t" | "f" | "n" | ":":
                pass
            case _:
                if written.endswith(("NaN", "Infinity")) or not _is_usable_number(written):
                    return (
                        token.start(),
                        f"{written[:20]} is not a supported JSON number",
                        ("JSON has no NaN or Infinity, and numbers must fit into 64-bit floats"),
                    )
    return 0, "not a usable JSON file", "check how it was made"


def _is_usable_number(written: str) -> bool:
    try:
        return not math.isinf(float(written)) and len(written) < 4300
    except ValueError:
        return False
