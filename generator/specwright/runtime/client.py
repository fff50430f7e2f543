"""The client's engine: one course of a call, driven by a synchronous and an asynchronous twin."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import MISSING, ValidationError

from .codec import Codecs
from .errors import (
    ApiConnectionError,
    ApiTimeoutError,
    InvalidArgumentError,
    InvalidResponseError,
    retry_after,
    status_error,
)
from .operation import ErrorShape, ListOperation, Operation
from .pagination import AsyncPages, Page, PageData
from .transport import (
    AsyncHTTPTransport,
    AsyncTransport,
    Headers,
    HTTPTransport,
    Request,
    Response,
    Transport,
    TransportError,
)
from .urls import header_value, path_segment, query_pairs

P = ParamSpec("P")
T = TypeVar("T")

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LONGEST_RETRY_AFTER = 60.0

_logger = logging.getLogger(__name__.partition(".")[0])


@dataclass(frozen=True, slots=True)
class Service:
    """What is known of the API besides its operations."""

    models: ModuleType
    error: ErrorShape
    env_prefix: str
    server_url: str
    user_agent: str
    credential_header: str | None
    credential_prefix: str


@dataclass(frozen=True, slots=True)
class Options:
    """How calls are made.

    Attributes:
        timeout: seconds for each step of one attempt (connect, send, each read).
        max_retries: attempts after the first, of operations that are safe to repeat.
        deadline: seconds for a call with all its attempts and pauses; None for no limit.
        headers: sent with every request.
    """

    timeout: float = 30.0
    max_retries: int = 2
    deadline: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class RawResponse(Generic[T]):
    """An answer with what it means: `value` is what the method returns."""

    status: int
    headers: Headers
    content: bytes = field(repr=False)
    value: T


class Pause(float):
    """Seconds to wait before the next attempt."""


Steps = Generator[Request | Pause, Response | TransportError | None, Response]

_responses: ContextVar[list[Response] | None] = ContextVar("responses", default=None)


class SyncGroup:
    """Base of the groups of operations of a client."""

    def __init__(self, client: SyncClient) -> None:
        self._client = client


class AsyncGroup:
    """Base of the groups of operations of an asynchronous client."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client


