"""Pages of declared lists: the page after the first is the last, so that each list has an end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from specwright.ir.examples import ends_without_items, with_member
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, join, resolve, split
from specwright.runtime.client.wire.positions import next_link
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import PaginationContract, is_in_body

_RELATION = re.compile(r"(;\s*rel\s*=\s*)(\"[^\"]*\"|[^\s;,\"]+)", re.IGNORECASE)
_NEXT = re.compile(r"\bnext\b", re.IGNORECASE)
_NUMBER = re.compile("[0-9]{1,15}")
# What a last page has in the place of the next cursor or URL, if it has a member there at all.
_MISSING: tuple[JsonValue, ...] = (None, "")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The parts of a request that may choose a page."""

    query: Mapping[str, str]
    body: bytes

    def value(self, argument: Text | None) -> JsonValue:
        """Return the value of an argument; None without one."""
        if argument is None:
            return None
        if not is_in_body(argument):
            return self.query.get(argument.raw)
        with suppress(KeyError, ValueError, RecursionError):
            return resolve(json.loads(self.body), argument.raw)
        return None

    def number(self, argument: Text | None) -> int | None:
        """Return the value of an argument that is a whole number."""
        value = self.value(argument)
        return int(str(value)) if _NUMBER.fullmatch(str(value)) else None


def before(
    page: PaginationContract, asked: Arguments, first: JsonValue, headers: Mapping[str, str]
) -> int | None:
    """Return the number of items before the page that is asked for; None for the first page.

    Args:
        first, headers: those of the first page, which has a URL of the next one.
    """
    count = _count(page, first)
    if page.cursor is not None:
        return count if asked.value(page.cursor) not in (None, "") else None
    if page.next_url is not None:
        return count if _has_query(asked, _at(first, page.next_url)) else None
    if page.link:
        return count if _has_query(asked, next_link(headers.items())) else None
    if page.page is not None:
        number = asked.number(page.page)
        return (number - page.first_page) * count if number and number > page.first_page else None
    return asked.number(page.offset) or None


def last(page: PaginationContract, value: JsonValue, before: int) -> Iterator[JsonValue]:
    """Yield forms that the last page may have, the usual one first; a schema may forbid some.

    Args:
        before: the number of items before it.
    """
    count = _count(page, value)
    if ends_without_items(page):
        value, count = with_member(value, page.items.raw, []), 0
    pages = before // count + 1 if count else 1
    for place, end in ((page.more, False), (page.total, before + count), (page.pages, pages)):
        value = value if place is None else with_member(value, place.raw, end)
    following = page.next_url if page.cursor is None else page.next
    if following is not None and not page.resume:
        for missing in _MISSING:
            yield with_member(value, following.raw, missing)
        yield _without(value, following.raw)
        if not any((page.more, page.total, page.pages)):
            return
    yield value


def last_links(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return headers with the relation `last` for `next` in their links (RFC 8288)."""
    return {
        name: _RELATION.sub(lambda match: match[1] + _NEXT.sub("last", match[2]), value)
        if name.lower() == "link"
        else value
        for name, value in headers.items()
    }


def _has_query(asked: Arguments, url: JsonValue) -> bool:
    """Return whether a request has the query of a URL."""
    if not isinstance(url, str):
        return False
    with suppress(ValueError):
        pairs = parse_qsl(urlsplit(url).query)
        return bool(pairs) and all(asked.query.get(name) == value for name, value in pairs)
    return False


def _count(page: PaginationContract, value: JsonValue) -> int:
    items = _at(value, page.items)
    return len(items) if isinstance(items, list) else 0


def _at(value: JsonValue, place: Text) -> JsonValue:
    with suppress(KeyError, ValueError):
        return resolve(value, place.raw)
    return None


def _without(value: JsonValue, pointer: Pointer) -> JsonValue:
    """Return a value without its member at a place."""
    name, *rest = split(pointer)
    if not isinstance(value, dict) or name not in value:
        return value
    if rest:
        return {**value, name: _without(value[name], join(*rest))}
    return {key: member for key, member in value.items() if key != name}
