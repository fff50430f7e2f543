"""Changes of source text at the positions of its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Self


@dataclass(frozen=True, slots=True)
class SourceEdit:
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


def applied(source: str, edits: Iterable[SourceEdit]) -> str:
    """Return the source with all changes; of nested ones the outer, of equal ones the last."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    data, parts, position = source.encode(), list[bytes](), 0
    spans = [
        (
            starts[edit.begin[0] - 1] + edit.begin[1],
            -(starts[edit.end[0] - 1] + edit.end[1]),
            -number,
            edit.text,
        )
        for number, edit in enumerate(edits)
    ]
    for begin, stop, _, text in sorted(spans):
        if begin >= position:
            parts += data[position:begin], text.encode()
            position = -stop
    return b"".join((*parts, data[position:])).decode()
