"""Changes of source text at the positions of its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Self


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement by `text` of the source from one position (line, column) to another."""

    begin: tuple[int, int]
    end: tuple[int, int]
    text: str

    @classmethod
    def of(cls, node: ast.expr | ast.stmt, text: str) -> Self:
        """Return the replacement of a node by text."""
        return cls((node.lineno, node.col_offset), end(node), text)


def end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Return the end of a node."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def applied(source: str, edits: Iterable[Edit]) -> str:
    """Return the source with all changes, which must not overlap."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    data, parts, position = source.encode(), list[bytes](), 0
    for edit in sorted(edits, key=lambda e: e.begin):
        begin, stop = (starts[line - 1] + column for line, column in (edit.begin, edit.end))
        parts += data[position:begin], edit.text.encode()
        position = stop
    return b"".join((*parts, data[position:])).decode()
