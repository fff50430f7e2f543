"""Markdown of a document as HTML without any markup of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from specwright.text import visible

_SCHEMES = frozenset({"http", "https", "mailto"})
_LOWEST = 6


class _Renderer(RendererHTML):
    """A renderer that shows the text of an image in its place, as nothing is loaded."""

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        text = self.renderInlineAsText(tokens[idx].children or [], options, env)
        return str(Markup.escape(text))


class _Parser(MarkdownIt):
    """CommonMark with tables, without HTML; links lead to web pages and to mailboxes only."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False}, renderer_cls=_Renderer)
        self.enable("table")

    def validateLink(self, url: str) -> bool:  # noqa: N802 (the name is the library's)
        try:
            return urlsplit(url).scheme.lower() in _SCHEMES
        except ValueError:
            return False


_PARSER = _Parser()


@cache
def prose(text: str, level: int = 5) -> Markup:
    """Return a description as HTML.

    Args:
        level: the level of its first headings.
    """
    tokens = _parsed(text)
    _lower(tokens, level)
    return _rendered(tokens)


def inline(text: str) -> Markup:
    """Return a text of one line as HTML without a paragraph."""
    return _rendered(_PARSER.parseInline(visible(text)))


def introduction(text: str, level: int) -> tuple[Markup, Sequence[tuple[str, str]]]:
    """Return a description as HTML, and ids and titles of its first headings."""
    tokens = _parsed(text)
    _lower(tokens, level)
    titles: list[tuple[str, str]] = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == f"h{level}":
            anchor = f"about-{len(titles) + 1}"
            token.attrSet("id", anchor)
            titles.append((anchor, "".join(_words(tokens[number + 1]))))
    return _rendered(tokens), titles


def link(address: str, text: str = "") -> Markup:
    """Return a link to a web page or a mailbox; another address is shown as text.

    Args:
        text: the text of the link; by default, the address.
    """
    if _PARSER.validateLink(address):
        shown = visible(text or address)
        return Markup('<a href="{}">{}</a>').format(_PARSER.normalizeLink(address), shown)
    return Markup.escape(visible(f"{text} ({address})" if text and address else text or address))


def _parsed(text: str) -> list[Token]:
    return _PARSER.parse(visible(text.replace("\r\n", "\n"), kept="\n\t"))


def _lower(tokens: Sequence[Token], level: int) -> None:
    """Change the levels of headings, so that the highest of them has this level."""
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    highest = min((int(token.tag[1]) for token in headings), default=level)
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) - highest + level, _LOWEST)}"


def _words(inline: Token) -> Iterator[str]:
    return (
        child.content for child in inline.children or () if child.type in ("text", "code_inline")
    )


def _rendered(tokens: Sequence[Token]) -> Markup:
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, {}))
