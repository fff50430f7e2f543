"""The part of a call without I/O: arguments to a request, a response to a value."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar, cast
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

from ...shared import querystring, styles
from ...shared.auth.scheme import Scheme
from ...shared.codec import problems_of
from ...shared.media.medium import Chunks, Converter, ItemReader, Payload
from ...shared.media.table import medium_of, stream_medium_of
from ...shared.operation import Content, ListOperation, Operation, attribute
from ...shared.responses import RawBody, Redirect
from ..config import ClientConfig
from ..errors import InvalidArgumentError, InvalidResponseError
from ..options import MAX_RESPONSE_BYTES, OMIT, CallOptions, ClientOptions
from ..transport.base import Headers, Request, Response
from ..unchecked import unchecked
from ..wire.addresses import Addresses, origin_of
from ..wire.contents import accept, has_body, is_empty, is_stream, lacks_body, raw, received, sent
from ..wire.headers import is_cookie_pair, is_header_value, merged
from ..wire.positions import (
    Position,
    arguments_at,
    content_at,
    has_more,
    next_position,
    position_in,
    url_at,
)
from ..wire.query import parts, with_parts
from .pagination import PageData
from .retries import GONE, is_repeatable
from .streams import AsyncStream, Stream

T = TypeVar("T")

_logger = logging.getLogger(__name__.partition(".")[0])


@dataclass(slots=True)
class Collected:
    """The calls of a block.

    Attributes:
        headers: added to their requests.
        url: that of their requests; None for that of the operation.
        is_repeated: whether the calls will be made again, so that only GET is permitted.
        is_open: whether the bodies of their responses are left to be streamed.
        is_checked: whether a response that breaks the contract is an error.
        responses: in the order of the calls.
        request: that of the last call, without credentials.
        max_retries: that of the last call.
        items: the decoder of the last response, if it is a stream of items.
    """

    headers: Headers = field(default_factory=Headers)
    url: str | None = None
    is_repeated: bool = False
    is_open: bool = False
    is_checked: bool = True
    responses: list[Response] = field(default_factory=list[Response])
    request: Request | None = None
    max_retries: int = 0
    items: ItemReader | None = None

    def prepared(self, request: Request, options: CallOptions) -> Request:
        """Record a request and return it with the headers and the URL of the block.

        Raises:
            InvalidArgumentError: the call cannot be made again.
        """
        if self.is_repeated and request.method != "GET":
            raise InvalidArgumentError("only the stream of a GET can reconnect")
        if self.url is not None:
            request = replace(request, url=self.url, route=self.url.partition("?")[0])
        self.request = replace(request, headers=merged(request.headers, self.headers))
        self.max_retries = options.max_retries
        return self.request


# The calls of `with_raw_response`, `with_streaming_response` and the like.
collected: ContextVar[Collected | None] = ContextVar("collected", default=None)


@dataclass(slots=True)
class ListCall(Generic[T]):
    """A call of an operation that returns a list, which each page repeats.

    Attributes:
        first: the request for the first page, if the position of a page is in the body. The other
            pages repeat its body, so that a model that changes meanwhile does not affect them.
    """

    operation: ListOperation[T]
    arguments: Mapping[str, object]
    body: object
    options: CallOptions
    first: Request | None = None


class Core:
    """The part of calls without I/O.

    Attributes:
        max_item_bytes: maximum size of an item of a stream.
    """

    stream: type[Stream[Any]] | type[AsyncStream[Any]]
    max_item_bytes = MAX_RESPONSE_BYTES

    def __init__(self, config: ClientConfig) -> None:
        service, app_name = config.service, config.app_name
        self.options = CallOptions().changed(config.options)
        self._addresses = Addresses(service, config.base_url, config.server_variables)
        self.base_url = self._addresses.base.url
        if app_name is not None and not is_header_value(app_name):
            raise InvalidArgumentError("app_name has characters that are not valid in a header")
        self.service = service
        self._codecs = service.codecs
        self._headers: Headers = [
            ("user-agent", f"{service.user_agent} {app_name}" if app_name else service.user_agent),
        ]
        self.credentials = config.credentials
        # Operations with a response that broke the contract, shared with copies.
        self._reported: set[str] = set()

    def with_options(self, options: ClientOptions) -> Self:
        """Return a copy with other options and the same connections.

        Raises:
            InvalidArgumentError: an option is unknown or has an invalid value.
        """
        changed = copy(self)
        changed.options = self.options.changed(options)
        return changed

    def request(
        self,
        operation: Operation[Any],
        arguments: Mapping[str, Any],
        body: object,
        options: CallOptions,
    ) -> Request:
        """Validate the arguments and return the request.

        Raises:
            InvalidArgumentError: an argument breaks the contract.
        """
        address = self._addresses.of(operation.servers)
        path, query, cookies = operation.path, list[str](), list[str]()
        headers = Headers()
        for parameter in operation.parameters:
            value = arguments.get(parameter.name)
            where = parameter.wire
            if value is not None:
                value = from_json(self._encoded(parameter.model, where, value))
            if styles.is_undefined(value, parameter.style):
                if parameter.required:
                    raise InvalidArgumentError(f"{where}: a value is required")
            elif styles.is_ambiguous(parameter, value):
                raise InvalidArgumentError(f"{where}: a part of the value contains the delimiter")
            elif parameter.content is not None:
                query += _in_query(where, parameter.content, value)
            elif parameter.location == "query":
                query += parts(parameter, value)
            elif parameter.location == "path":
                segment = styles.text(parameter, value)
                if segment in ("", ".", ".."):
                    raise InvalidArgumentError(f"{where}: this value is not valid in a path")
                path = path.replace("{" + where + "}", segment)
            elif parameter.location == "cookie":
                cookies += parts(parameter, value)
                if not all(map(is_cookie_pair, cookies)):
                    raise InvalidArgumentError(f"{where}: this value is not valid in a cookie")
            else:
                text = styles.text(parameter, value)
                if not is_header_value(text):
                    raise InvalidArgumentError(f"{where}: this value is not valid in a header")
                headers.append((where, text))
        if cookies:
            headers.append(("cookie", "; ".join(cookies)))
        stream = self._is_streamed(operation, options)
        own = [
            ("host", address.host),
            *self._headers,
            ("accept", accept(operation, options.accept)),
        ]
        if operation.key_header is not None:
            own.append((operation.key_header, str(uuid4())))
        # Only complete bodies are decompressed, so streams are requested uncompressed.
        own.append(("accept-encoding", "identity" if stream else "gzip"))
        content: Payload | None = None
        may_be_none = operation.body_required or operation.body_nullable
        is_absent = body is OMIT or (body is None and not may_be_none)
        if operation.body and (options.body or not is_absent):
            is_made = options.body and (is_absent or body is None)
            sent_body = dict[str, object]() if is_made else body
            media_type, content = self._content(sent(operation, options.content_type), sent_body)
            if options.body:
                content = self._encoded(None, "body", _with_members(content, options.body))
            own.append(("content-type", media_type))
        elif operation.method not in ("GET", "HEAD"):
            content = b""
        if options.query:
            more = from_json(self._encoded(None, "extra_query", dict(options.query)))
            query = with_parts(query, more)
        request = Request(
            operation.method,
            address.url + path + ("?" + "&".join(query) if query else ""),
            merged(merged(own, options.headers), headers),
            content if isinstance(content, bytes) else None,
            options.timeout,
            route=address.url + operation.path,
            stream=stream,
            chunks=content if isinstance(content, Chunks) else None,
        )
        block = collected.get()
        return request if block is None else block.prepared(request, options)

    def reading(self, url: str) -> Operation[RawBody]:
        """Return the operation that reads any URL, with credentials for that of the client only."""
        is_own = origin_of(url).lower() == origin_of(self.base_url).lower()
        return Operation(
            "read",
            "",
            "GET",
            urlsplit(url).path,
            responses={"2XX": ()},
            security=self.service.security if is_own else (),
            idempotent=True,
        )

    def is_outdated(self, request: Request, response: Response, schemes: Sequence[Scheme]) -> bool:
        """Return whether to send a refused request again with other credentials."""
        is_refused = response.status == 401
        is_renewed = is_refused and self.credentials.renewed(schemes, request, response)
        return is_renewed and is_repeatable(request)

    def _encoded(self, model: str | None, where: str, value: object) -> bytes:
        return _written(where, lambda: self._codecs[model].encode(value))

    def _is_streamed(self, operation: Operation[Any], options: CallOptions) -> bool:
        block = collected.get()
        return (block is not None and block.is_open) or is_stream(operation, options.accept)

    def _content(self, content: Content, body: object) -> tuple[str, Payload]:
        codec = self._codecs[content.model]
        if isinstance(body, dict):
            members = cast("dict[str, object]", body).items()
            body = {
                name: each
                for name, each in members
                if each is not OMIT and not (each is None and codec.leaves_out(name))
            }
        medium = medium_of(content.media_type)
        converter = self._codecs.client(content.model)
        return _written("body", lambda: medium.encode(content, body, converter))

    def result(self, operation: Operation[Any], response: Response, options: CallOptions) -> Any:
        """Return the value of a response.

        Raises:
            InvalidResponseError: the response breaks the contract.
        """
        is_checked = options.check_responses
        block = collected.get()
        if block is not None:
            block.responses.append(response)
            if block.is_open:
                return None
            is_checked = is_checked and block.is_checked
        if response.status in GONE:
            # An earlier attempt has already deleted the resource.
            return None
        is_null = is_empty(operation.method, response) and self._is_null(
            received(operation, response)
        )
        if is_null:
            return None
        if lacks_body(operation, response):
            problem = "the response has no body and an undeclared status"
            if is_checked:
                raise InvalidResponseError(f"{operation.id}: {problem}", response)
            self._report(operation, problem)
            return None
        if not has_body(operation, response.status):
            return None
        if operation.redirects_by(response.status):
            return Redirect(response.status, response.header("location") or "")
        content = received(operation, response)
        return self._value(operation, content, response, is_checked=is_checked)

    def _value(
        self,
        operation: Operation[Any],
        content: Content | None,
        response: Response,
        *,
        is_checked: bool,
    ) -> Any:
        block = collected.get()
        try:
            if content is None:
                return raw(response)
            converter = self._converter(operation, content, is_checked=is_checked)
            stream = stream_medium_of(content.media_type)
            if stream is not None:
                items = stream.reader(content, converter)
                if block is not None:
                    block.items = items
                return self.stream.of(operation.id, response, items, self.max_item_bytes)
            medium = medium_of(content.media_type)
            media_type = response.header("content-type") or content.media_type
            is_replaced = medium_of(media_type).is_json and not medium.is_json
            decode = medium.decode_json if is_replaced else medium.decode
            return decode(content, response.content, media_type, converter)
        except ValidationError as error:
            problems = problems_of("body", error)
        except ValueError:
            problems = "body: the content does not match its media type"
        raise InvalidResponseError(
            f"{operation.id}: the response breaks the contract: {problems}", response
        )

    def _is_null(self, content: Content | None) -> bool:
        """Return whether a response without a body is the null of its schema."""
        if content is None or not medium_of(content.media_type).is_json:
            return False
        try:
            self._codecs.client(content.model).read(b"null")
        except ValidationError:
            return False
        return True

    def _converter(
        self, operation: Operation[Any], content: Content, *, is_checked: bool
    ) -> Converter:
        if is_checked:
            return self._codecs.client(content.model)

        def report(error: ValidationError) -> None:
            self._report(operation, problems_of("body", error))

        return unchecked(self._codecs, content.model, report=report)

    def _report(self, operation: Operation[Any], problems: str) -> None:
        """Log the problems of a response that is returned in spite of them, once per operation."""
        if operation.id not in self._reported:
            self._reported.add(operation.id)
            _logger.warning(
                "%s: the response breaks the contract: %s",
                operation.id,
                problems,
                extra={"operation": operation.id},
            )

    def page_request(self, call: ListCall[T], position: Position | None) -> Request:
        """Return the request for the page at a position; None uses that of the arguments."""
        operation, arguments = call.operation, call.arguments
        pagination = operation.pagination
        assert pagination is not None
        if pagination.member:
            return self._page_request_by_body(call, pagination.member, position)
        moved = arguments if position is None else arguments_at(operation, arguments, position)
        request = self.request(operation, moved, call.body, call.options)
        if position is None:
            return request
        return replace(request, url=url_at(pagination, request.url, position))

    def _page_request_by_body(
        self, call: ListCall[T], member: tuple[str, ...], position: Position | None
    ) -> Request:
        first = call.first
        if first is None:
            first = self.request(call.operation, call.arguments, call.body, call.options)
            call.first = first
        if position is None:
            return first
        if not first.content:
            # Only a request with a body has the headers of one.
            first = self.request(call.operation, call.arguments, {}, call.options)
        return replace(first, content=content_at(first.content, member, position))

    def page(
        self, call: ListCall[T], position: Position | None, request: Request, response: Response
    ) -> PageData[T]:
        """Return the page of a list from the response for a position."""
        body = self.result(call.operation, response, call.options)
        pagination = call.operation.pagination
        assert pagination is not None
        page_items = attribute(body, pagination.items)
        items: Sequence[T] = [] if page_items is None else cast("Sequence[T]", page_items)
        current: object = position
        if pagination.member:
            current = position_in(request.content, pagination.member)
        elif position is None:
            current = call.arguments.get(pagination.cursor)
        following = next_position(call.operation, body, response, current, len(items))
        more = has_more(pagination, body, current, following)
        return PageData(call.operation.id, items, following, more)


def _in_query(where: str, content: Content, value: Any) -> list[str]:
    return _written(where, lambda: querystring.parts(content, value))


def _written(where: str, write: Callable[[], T]) -> T:
    try:
        return write()
    except ValidationError as error:
        problems = problems_of(where, error)
    except PydanticSerializationError:
        problems = f"{where}: a field of a model has an invalid value"
    except OSError as error:
        problems = f"{where}: a file cannot be read: {error.strerror}"
    except ValueError as error:
        problems = f"{where}: {error}"
    # Outside the block: a chained error would expose the value.
    raise InvalidArgumentError(problems)


def _with_members(content: Payload, members: Mapping[str, Any]) -> Mapping[str, Any]:
    body = None
    if isinstance(content, bytes):
        with suppress(ValueError):
            body = json.loads(content)
    if not isinstance(body, dict):
        raise InvalidArgumentError("extra_body: the body is not a JSON object")
    return {**cast("dict[str, object]", body), **members}
