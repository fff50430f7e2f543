"""Lines of a text by number, and offsets as lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property


class Lines:
    """The lines of a text, indexed on first use."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        newline = self._text.find("\n")
        while newline >= 0:
            starts.append(newline + 1)
            newline = self._text.find("\n", newline + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both counted from one."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def text(self, number: int) -> str:
        """Return one line without its end; lines after the last are empty."""
        if number > len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._text.find("\n", start)
        return self._text[start : end if end >= 0 else None].rstrip("\r")
