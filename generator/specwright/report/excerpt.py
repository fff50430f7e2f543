"""The piece of a source line that a finding is about."""

from __future__ import annotations

from dataclasses import dataclass

from specwright.text import visible

# How wide a piece of a long line is shown.
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text before a place, the character there and the text after it, spelled out."""

    before: str
    at: str
    after: str


def excerpt(line: str, column: int) -> Excerpt:
    """Cut a line around a column, which counts from one; indentation is left out."""
    place = column - 1
    start = max(0, place - WIDTH // 2) if len(line) > WIDTH else 0
    shown = line[start : start + WIDTH].replace("\t", " ")
    if not start:
        indent = len(shown) - len(shown.lstrip())
        start, shown = indent, shown.lstrip()
    left = max(0, place - start)
    shown = shown.rstrip()
    before = shown[:left].ljust(left)
    return Excerpt(visible(before), visible(shown[left : left + 1]), visible(shown[left + 1 :]))
