"""Reference pages as a browser parses them."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

VOID = frozenset(("meta", "link", "br", "hr", "img", "input"))

# The text of an answer as soon as it is there.
ANSWER = """new Promise(resolve => {
  const answer = document.querySelector('#%s form pre code');
  const look = () => answer.textContent.length > 1
    ? resolve(answer.textContent) : requestAnimationFrame(look);
  look();
})"""


class Page(HTMLParser):
    """The parts of a page that tests look at."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        # The open elements at each start of one, which is the last.
        self.above: list[list[str]] = []
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.policy = self.style = ""
        self.scripts: list[str] = []
        # JSON for the scripts, by the id of its element.
        self.data: dict[str, str] = {}
        self._data: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.above.append([*self.open, tag])
        self.attributes += [(name, value or "") for name, value in attrs]
        members = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in members:
            self.ids.append(members["id"] or "")
        if "href" in members:
            self.links.append(members["href"] or "")
        if members.get("http-equiv") == "Content-Security-Policy":
            self.policy = members["content"] or ""
        if tag == "script":
            self._data = members.get("id")
            if self._data is None:
                self.scripts.append("")
            else:
                assert members["type"] in ("application/json", "application/octet-stream")
                self.data[self._data] = ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read `<br />` as HTML does: the stroke means nothing."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        elif self.open and self.open[-1] == "script" and self._data is None:
            self.scripts[-1] += data
        elif self.open and self.open[-1] == "script":
            self.data[self._data or ""] += data
        else:
            self.text += f" {data}"


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
