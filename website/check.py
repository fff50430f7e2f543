"""Check the built site: links lead to places in it, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from website.links import resolve

# What a browser loads with the page, by element and attribute.
_LOADED = {("script", "src"), ("img", "src"), ("source", "srcset"), ("iframe", "src")}
_RELATIONS = {"stylesheet", "icon", "preconnect", "preload", "modulepreload", "dns-prefetch"}
_STYLE_ADDRESS = re.compile(r"url\(\s*[\"']?(?:https?:)?//|@import\s+[\"'](?:https?:)?//")


@dataclass
class _Page(HTMLParser):
    """The links, loaded addresses and ids of a page."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        for name in ("href", "src", "srcset"):
            relations = set(found.get("rel", "").split())
            if name in found and (
                (tag, name) in _LOADED or (tag == "link" and relations & _RELATIONS)
            ):
                self.loaded.append(found[name])
            elif name in found and tag == "a":
                self.links.append(found[name])


def problems(site: Path) -> Iterator[str]:
    """Yield the problems of a site, each with its page."""
    pages = {file: _read(file) for file in sorted(site.rglob("*.html"))}
    for file, page in pages.items():
        name = file.relative_to(site).as_posix()
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name}: loads {address}"
            elif not _target(file, address)[0].is_file():
                yield f"{name}: {address} does not exist"
        for address in page.links:
            if urlsplit(address).scheme or urlsplit(address).netloc:
                continue
            target, fragment = _target(file, address)
            if not target.is_file():
                yield f"{name}: {address} does not exist"
            elif fragment and target in pages and fragment not in pages[target].ids:
                yield f"{name}: {address} has no such place"
    for file in sorted(site.rglob("*.css")):
        if _STYLE_ADDRESS.search(file.read_text("utf-8")):
            yield f"{file.relative_to(site).as_posix()}: loads a file from elsewhere"


def _read(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text("utf-8"))
    return page


def _target(page: Path, address: str) -> tuple[Path, str]:
    """Return the file at a relative address of a page, and the fragment."""
    parts = urlsplit(address)
    name = unquote(parts.path)
    target = resolve(page, name)[0]
    return (target / "index.html" if target.is_dir() else target), unquote(parts.fragment)
