"""Positions in a paginated list: cursors, numbers, or queries of URLs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import quote, urlsplit
from uuid import UUID

from pydantic import JsonValue

from ...shared.operation import Operation, Pagination, at, attribute
from ..errors import InvalidArgumentError, PaginationError
from ..transport.base import Response

# RFC 8288, 3: targets with their parameters, which may have quoted values.
_LINK = re.compile(r"<([^<>]*)>((?:[^,\"]|\"(?:[^\"\\]|\\.)*\")*)")
_RELATION = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)
_SAFE = "!$&'()*+,;=:@/?%[]"
# Python parses integers of this many digits with any settings.
_MAX_DIGITS = 640

# A cursor, the number of a page or of the items before it, or the query of a URL.
Position: TypeAlias = str | int


def next_position(
    operation: Operation[object], body: object, response: Response, current: object, count: int
) -> Position | None:
    """Return the position of the next page; None if the response has none.

    Args:
        current: the position with which this page was requested.
        count: the number of items of this page.

    Raises:
        PaginationError: the URL of the next page has no query.
    """
    pagination = operation.pagination
    assert pagination is not None
    match pagination.way:
        case "cursor":
            cursor = attribute(body, pagination.next)
            if isinstance(cursor, bool) or not isinstance(cursor, str | int | UUID):
                return None
            return cursor if isinstance(cursor, int) else str(cursor) or None
        case "url":
            return _query(operation.id, attribute(body, pagination.next))
        case "link":
            return _query(operation.id, next_link(response.headers))
        case "page":
            return _number(current, pagination.first) + 1 if count else None
        case "offset":
            return _number(current, 0) + count if count else None


def has_more(
    pagination: Pagination, body: object, current: object, position: Position | None
) -> bool:
    """Return whether there is a next page: the response says so, or it has a next position."""
    more = attribute(body, pagination.more) if pagination.more else None
    if pagination.way == "cursor":
        return position is not None if more is None else more is True
    if position is None or more is False:
        return False
    before = _number(current, pagination.first)
    total, pages = (
        attribute(body, place) if place else None for place in (pagination.total, pagination.pages)
    )
    if pagination.way == "page" and isinstance(pages, int):
        return before - pagination.first + 1 < pages
    if pagination.way == "offset" and isinstance(total, int):
        return int(position) < total
    return True


def arguments_at(
    operation: Operation[object], arguments: Mapping[str, object], position: Position
) -> Mapping[str, object]:
    """Return the arguments that request the page at a position."""
    pagination = operation.pagination
    assert pagination is not None
    for parameter in operation.parameters:
        if parameter.name == pagination.cursor:
            text = str(position)
            number = _whole(text) if parameter.kind in ("integer", "number") else None
            return {**arguments, parameter.name: text if number is None else number}
    return arguments


def content_at(content: bytes | None, member: Sequence[str], position: Position) -> bytes:
    """Return a JSON body with a position at the path of a member, and without other changes.

    Raises:
        InvalidArgumentError: the member has no place in the body.
    """
    body: JsonValue = json.loads(content or b"{}")
    holder = body
    for name in member[:-1]:
        holder = holder.setdefault(name, {}) if isinstance(holder, dict) else None
    if not isinstance(holder, dict):
        raise InvalidArgumentError(f"body: has no place for {'.'.join(member)}")
    holder[member[-1]] = position
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def position_in(content: bytes | None, member: Sequence[str]) -> object:
    """Return the value at the path of a member of a JSON body; None if it is missing."""
    return at(json.loads(content or b"{}"), tuple(member))


def url_at(pagination: Pagination, url: str, position: Position) -> str:
    """Return the URL of the page at a position, if pages are linked by URLs.

    Only the query of a link is used: behind a proxy its host differs, and credentials must not go
    to another host.
    """
    if pagination.way not in ("url", "link"):
        return url
    return f"{url.partition('?')[0]}?{quote(str(position), _SAFE)}"


def next_link(headers: Iterable[tuple[str, str]]) -> str | None:
    """Return the target of the link with the relation `next` (RFC 8288); None without one."""
    for value in (value for name, value in headers if name.lower() == "link"):
        for target, parameters in _LINK.findall(value):
            relations = [quoted or plain for quoted, plain in _RELATION.findall(parameters)]
            if any("next" in relation.lower().split() for relation in relations):
                return str(target)
    return None


def _number(value: object, first: int) -> int:
    number = _whole(value) if isinstance(value, str) else value
    return number if isinstance(number, int) else first


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def _query(operation_id: str, url: object) -> str | None:
    if not isinstance(url, str) or not url:
        return None
    try:
        query = urlsplit(url).query
    except ValueError:
        query = ""
    if not query:
        raise PaginationError(f"{operation_id}: the URL of the next page has no query")
    return query
