"""Responses from the results of handlers, checked against the contract."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError
from starlette.concurrency import iterate_in_threadpool

from ..shared.codec import Codecs, problems_of
from ..shared.free_json import write_json
from ..shared.media.accept import quality
from ..shared.media.medium import Chunks, Converter, Payload
from ..shared.media.table import medium_of, stream_medium_of
from ..shared.operation import Content, Contents, Operation
from ..shared.responses import Redirect
from .problems import ServerResponse

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_NO_HEADERS: Mapping[str, str] = {}
_JSON: Mapping[str, str] = {"content-type": "application/json"}


class BrokenContractError(Exception):
    """The response of a handler breaks the contract."""


# Without slots: with them, `Reply[Order](order)` fails for a frozen class on Python 3.11.
@dataclass(frozen=True)
class Reply(Generic[T_co]):
    """A handler's response with headers, or with a status other than the first declared success.

    `value` may be the bytes of an earlier response, which are sent unchanged.

    Attributes:
        content_type: the media type of the response, if the contract declares several.
    """

    value: T_co | bytes
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str | None = None


class ResponseWriter:
    """Writes the responses of one operation."""

    def __init__(self, operation: Operation[Any], codecs: Codecs, check: bool) -> None:
        self._operation = operation
        self._codecs = codecs
        self._check = check
        success = next(iter(operation.successes), "200")
        self._status = int(success.replace("XX", "00").replace("default", "200"))
        # The default content of each status, with its converter.
        self._usual: dict[int, tuple[Content, Converter] | None] = {}

    def write(self, result: object, accept: str = "") -> ServerResponse:
        """Return the response for the result of a handler.

        Args:
            accept: the `Accept` header, which chooses among media types of the same value.

        Raises:
            BrokenContractError: the response breaks the contract.
        """
        if isinstance(result, Redirect):
            result = Reply(None, result.status, {"location": result.url})
        reply = cast("Reply[object]", result) if isinstance(result, Reply) else Reply(result)
        status, value = reply.status or self._status, reply.value
        if status not in self._usual:
            self._usual[status] = self._form(status)
        usual = self._usual[status]
        has_none = value is None and (status >= 300 or self._operation.method == "HEAD")
        if usual is None or has_none:
            return _raw(status, value, reply.headers)
        content, converter = self._chosen(status, reply, usual, accept)
        if isinstance(value, bytes) and not medium_of(content.media_type).is_binary:
            if self._check and not medium_of(content.media_type).is_stream:
                self._checked(status, content, value, converter)
            return _response(status, content.media_type, value, reply.headers)
        return self._encoded(status, content, value, converter, reply.headers)

    def _encoded(
        self,
        status: int,
        content: Content,
        value: Any,
        converter: Converter,
        headers: Mapping[str, str],
    ) -> ServerResponse:
        medium = medium_of(content.media_type)
        is_iterator = medium.is_stream and hasattr(value, "__next__")
        if is_iterator or hasattr(value, "__aiter__"):
            parts = self._parts(status, content, value, converter)
            return _response(status, content.media_type, parts, headers)
        encode = partial(medium.encode, content, value, converter)
        media_type, body = _written(status, value, encode)
        if self._check and isinstance(body, bytes) and not medium.is_stream:
            self._checked(status, content, body, converter)
        return _response(status, media_type, body, headers)

    def _checked(self, status: int, content: Content, body: bytes, converter: Converter) -> None:
        try:
            medium_of(content.media_type).decode(content, body, content.media_type, converter)
            return
        except ValidationError as error:
            wrong = problems_of("body", error)
        raise BrokenContractError(f"the body of {status} breaks its schema: {wrong}")

    async def _parts(
        self,
        status: int,
        content: Content,
        values: AsyncIterable[Any] | Iterator[Any],
        converter: Converter,
    ) -> AsyncIterator[bytes]:
        medium = stream_medium_of(content.media_type)
        async for value in (
            values if isinstance(values, AsyncIterable) else iterate_in_threadpool(values)
        ):
            if medium is None:
                yield value
            else:
                yield _written(status, value, partial(medium.item, content, value, converter))

    def _form(self, status: int) -> tuple[Content, Converter] | None:
        contents = self._declared(status)
        return (contents[0], self._codecs.server(contents[0].model)) if contents else None

    def _declared(self, status: int) -> Contents:
        contents = self._operation.contents_of(status)
        if contents is None and (status >= 300 or self._operation.successes):
            raise BrokenContractError(f"the status {status} is not declared")
        return contents or ()

    def _chosen(
        self, status: int, reply: Reply[object], usual: tuple[Content, Converter], accept: str
    ) -> tuple[Content, Converter]:
        """Return the content that a handler names, or the stream if it returns items.

        Otherwise, the client chooses among those of the same value.
        """
        is_stream = hasattr(reply.value, "__aiter__") or hasattr(reply.value, "__next__")
        if reply.content_type is None and not is_stream:
            return (
                usual if isinstance(reply.value, bytes) else self._preferred(status, usual, accept)
            )
        for content in self._declared(status):
            named = content.media_type == reply.content_type
            if named or (
                reply.content_type is None and is_stream and medium_of(content.media_type).is_stream
            ):
                return content, self._codecs.server(content.model)
        if reply.content_type is None:
            return usual
        raise BrokenContractError(f"{status} is not declared as {reply.content_type}")

    def _preferred(
        self, status: int, usual: tuple[Content, Converter], accept: str
    ) -> tuple[Content, Converter]:
        declared = self._declared(status)
        if not accept or len(declared) == 1 or usual[0].model is None:
            return usual
        same = [content for content in declared if _is_same_value(content, usual[0])]
        return max(same, key=lambda content: quality(accept, content.media_type)), usual[1]


def _is_same_value(content: Content, other: Content) -> bool:
    """Return whether a value of one content is one of the other: the same object or list."""
    first, second = medium_of(content.media_type), medium_of(other.media_type)
    has_value = first.is_object and second.is_object and not first.is_multipart
    return content == other or (content.model == other.model and has_value)


def _written(status: int, value: object, write: Callable[[], T]) -> T:
    """Return the result of a function that encodes a value.

    Raises:
        BrokenContractError: the value breaks the schema.
    """
    try:
        return write()
    except PydanticSerializationError:
        wrong = f"a {type(value).__name__} is not, or does not contain, valid values"
    except ValidationError as error:
        wrong = problems_of("body", error)
    except ValueError as error:
        wrong = f"body: {error}"
    # Outside the block: Pydantic's error contains the values, and this one is logged.
    raise BrokenContractError(f"the body of {status} breaks its schema: {wrong}")


def _raw(status: int, value: object, headers: Mapping[str, str]) -> ServerResponse:
    """Return a response with a body that the contract does not describe."""
    match value:
        case None:
            return ServerResponse(status, b"", headers)
        case _ if status in (204, 205):
            raise BrokenContractError(f"a response with the status {status} must not have a body")
        case bytes():
            return _response(status, "application/octet-stream", value, headers)
        case str():
            return _response(status, "text/plain; charset=utf-8", value.encode(), headers)
        case _:
            pass
    try:
        return _response(status, "application/json", write_json(value), headers)
    except PydanticSerializationError:
        wrong = f"a {type(value).__name__} is not a JSON value"
    except ValidationError as error:
        wrong = problems_of("body", error)
    raise BrokenContractError(f"the body of {status} cannot be serialized: {wrong}")


def _response(
    status: int,
    media_type: str,
    body: Payload | AsyncIterator[bytes],
    headers: Mapping[str, str],
) -> ServerResponse:
    declared = _JSON if media_type == "application/json" else {"content-type": media_type}
    if isinstance(body, Chunks):
        size = {} if body.size is None else {"content-length": str(body.size)}
        return ServerResponse(
            status, iterate_in_threadpool(body.read()), {**declared, **size, **headers}
        )
    return ServerResponse(status, body, {**declared, **headers} if headers else declared)
