"""Untrusted text, which must not have any effect where it is printed."""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

# Controls, text direction, private use, surrogates, separators of lines and paragraphs.
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

MAX_MESSAGE = 200


class Text:
    """Untrusted text; it refuses to become part of a string by accident."""

    __slots__ = ("raw",)

    raw: str

    def __init__(self, raw: str) -> None:
        object.__setattr__(self, "raw", raw)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Text does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("Text does not change")

    def __reduce__(self) -> tuple[type[Text], tuple[str]]:
        return Text, (self.raw,)

    def __str__(self) -> NoReturn:
        raise TypeError("text from a document needs a quoting filter before it can be written")

    def __format__(self, format_spec: str) -> NoReturn:
        raise TypeError("text from a document needs a quoting filter before it can be written")

    def __repr__(self) -> str:
        return f"Text({self.raw!r})"

    def __eq__(self, other: object) -> bool:
        return self.raw == other.raw if isinstance(other, Text) else NotImplemented

    def __hash__(self) -> int:
        return hash((Text, self.raw))

    def __bool__(self) -> bool:
        return bool(self.raw)


def visible(text: str, kept: str = "") -> str:
    """Escape the invisible characters of a text, except those to be kept."""
    # Most texts are plain, and only some characters that are not printable are invisible.
    rest = text
    for character in kept:
        rest = rest.replace(character, "")
    if rest.isprintable():
        return text
    return "".join(
        spelled(character)
        if unicodedata.category(character) in _INVISIBLE and character not in kept
        else character
        for character in text
    )


def spelled(character: str) -> str:
    """Return the Python escape sequence of a character."""
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def shorten(message: str) -> str:
    """Return the message, cut to the length that one line should have."""
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"


def code_span(text: str) -> str:
    """Return text as a code span of Markdown, on one line, with every character as it is."""
    shown = visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"