class Core:
    """Everything about calls that does not wait for anything."""

    def __init__(
        self, service: Service, api_key: str | None, base_url: str | None, options: Options
    ) -> None:
        environment = service.env_prefix
        base_url = base_url or os.environ.get(f"{environment}_BASE_URL") or service.server_url
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not base_url.isascii():
            raise InvalidArgumentError(
                f"the base URL {base_url!r} is not an HTTP address in ASCII; "
                f"pass base_url or set {environment}_BASE_URL"
            )
        self.base_url = base_url.rstrip("/")
        self.options = options
        self._service = service
        self._codecs = Codecs(service.models)
        self._headers: Headers = [
            ("host", parts.netloc.rpartition("@")[2]),
            ("accept", "application/json"),
            ("accept-encoding", "gzip"),
            ("user-agent", service.user_agent),
            *options.headers.items(),
        ]
        api_key = api_key or os.environ.get(f"{environment}_API_KEY")
        if service.credential_header is not None:
            if not api_key:
                raise InvalidArgumentError(f"no key: pass api_key or set {environment}_API_KEY")
            if not api_key.isascii() or not api_key.isprintable():
                raise InvalidArgumentError("the key has characters that no header can carry")
            self._headers.append((service.credential_header, service.credential_prefix + api_key))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.base_url}>"

    def request(
        self, operation: Operation[Any], arguments: Mapping[str, Any], body: object
    ) -> Request:
        """Validate what was passed and write it as a request.

        Raises:
            InvalidArgumentError: an argument breaks the contract.
        """
        path, query, where = operation.path, list[str](), ""
        headers = self._headers
        try:
            for parameter in operation.parameters:
                value = arguments.get(parameter.name, MISSING)
                if value is MISSING:
                    continue
                where = parameter.wire
                if parameter.model is not None:
                    codec = self._codecs[parameter.model]
                    value = codec.plain(codec.check(value))
                if parameter.location == "query":
                    query += [f"{name}={text}" for name, text in query_pairs(parameter, value)]
                elif parameter.location == "path":
                    segment = path_segment(parameter, value)
                    if segment in ("", ".", ".."):
                        raise InvalidArgumentError(f"{where}: {value!r} cannot stand in a path")
                    path = path.replace("{" + where + "}", segment)
                elif parameter.location == "header":
                    headers = [*headers, (where, header_value(parameter, value))]
                else:
                    headers = [*headers, ("cookie", f"{where}={header_value(parameter, value)}")]
            content = None
            if body is not MISSING and operation.body_type is not None:
                where = "body"
                if operation.body is not None:
                    if isinstance(body, dict):
                        # A property with a default does not know the sentinel.
                        members = cast("dict[str, object]", body).items()
                        body = {name: each for name, each in members if each is not MISSING}
                    codec = self._codecs[operation.body]
                    content = codec.encode(codec.check(body), exclude_unset=True)
                else:
                    content = cast("bytes", body)
                headers = [*headers, ("content-type", operation.body_type)]
            elif operation.method not in ("GET", "HEAD"):
                content = b""
        except ValidationError as error:
            raise InvalidArgumentError(_problems(where, error)) from None
        url = self.base_url + path + ("?" + "&".join(query) if query else "")
        return Request(operation.method, url, headers, content, self.options.timeout)

    def steps(self, operation: Operation[Any], request: Request) -> Steps:
        """The course of a call: yields what to send and how long to wait.

        Raises:
            ApiError: the call failed for good.
        """
        retries = self.options.max_retries if operation.idempotent else 0
        deadline = self.options.deadline
        ends = None if deadline is None else time.monotonic() + deadline
        outcome: Response | TransportError | None = None
        for attempt in range(retries + 1):
            if ends is not None:
                left = ends - time.monotonic()
                if left <= 0:
                    raise ApiTimeoutError(f"{operation.id}: the deadline of {deadline} s is over")
                request = replace(request, timeout=min(request.timeout, left))
            outcome = yield request
            if isinstance(outcome, Response):
                _logger.debug("%s %s: %d", request.method, operation.path, outcome.status)
                if 200 <= outcome.status < 300:
                    return outcome
                pause = self._pause(operation, outcome, attempt)
            else:
                pause = _backoff(attempt)
            out_of_time = ends is not None and time.monotonic() + (pause or 0) >= ends
            if pause is None or attempt == retries or out_of_time:
                break
            _logger.info("%s: attempt %d in %.1f s", operation.id, attempt + 2, pause)
            yield Pause(pause)
        if isinstance(outcome, Response):
            self._record(outcome)
            raise status_error(outcome, self._service.error)
        failure = cast("TransportError", outcome)
        kind = ApiTimeoutError if failure.timed_out else ApiConnectionError
        raise kind(f"{operation.id}: {failure}") from failure

    def _pause(self, operation: Operation[Any], response: Response, attempt: int) -> float | None:
        """Seconds to wait after an answer; None when another attempt cannot help."""
        in_progress = operation.idempotency and operation.idempotency.in_progress
        if response.status not in RETRIED and response.status != in_progress:
            return None
        asked = retry_after(response)
        if asked is None:
            return _backoff(attempt)
        return asked if asked <= LONGEST_RETRY_AFTER else None

    def result(self, operation: Operation[Any], response: Response) -> Any:
        """Read an answer.

        Raises:
            InvalidResponseError: the answer breaks the contract.
        """
        self._record(response)
        _, model = operation.model_for(response.status)
        if model is None:
            return None
        if model == "bytes":
            return response.content
        try:
            return self._codecs[model].read(response.content)
        except ValidationError as error:
            raise InvalidResponseError(
                f"{operation.id}: the answer breaks the contract: {_problems('body', error)}",
                response,
            ) from error

    def page(self, operation: ListOperation[T], response: Response) -> PageData[T]:
        """Read a page of a list."""
        body = self.result(operation, response)
        pagination = operation.pagination
        assert pagination is not None
        value = self._attribute(body, pagination.next)
        cursor = value if isinstance(value, str) else None
        more = self._attribute(body, pagination.more) if pagination.more else cursor is not None
        items = cast("Sequence[T]", self._attribute(body, pagination.items))
        return PageData(items, cursor, more is True)

    def _attribute(self, value: object, path: tuple[str, ...]) -> object:
        for name in path:
            value = getattr(value, name, None)
        return value

    def _record(self, response: Response) -> None:
        responses = _responses.get()
        if responses is not None:
            responses.append(response)


