"""Base classes of the generated clients and of their groups of operations."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import asynccontextmanager, contextmanager
from copy import copy
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Generic, ParamSpec, Self, TypeVar, Unpack

from pydantic import JsonValue

from ..shared.free_json import read_json
from ..shared.operation import Operation, as_json
from ..shared.responses import RawBody
from .auth.credentials import brought
from .calls.core import Collected, Core, collected
from .calls.execution import AsyncCalls, SyncCalls
from .calls.flows import run, run_async
from .calls.streamed import AsyncStreamedResponse, StreamedResponse
from .calls.streams import AsyncStream, Stream
from .config import ClientConfig
from .errors import ApiError, InvalidArgumentError, InvalidResponseError
from .options import ClientOptions, RequestOptions, positive_integer
from .service import Service
from .transport.base import AsyncTransport, Headers, Response, Transport
from .transport.http import AsyncHTTPTransport, HTTPTransport
from .wire.headers import Fields, is_header_name
from .wire.rate_limits import RateLimit, rate_limit

if TYPE_CHECKING:
    import httpx2

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
C = TypeVar("C")

# RFC 9110, 9.2.2.
_IDEMPOTENT = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"})
_PATH = re.compile(r"/[!\"$-;=@-~]*")


@dataclass(frozen=True, slots=True)
class RawResponse(Generic[T_co]):
    """A response with its parsed value.

    Attributes:
        headers: by case-insensitive name.
        content: the decompressed body.
        value: the return value of the method.
        request_id: the service's id of this request, if the contract names a header for it.
        rate_limit: the remaining rate limit, if the contract names headers for it.
        url: that of the request, without credentials.
    """

    status: int
    headers: Fields = field(repr=False)
    content: bytes = field(repr=False)
    value: T_co
    request_id: str | None
    rate_limit: RateLimit | None
    url: str = field(repr=False)

    @property
    def etag(self) -> str | None:
        """The version of the resource, for the options `if_match` and `if_none_match`."""
        return self.headers.get("etag")


class SyncGroup:
    """Base class of a client's groups of operations."""

    def __init__(self, calls: SyncCalls) -> None:
        self._calls = calls


class AsyncGroup:
    """Base class of an asynchronous client's groups of operations."""

    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls


