"""Texts that a regular expression is likely to match."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The letter of each other class (w, D, S) is itself a member of the class.
_CLASSES = {"d": "0", "s": " ", "W": "-", "t": "\t", "n": "\n"}
_WIDTHLESS = frozenset("^$")
_COUNT = re.compile(r"\{(\d{1,4})(?:,\d*)?\}|[*+?]")
_LONGEST = 2_000


def matching(pattern: str) -> str | None:
    """Return a short text for a common pattern; the caller checks whether it matches."""
    if len(pattern) > _LONGEST:
        return None
    try:
        return _Reader(pattern).alternatives()
    except (IndexError, RecursionError):
        return None


@dataclass(slots=True)
class _Reader:
    pattern: str
    at: int = 0

    def alternatives(self) -> str:
        """Return a text for the first of several alternatives, and skip to the end of the group."""
        first = self._sequence()
        while self.at < len(self.pattern) and self.pattern[self.at] == "|":
            self.at += 1
            self._sequence()
        return first

    def _sequence(self) -> str:
        text = ""
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            atom = self._atom()
            text += (atom * self._count())[:_LONGEST]
            if len(text) > _LONGEST:
                raise IndexError(self.pattern)
        return text

    def _atom(self) -> str:
        character = self._next()
        if character == "(":
            if self.pattern.startswith("?", self.at):
                self.at = self.pattern.index(":", self.at) + 1 if ":" in self.pattern else self.at
            inner = self.alternatives()
            self._next()
            return inner
        if character == "[":
            return self._member()
        if character == "\\":
            escaped = self._next()
            return _CLASSES.get(escaped, "" if escaped in "bB" else escaped)
        return "" if character in _WIDTHLESS else "a" if character == "." else character

    def _member(self) -> str:
        """Return one character of a class; of a negated class, one that it does not exclude."""
        end = self.pattern.index("]", self.at + 1) if "]" in self.pattern[self.at + 1 :] else None
        members = self.pattern[self.at : end]
        self.at = len(self.pattern) if end is None else end + 1
        if members.startswith("^"):
            return next((character for character in "a0-_ " if character not in members), "~")
        if members.startswith("\\"):
            return _CLASSES.get(members[1:2], members[1:2])
        return members[:1]

    def _count(self) -> int:
        count = _COUNT.match(self.pattern, self.at)
        if count is None:
            return 1
        self.at = count.end()
        # Lazy and possessive quantifiers have the same count.
        if self.pattern[self.at : self.at + 1] in ("?", "+"):
            self.at += 1
        return int(count[1]) if count[1] else 1

    def _next(self) -> str:
        character = self.pattern[self.at]
        self.at += 1
        return character
