"""Excerpts of the source that a finding is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from specwright.errors import Location
from specwright.text import visible

# The width of the excerpt of a long line.
WIDTH = 100
# The number of enclosing keys to show, and of the lines above to search for them.
_PARENTS, _ABOVE = 4, 1_000
# A longer line is a document without line breaks.
LONGEST_SOURCE = 2_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text before a place, the character there and the text after it, made visible."""

    before: str
    at: str
    after: str


@dataclass(frozen=True, slots=True)
class Extract:
    """A line and the keys around it: their line numbers and texts, indented as in the file."""

    parents: Sequence[tuple[int, str]]
    line: Excerpt


def excerpt(line: str, column: int) -> Excerpt:
    """Cut a line around a column, counted from one; indentation is left out."""
    place = column - 1
    start = max(0, place - WIDTH // 2) if len(line) > WIDTH else 0
    window = line[start : start + WIDTH].replace("\t", " ")
    if not start:
        indent = len(window) - len(window.lstrip())
        start, window = indent, window.lstrip()
    index = max(0, place - start)
    window = window.rstrip()
    before = window[:index].ljust(index)
    return Excerpt(
        visible(before), visible(window[index : index + 1]), visible(window[index + 1 :])
    )


class SourceLines:
    """The lines that the findings of a report are about; each is read once."""

    __slots__ = ("_known", "_line_at")

    def __init__(self, line_at: Callable[[Location], str | None]) -> None:
        self._line_at = line_at
        self._known: dict[tuple[str, int], str | None] = {}

    def extract(self, location: Location) -> Extract | None:
        """Return a line with the keys around it, found by indentation; None if unavailable."""
        line = self._line(location.file, location.line)
        if line is None or len(line) > LONGEST_SOURCE:
            return None
        above = self._parents(location, line)
        outermost = _indent(above[0][1]) if above else _indent(line)
        piece = excerpt(line, location.column)
        return Extract(
            [(number, visible(text[outermost:].rstrip()[:WIDTH])) for number, text in above],
            replace(piece, before=" " * (_indent(line) - outermost) + piece.before),
        )

    def _line(self, file: str, number: int) -> str | None:
        place = file, number
        if place not in self._known:
            self._known[place] = self._line_at(Location(file, number, 1))
        return self._known[place]

    def _parents(self, location: Location, inner: str) -> list[tuple[int, str]]:
        parents: list[tuple[int, str]] = []
        for number in range(location.line - 1, max(0, location.line - _ABOVE), -1):
            if len(parents) == _PARENTS or not (_indent(inner) or _is_item(inner)):
                break
            text = self._line(location.file, number)
            if text and _holds(text, inner):
                parents.insert(0, (number, text))
                inner = text
        return parents


def _holds(text: str, inner: str) -> bool:
    """Return whether a line above another one is a key that contains it."""
    if not text.strip() or text.lstrip().startswith("#"):
        return False
    # In YAML, the items of a list may have the indentation of its key.
    own = _indent(inner) + (_is_item(inner) and not _is_item(text))
    return _indent(text) < own


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