class SyncClient:
    """Base class of the generated client."""

    def __init__(
        self, config: ClientConfig, http_client: httpx2.Client | None, transport: Transport | None
    ) -> None:
        self._calls = SyncCalls(config)
        _check_one_way(proxy=config.proxy, http_client=http_client, transport=transport)
        limit = positive_integer("max_response_bytes", config.max_response_bytes)
        self._calls.max_item_bytes = limit
        self._calls.transport = transport or HTTPTransport(
            self.base_url, limit, config.proxy, http_client
        )
        config.credentials.prepare(config.service, self.base_url, brought(http_client, transport))
        self._is_copy = False

    @property
    def base_url(self) -> str:
        """The base URL of the API."""
        return self._calls.base_url

    def with_options(self, **options: Unpack[ClientOptions]) -> Self:
        """Return a client with other options that shares the connections of this one.

        Closing this client closes them; closing the returned one does nothing.

        Raises:
            InvalidArgumentError: an option is unknown or has an invalid value.
        """
        return _copy(self, self._calls.with_options(options), SyncGroup)

    def with_raw_response(
        self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[T]:
        """Call a method of this client and return the response with status and headers."""
        with _collected() as block:
            value = method(*args, **kwargs)
        return _raw(self._calls, block, block.responses[-1], value)

    def with_unchecked_response(
        self, method: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[object]:
        """Call a method of this client and return the response, even if it breaks the contract.

        The value has the return type of the method as far as it fits, and is any JSON value else.
        """
        with _collected(is_checked=False) as block:
            value = method(*args, **kwargs)
        return _raw(self._calls, block, block.responses[-1], value)

    @contextmanager
    def with_streaming_response(
        self, method: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs
    ) -> Generator[StreamedResponse]:
        """Call a method of this client and stream the body of the response.

        The connection is closed at the end of the block.
        """

        def request(headers: Headers) -> Collected:
            with _collected(headers=headers, is_open=True) as block:
                method(*args, **kwargs)
            return block

        response = StreamedResponse(_name(method), request([]), request, self._calls.sleep)
        try:
            yield response
        finally:
            response.close()

    def with_reconnection(
        self, method: Callable[P, Stream[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> Stream[T]:
        """Call a method that returns an event stream, and connect again when a connection ends.

        The server gets the id of the last event, continues after it, and ends the stream with a
        204. A connection that cannot be made, after the retries of a call, is an error.

        Raises:
            InvalidArgumentError: the method sends no GET, or returns other items than events.
        """
        from .calls.reconnecting import reconnecting

        def connect(headers: Headers) -> tuple[Stream[T] | None, Collected]:
            with _collected(headers=headers, is_repeated=True) as block:
                return method(*args, **kwargs), block

        return reconnecting(_name(method), connect, self._calls.sleep)

    def run_all(
        self, calls: Iterable[Callable[[], T]], *, concurrency: int = 8
    ) -> list[T | ApiError]:
        """Make many calls in several threads, and return the results in order.

        A call that fails has its error in place of its result. No call begins while the service
        asks to wait: by `Retry-After`, or by the headers of its rate limit, up to a minute.

        Args:
            calls: functions without arguments, such as `partial(client.things.get, "a")`.
            concurrency: maximum calls at a time.
        """
        from .calls.batches import Gate, run_all

        gate = Gate(self._calls.service.rate_limit_headers, self._calls.clock)
        concurrency = positive_integer("concurrency", concurrency)
        return run_all(calls, concurrency, gate, self._calls.sleep)

    def wait_for_job(
        self,
        accepted: RawResponse[object],
        *,
        timeout: float,
        is_done: Callable[[RawResponse[RawBody]], bool] | None = None,
    ) -> RawResponse[RawBody]:
        """Wait until an accepted job is done, and return the response about its result.

        It reads the `Operation-Location` or the `Location` of the response, at most as often as
        `Retry-After` permits.

        Args:
            accepted: the 202 response, from `with_raw_response`.
            timeout: seconds in total.
            is_done: returns whether a response is the last one; None for any status but 202. A 303
                is followed in either case.

        Raises:
            InvalidResponseError: the place of the job is missing, or has another origin.
            WaitTimeoutError: the job was not done in time.
        """
        from .calls.jobs import JobState, Reading, waiting

        def read(reading: Reading) -> JobState[RawResponse[RawBody]]:
            options = self._calls.options
            with _collected(url=reading.url, headers=[("host", reading.host)]) as block:
                value = self._calls.read(
                    self._calls.reading(reading.url), {}, options, reading.seconds
                )
            response = block.responses[-1]
            return JobState(reading.url, response, _raw(self._calls, block, response, value))

        first = JobState(accepted.url, _accepted(accepted), accepted)
        flow = waiting("wait_for_job", first, timeout, is_done or _is_final, self._calls.clock)
        (result,) = run(flow, read, self._calls.sleep)
        return result

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, JsonValue] | None = None,
        body: object = None,
        request_options: RequestOptions | None = None,
    ) -> RawResponse[JsonValue]:
        """Send a request that no method of this client covers.

        It uses the client's base URL, credentials, errors and time limits, and is retried only if
        its method is idempotent (RFC 9110, 9.2.2).

        Args:
            path: relative to the base URL, starting with `/` and percent-encoded.
            query: parameters by name.
            body: a JSON value, which may contain models of this package; sent as JSON.
            request_options: options for this call.

        Returns:
            The response; its value is the JSON body, None without a body.
        """
        operation, call_options = _free(
            self._calls.service, method, path, body, query, request_options
        )
        options = self._calls.options.changed(call_options)
        with _collected() as block:
            response = self._calls.response(operation, {}, body, options)
        return _raw(self._calls, block, response, _read(response))

    def close(self) -> None:
        """Close all connections; an `http_client` passed by the caller stays open."""
        if not self._is_copy:
            self._calls.transport.close()

    def __enter__(self) -> Self:
        """Return the client, which is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        self.close()

    def __repr__(self) -> str:
        return _shown(self)


class AsyncClient:
    """Base class of the generated asynchronous client."""

    def __init__(
        self,
        config: ClientConfig,
        http_client: httpx2.AsyncClient | None,
        transport: AsyncTransport | None,
    ) -> None:
        self._calls = AsyncCalls(config)
        _check_one_way(proxy=config.proxy, http_client=http_client, transport=transport)
        limit = positive_integer("max_response_bytes", config.max_response_bytes)
        self._calls.max_item_bytes = limit
        self._calls.transport = transport or AsyncHTTPTransport(
            self.base_url, limit, config.proxy, http_client
        )
        config.credentials.prepare(config.service, self.base_url, brought(http_client, transport))
        self._is_copy = False

    @property
    def base_url(self) -> str:
        """The base URL of the API."""
        return self._calls.base_url

    def with_options(self, **options: Unpack[ClientOptions]) -> Self:
        """Return a client with other options that shares the connections of this one.

        Closing this client closes them; closing the returned one does nothing.

        Raises:
            InvalidArgumentError: an option is unknown or has an invalid value.
        """
        return _copy(self, self._calls.with_options(options), AsyncGroup)

    async def with_raw_response(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[T]:
        """Call a method of this client and return the response with status and headers."""
        with _collected() as block:
            value = await method(*args, **kwargs)
        return _raw(self._calls, block, block.responses[-1], value)

    async def with_unchecked_response(
        self, method: Callable[P, Awaitable[object]], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[object]:
        """Call a method of this client and return the response, even if it breaks the contract.

        The value has the return type of the method as far as it fits, and is any JSON value else.
        """
        with _collected(is_checked=False) as block:
            value = await method(*args, **kwargs)
        return _raw(self._calls, block, block.responses[-1], value)

    @asynccontextmanager
    async def with_streaming_response(
        self, method: Callable[P, Awaitable[object]], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncGenerator[AsyncStreamedResponse]:
        """Call a method of this client and stream the body of the response.

        The connection is closed at the end of the block.
        """

        async def request(headers: Headers) -> Collected:
            with _collected(headers=headers, is_open=True) as block:
                await method(*args, **kwargs)
            return block

        block = await request([])
        response = AsyncStreamedResponse(_name(method), block, request, self._calls.sleep)
        try:
            yield response
        finally:
            await response.close()

    async def with_reconnection(
        self, method: Callable[P, Awaitable[AsyncStream[T]]], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncStream[T]:
        """Call a method that returns an event stream, and connect again when a connection ends.

        The server gets the id of the last event, continues after it, and ends the stream with a
        204. A connection that cannot be made, after the retries of a call, is an error.

        Raises:
            InvalidArgumentError: the method sends no GET, or returns other items than events.
        """
        from .calls.reconnecting import reconnecting_async

        async def connect(headers: Headers) -> tuple[AsyncStream[T] | None, Collected]:
            with _collected(headers=headers, is_repeated=True) as block:
                return await method(*args, **kwargs), block

        return await reconnecting_async(_name(method), connect, self._calls.sleep)

    async def run_all(
        self, calls: Iterable[Callable[[], Awaitable[T]]], *, concurrency: int = 8
    ) -> list[T | ApiError]:
        """Make many calls in several tasks, and return the results in order.

        A call that fails has its error in place of its result. No call begins while the service
        asks to wait: by `Retry-After`, or by the headers of its rate limit, up to a minute.

        Args:
            calls: functions without arguments, such as `partial(client.things.get, "a")`.
            concurrency: maximum calls at a time.
        """
        from .calls.batches import Gate, run_all_async

        gate = Gate(self._calls.service.rate_limit_headers, self._calls.clock)
        concurrency = positive_integer("concurrency", concurrency)
        return await run_all_async(calls, concurrency, gate, self._calls.sleep)

    async def wait_for_job(
        self,
        accepted: RawResponse[object],
        *,
        timeout: float,
        is_done: Callable[[RawResponse[RawBody]], bool] | None = None,
    ) -> RawResponse[RawBody]:
        """Wait until an accepted job is done, and return the response about its result.

        It reads the `Operation-Location` or the `Location` of the response, at most as often as
        `Retry-After` permits.

        Args:
            accepted: the 202 response, from `with_raw_response`.
            timeout: seconds in total.
            is_done: returns whether a response is the last one; None for any status but 202. A 303
                is followed in either case.

        Raises:
            InvalidResponseError: the place of the job is missing, or has another origin.
            WaitTimeoutError: the job was not done in time.
        """
        from .calls.jobs import JobState, Reading, waiting

        async def read(reading: Reading) -> JobState[RawResponse[RawBody]]:
            options = self._calls.options
            with _collected(url=reading.url, headers=[("host", reading.host)]) as block:
                value = await self._calls.read(
                    self._calls.reading(reading.url), {}, options, reading.seconds
                )
            response = block.responses[-1]
            return JobState(reading.url, response, _raw(self._calls, block, response, value))

        first = JobState(accepted.url, _accepted(accepted), accepted)
        flow = waiting("wait_for_job", first, timeout, is_done or _is_final, self._calls.clock)
        (result,) = [done async for done in run_async(flow, read, self._calls.sleep)]
        return result

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, JsonValue] | None = None,
        body: object = None,
        request_options: RequestOptions | None = None,
    ) -> RawResponse[JsonValue]:
        """Send a request that no method of this client covers.

        It uses the client's base URL, credentials, errors and time limits, and is retried only if
        its method is idempotent (RFC 9110, 9.2.2).

        Args:
            path: relative to the base URL, starting with `/` and percent-encoded.
            query: parameters by name.
            body: a JSON value, which may contain models of this package; sent as JSON.
            request_options: options for this call.

        Returns:
            The response; its value is the JSON body, None without a body.
        """
        operation, call_options = _free(
            self._calls.service, method, path, body, query, request_options
        )
        options = self._calls.options.changed(call_options)
        with _collected() as block:
            response = await self._calls.response(operation, {}, body, options)
        return _raw(self._calls, block, response, _read(response))

    async def close(self) -> None:
        """Close all connections; an `http_client` passed by the caller stays open."""
        if not self._is_copy:
            await self._calls.transport.close()

    async def __aenter__(self) -> Self:
        """Return the client, which is closed at the end of the block."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        await self.close()

    def __repr__(self) -> str:
        return _shown(self)


def _copy(client: C, calls: Core, group: type) -> C:
    copied = copy(client)
    members = vars(copied)
    # Cached groups use this client's options; the copy creates its own on first access.
    for name in [name for name, value in members.items() if isinstance(value, group)]:
        del members[name]
    members.update(_calls=calls, _is_copy=True)
    return copied


def _shown(client: SyncClient | AsyncClient) -> str:
    # Error reports also show clients that failed in their constructor.
    address = f" {client.base_url}" if "_calls" in vars(client) else ""
    return f"<{type(client).__name__}{address}>"


def _check_one_way(**ways: object) -> None:
    present = [name for name, way in ways.items() if way is not None]
    if len(present) > 1:
        raise InvalidArgumentError(f"{' and '.join(present)} cannot be combined")


@contextmanager
def _collected(
    *,
    headers: Headers | None = None,
    url: str | None = None,
    is_repeated: bool = False,
    is_open: bool = False,
    is_checked: bool = True,
) -> Generator[Collected]:
    block = Collected(headers or [], url, is_repeated, is_open, is_checked)
    token = collected.set(block)
    try:
        yield block
    finally:
        collected.reset(token)


def _raw(calls: Core, block: Collected, response: Response, value: T) -> RawResponse[T]:
    headers = Fields(response.headers)
    name = calls.service.error.shape.request_id_header
    request_id = headers.get(name) if name else None
    left = rate_limit(headers, *calls.service.rate_limit_headers)
    assert block.request is not None
    url = block.request.url
    return RawResponse(response.status, headers, response.content, value, request_id, left, url)


def _is_final(response: RawResponse[object]) -> bool:
    return response.status != 202


def _accepted(accepted: RawResponse[object]) -> Response:
    return Response(accepted.status, list(accepted.headers.items()), accepted.content)


def _free(
    service: Service,
    method: str,
    path: str,
    body: object,
    query: Mapping[str, JsonValue] | None,
    call_options: RequestOptions | None,
) -> tuple[Operation[object], RequestOptions]:
    if not is_header_name(method):
        raise InvalidArgumentError("method: not a valid HTTP method")
    if not _PATH.fullmatch(path):
        raise InvalidArgumentError("path must begin with / and be percent-encoded, without query")
    method = method.upper()
    operation: Operation[object] = Operation(
        "request",
        "",
        method,
        path,
        body=() if body is None else as_json(None),
        responses={"2XX": ()},
        security=service.security,
        idempotent=method in _IDEMPOTENT,
    )
    options = RequestOptions() if call_options is None else call_options.copy()
    if query:
        options["extra_query"] = {**query, **options.get("extra_query", {})}
    return operation, options


def _name(method: Callable[..., object]) -> str:
    return getattr(method, "__name__", "call")


def _read(response: Response) -> JsonValue:
    if not response.content:
        return None
    try:
        return read_json(response.content)
    except ValueError:
        pass
    raise InvalidResponseError("request: the response is not valid JSON", response)
