"""Wrapping of descriptions, which are written in CommonMark."""

from __future__ import annotations

import re
import textwrap

_FENCE = re.compile(r"\s*(```|~~~)")
# Lines whose breaks carry meaning: headings, tables, quotes, indented code.
_KEPT = re.compile(r"\s*(#{1,6}\s|\||>)| {4}")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)\S")
_NARROWEST = 20


def wrap(text: str, width: int) -> list[str]:
    """Break paragraphs and list items at `width`; leave code, tables and headings alone."""
    lines: list[str] = []
    paragraph: list[str] = []
    fence = ""

    def flush() -> None:
        lines.extend(_fill(paragraph, max(width, _NARROWEST)))
        paragraph.clear()

    for line in text.expandtabs(4).strip().split("\n"):
        line = line.rstrip()
        marker = _FENCE.match(line)
        if fence or marker:
            flush()
            lines.append(line)
            if marker and fence in ("", marker[1]):
                fence = "" if fence else marker[1]
        elif not line:
            flush()
            if lines and lines[-1]:
                lines.append("")
        elif _KEPT.match(line) and not (paragraph and line.startswith(" ")):
            flush()
            lines.append(line)
        else:
            if _ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return lines


def _fill(paragraph: list[str], width: int) -> list[str]:
    if not paragraph:
        return []
    item = _ITEM.match(paragraph[0])
    marker = item[1] if item else ""
    words = " ".join(line.strip(" ") for line in paragraph)
    return textwrap.wrap(
        words[len(marker.lstrip(" ")) :],
        max(width, len(marker) + _NARROWEST),
        initial_indent=marker,
        subsequent_indent=" " * len(marker),
        break_long_words=False,
        break_on_hyphens=False,
    )
