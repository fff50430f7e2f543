"""The forms of a body: which one is sent, which are asked for, and what an answer says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from ..shared.answers import RawBody
from ..shared.media.table import essence, medium_of
from ..shared.operation import Content, Contents, Operation
from .errors import InvalidArgumentError
from .transport import Response

_ANY = "application/json, */*;q=0.5"
# RFC 9110, 15.3.5 and 15.3.6.
_WITHOUT_BODY = frozenset({204, 205})


def sent(operation: Operation[Any], media_type: str | None) -> Content:
    """Return the form in which a body is sent.

    Raises:
        InvalidArgumentError: the operation does not take this media type.
    """
    if media_type is None:
        return operation.body[0]
    for content in operation.body:
        if content.media_type == media_type:
            return content
    raise InvalidArgumentError("content_type: the operation does not take this media type")


def accept(operation: Operation[Any], media_type: str | None) -> str:
    """Return the header that says which forms of an answer can be read (RFC 9110, 12.5.1).

    Raises:
        InvalidArgumentError: the operation does not answer with this media type.
    """
    if media_type is None:
        wanted = [contents[0].media_type for contents in _successes(operation) if contents]
    else:
        wanted = [media_type]
        if all(each.media_type != media_type for each in _all(operation)):
            raise InvalidArgumentError("accept: the operation has no answer of this media type")
    names = list(dict.fromkeys(_ANY if "*" in each else each for each in wanted))
    if not names:
        return _ANY
    others = (
        f"{content.media_type};q=0.5"
        for status, contents in operation.responses.items()
        for content in contents
        if status[0] != "2" and content.media_type not in names and "*" not in content.media_type
    )
    return ", ".join(dict.fromkeys([*names, *others]))


def is_stream(operation: Operation[Any], media_type: str | None) -> bool:
    """Tell whether what is asked for comes item by item."""
    wanted = (content for contents in _successes(operation) for content in contents[:1])
    names = [each.media_type for each in wanted] if media_type is None else [media_type]
    return any(medium_of(name).is_stream for name in names)


def received(operation: Operation[Any], response: Response) -> Content | None:
    """Return the form of a success's body; None where the document says nothing of it.

    A success that is not declared has the forms of the one that is nearest.
    """
    contents = operation.contents_of(response.status)
    if contents is None:
        near = {_distance(status, response.status): status for status in operation.successes}
        contents = operation.responses[near[min(near)]] if near else ()
    if not contents:
        return None
    came = response.header("content-type") or ""
    return next(_fitting(contents, came), contents[0])


def has_body(operation: Operation[Any], status: int) -> bool:
    """Tell whether an answer can have a body at all."""
    return operation.method != "HEAD" and status not in _WITHOUT_BODY


def lacks_body(operation: Operation[Any], response: Response) -> bool:
    """Tell whether an answer without a body stands for one that is declared to have one."""
    is_empty = not response.content and response.chunks is None
    is_meant = operation.method == "HEAD" or not operation.has_result
    return is_empty and not is_meant and operation.contents_of(response.status) is None


def raw(response: Response) -> RawBody:
    """Return a body as its own media type says: a JSON value, a text or bytes; None without one.

    Raises:
        ValueError: it is not what the media type says.
    """
    if not response.content:
        return None
    media_type = response.header("content-type") or ""
    match medium_of(media_type).name:
        case "json":
            value: JsonValue = json.loads(response.content)
            return value
        case "text":
            return response.content.decode("utf-8", "replace")
        case _:
            return response.content


def _successes(operation: Operation[Any]) -> Iterator[Contents]:
    yield from (operation.responses[status] for status in operation.successes)


def _all(operation: Operation[Any]) -> Iterator[Content]:
    return (content for contents in _successes(operation) for content in contents)


def _distance(pattern: str, status: int) -> int:
    return abs(int(pattern.replace("XX", "00")) - status) if pattern != "default" else 1000


def _fitting(contents: Contents, came: str) -> Iterator[Content]:
    """The forms that a media type can be, the most particular first."""
    yield from (each for each in contents if _plain(each.media_type) == _plain(came))
    name = essence(came)
    yield from (each for each in contents if essence(each.media_type) == name)
    top = name.partition("/")[0]
    yield from (each for each in contents if essence(each.media_type) == f"{top}/*")
    if name:
        yield from (
            each
            for each in contents
            if medium_of(each.media_type) is medium_of(name) and medium_of(name).name == "json"
        )
        yield from (each for each in contents if essence(each.media_type) == "*/*")


def _plain(media_type: str) -> str:
    return media_type.replace(" ", "").lower()
