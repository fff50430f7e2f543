"""Media types: of the request body, of the `Accept` header and of the response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...shared.media.table import essence, medium_of
from ...shared.operation import Content, Contents, Operation
from ...shared.responses import RawBody
from ..errors import InvalidArgumentError
from ..transport.base import Response

_ANY = "application/json, */*;q=0.5"
# RFC 9110, 15.3.5 and 15.3.6.
_WITHOUT_BODY = frozenset({204, 205})


def sent(operation: Operation[Any], media_type: str | None) -> Content:
    """Return the content that a request body is sent as.

    Raises:
        InvalidArgumentError: the operation does not accept this media type.
    """
    if media_type is None:
        return operation.body[0]
    for content in operation.body:
        if content.media_type == media_type:
            return content
    raise InvalidArgumentError("content_type: the operation does not accept this media type")


def accept(operation: Operation[Any], media_type: str | None) -> str:
    """Return the value of the `Accept` header (RFC 9110, 12.5.1).

    Raises:
        InvalidArgumentError: the operation has no response of this media type.
    """
    if media_type is None:
        wanted = [contents[0].media_type for contents in _successes(operation) if contents]
    else:
        wanted = [media_type]
        if all(content.media_type != media_type for content in _all(operation)):
            raise InvalidArgumentError("accept: the operation has no response of this media type")
    names = list(dict.fromkeys(_ANY if "*" in range_ else range_ for range_ in wanted))
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
    """Return whether the requested response is a stream of items."""
    wanted = (content for contents in _successes(operation) for content in contents[:1])
    names = [content.media_type for content in wanted] if media_type is None else [media_type]
    return any(medium_of(name).is_stream for name in names)


def received(operation: Operation[Any], response: Response) -> Content | None:
    """Return the declared content of a successful response; None without a declared body.

    An undeclared success has the contents of the declared one with the nearest status.
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
    """Return whether a response can have a body at all."""
    return operation.method != "HEAD" and status not in _WITHOUT_BODY


def is_empty(method: str, response: Response) -> bool:
    """Return whether a response has no body, although it could have one."""
    return method != "HEAD" and not response.content and response.chunks is None


def lacks_body(operation: Operation[Any], response: Response) -> bool:
    """Return whether an undeclared response lacks the body that the declared ones have."""
    is_undeclared = operation.contents_of(response.status) is None
    return is_empty(operation.method, response) and operation.has_result and is_undeclared


def raw(response: Response) -> RawBody:
    """Return a body by its own media type: a JSON value, a text or bytes; None without a body.

    Raises:
        ValueError: the body does not match its media type.
    """
    if not response.content:
        return None
    media_type = response.header("content-type") or ""
    return medium_of(media_type).decode_raw(response.content)


def _successes(operation: Operation[Any]) -> Iterator[Contents]:
    yield from (operation.responses[status] for status in operation.successes)


def _all(operation: Operation[Any]) -> Iterator[Content]:
    return (content for contents in _successes(operation) for content in contents)


def _distance(pattern: str, status: int) -> int:
    return abs(int(pattern.replace("XX", "00")) - status) if pattern != "default" else 1000


def declaring(contents: Contents, came: str) -> Iterator[Content]:
    """Yield the contents that declare a media type, the most specific first (RFC 9110, 12.5.1)."""
    yield from _named(contents, came)
    yield from _of_any(contents, came)


def _fitting(contents: Contents, came: str) -> Iterator[Content]:
    """Yield the contents that match a media type, the most specific first: JSON is like JSON."""
    yield from _named(contents, came)
    medium = medium_of(essence(came))
    if came and medium.is_json:
        yield from (content for content in contents if medium_of(content.media_type) is medium)
    yield from _of_any(contents, came)


def _named(contents: Contents, came: str) -> Iterator[Content]:
    yield from (content for content in contents if _plain(content.media_type) == _plain(came))
    name = essence(came)
    yield from (content for content in contents if essence(content.media_type) == name)
    top = name.partition("/")[0]
    yield from (content for content in contents if essence(content.media_type) == f"{top}/*")


def _of_any(contents: Contents, came: str) -> Iterator[Content]:
    return (content for content in contents if came and essence(content.media_type) == "*/*")


def _plain(media_type: str) -> str:
    return media_type.replace(" ", "").lower()