class SyncClient(Core):
    """Base of the generated client."""

    def __init__(
        self,
        service: Service,
        api_key: str | None,
        base_url: str | None,
        options: Options,
        transport: Transport | None,
        proxy: str | None,
    ) -> None:
        super().__init__(service, api_key, base_url, options)
        self._transport = transport or HTTPTransport(self.base_url, proxy)
        self._sleep: Callable[[float], None] = time.sleep

    def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = MISSING,
    ) -> T:
        """Carry out an operation."""
        request = self.request(operation, arguments, body)
        return cast("T", self.result(operation, self._exchange(operation, request)))

    def list(self, operation: ListOperation[T], arguments: Mapping[str, object]) -> Page[T]:
        """Carry out an operation that returns a list."""
        fetch = partial(self._page, operation, arguments)
        return Page(fetch(None), fetch)

    def with_raw_response(
        self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[T]:
        """Call a method of this client and return its answer with status and headers."""
        responses: list[Response] = []
        token = _responses.set(responses)
        try:
            value = method(*args, **kwargs)
        finally:
            _responses.reset(token)
        last = responses[-1]
        return RawResponse(last.status, last.headers, last.content, value)

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _page(
        self, operation: ListOperation[T], arguments: Mapping[str, object], cursor: str | None
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        request = self.request(operation, arguments, MISSING)
        return self.page(operation, self._exchange(operation, request))

    def _exchange(self, operation: Operation[Any], request: Request) -> Response:
        steps = self.steps(operation, request)
        step = next(steps)
        while True:
            outcome: Response | TransportError | None = None
            if isinstance(step, Pause):
                self._sleep(step)
            else:
                try:
                    outcome = self._transport.send(step)
                except TransportError as error:
                    outcome = error
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return cast("Response", end.value)


class AsyncClient(Core):
    """Base of the generated asynchronous client."""

    def __init__(
        self,
        service: Service,
        api_key: str | None,
        base_url: str | None,
        options: Options,
        transport: AsyncTransport | None,
        proxy: str | None,
    ) -> None:
        super().__init__(service, api_key, base_url, options)
        self._transport = transport or AsyncHTTPTransport(self.base_url, proxy)
        self._sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = MISSING,
    ) -> T:
        """Carry out an operation."""
        request = self.request(operation, arguments, body)
        return cast("T", self.result(operation, await self._exchange(operation, request)))

    def list(self, operation: ListOperation[T], arguments: Mapping[str, object]) -> AsyncPages[T]:
        """Prepare an operation that returns a list."""
        return AsyncPages(partial(self._page, operation, arguments))

    async def with_raw_response(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[T]:
        """Call a method of this client and return its answer with status and headers."""
        responses: list[Response] = []
        token = _responses.set(responses)
        try:
            value = await method(*args, **kwargs)
        finally:
            _responses.reset(token)
        last = responses[-1]
        return RawResponse(last.status, last.headers, last.content, value)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()

    async def _page(
        self, operation: ListOperation[T], arguments: Mapping[str, object], cursor: str | None
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        request = self.request(operation, arguments, MISSING)
        return self.page(operation, await self._exchange(operation, request))

    async def _exchange(self, operation: Operation[Any], request: Request) -> Response:
        steps = self.steps(operation, request)
        step = next(steps)
        while True:
            outcome: Response | TransportError | None = None
            if isinstance(step, Pause):
                await self._sleep(step)
            else:
                try:
                    outcome = await self._transport.send(step)
                except TransportError as error:
                    outcome = error
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return cast("Response", end.value)


def _backoff(attempt: int) -> float:
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    # Half of it is chance, so that clients that failed together do not return together.
    return longest * (0.5 + random.random() / 2)


def _problems(where: str, error: ValidationError) -> str:
    problems = (
        ".".join(map(str, (where, *problem["loc"]))) + ": " + problem["msg"]
        # Without the input: it may be a secret.
        for problem in error.errors(include_url=False, include_input=False)
    )
    return "; ".join(problems)
