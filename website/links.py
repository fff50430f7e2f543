"""Links and anchors of Markdown pages, as GitHub reads them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?^) *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK = re.compile(r"(?:\]\(|^\[[^\]\n]+\]: +|\b(?:src|srcset|href)=\")(?P<target>[^)\s\"]+)", re.M)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6} +(?P<text>.*?)(?: +#+)? *$", re.MULTILINE)
_LINK_TEXT = re.compile(r"!?\[(?P<text>[^\]]*)\]\([^)]*\)")
_ID = re.compile(r"<[^>]+\b(?:id|name)=\"(?P<id>[^\"]+)\"")


def links(text: str) -> Iterator[re.Match[str]]:
    """Yield each link and picture to the same site, with its `target`, in order.

    Code and comments have no links.
    """
    visible = _blank(_CODE, _blank(_COMMENT, _blank(_FENCE, text)))
    for found in _LINK.finditer(visible):
        if not _ELSEWHERE.match(found["target"]):
            yield found


def anchors(text: str) -> set[str]:
    """Return the fragments that lead into a page: those of its headings, and explicit ids."""
    visible = _blank(_COMMENT, _blank(_FENCE, text))
    found = {match["id"] for match in _ID.finditer(_blank(_CODE, visible))}
    seen: Counter[str] = Counter()
    for heading in _HEADING.finditer(visible):
        name = _slug(heading["text"])
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def resolve(page: Path, target: str) -> tuple[Path, str]:
    """Return the target of a link of a page, and the fragment, which may be empty."""
    name, _, fragment = target.partition("#")
    return (Path(normpath(page.parent / name)) if name else page), fragment


def broken(page: Path) -> Iterator[str]:
    """Yield the place and target of each link without a file, or without a heading in it."""
    text = page.read_text("utf-8")
    for link in links(text):
        file, fragment = resolve(page, link["target"])
        lost = fragment and file.suffix == ".md" and fragment not in _anchors_of(file)
        if not file.exists() or lost:
            yield f"{page.name}:{text.count(chr(10), 0, link.start()) + 1}: {link['target']}"


def _anchors_of(file: Path) -> set[str]:
    return anchors(file.read_text("utf-8")) if file.is_file() else set()


def _slug(heading: str) -> str:
    words = _LINK_TEXT.sub(r"\g<text>", heading)
    return re.sub(r"[^\w\- ]", "", words).lower().replace(" ", "-")


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Replace each match by spaces, so that places remain."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
