"""Carries out calls: the bases of the synchronous and the asynchronous client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar, cast

from ..shared.operation import ListOperation, Operation
from .attempts import Pause, attempts
from .connections import AsyncHTTPTransport, HTTPTransport
from .core import Core, responses
from .courses import run, run_async
from .pagination import AsyncPages, Batch, Page, PageData, follow
from .service import Options, Service
from .transport import (
    AsyncTransport,
    Headers,
    Request,
    Response,
    Transport,
    TransportError,
)
from .waiting import wait

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RawResponse(Generic[T]):
    """An answer with what it means: `value` is what the method returns."""

    status: int
    headers: Headers = field(repr=False)
    content: bytes = field(repr=False)
    value: T


class SyncGroup:
    """Base of the groups of operations of a client."""

    def __init__(self, client: SyncClient) -> None:
        self._client = client


class AsyncGroup:
    """Base of the groups of operations of an asynchronous client."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client


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
        self._transport = transport or HTTPTransport(
            self.base_url, proxy, max_response_bytes=options.max_response_bytes
        )
        self._sleep: Callable[[float], None] = time.sleep
        self._clock: Callable[[], float] = time.monotonic

    def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = None,
    ) -> T:
        """Carry out an operation."""
        request = self.request(operation, arguments, body)
        return cast("T", self.result(operation, self._exchange(operation, request)))

    def list(self, operation: ListOperation[T], arguments: Mapping[str, object]) -> Page[T]:
        """Carry out an operation that returns a list."""
        fetch = partial(self._page, operation, arguments, self._options)
        return Page(fetch(None), fetch)

    def follow(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        interval: float,
        give_up_after: float | None,
    ) -> Generator[Batch[T]]:
        """Carry out an operation that returns a list, and go on with what is added."""
        # The course has pauses of its own, which are no shorter than the declared ones.
        fetch = partial(self._page, operation, arguments, replace(self._options, max_retries=0))
        course = follow(operation, arguments, interval, give_up_after, self._clock)
        return run(course, fetch, self._sleep)

    def wait(self, operation: Operation[T], arguments: Mapping[str, object], timeout: float) -> T:
        """Carry out an operation until what it reads is final."""
        course = wait(operation, timeout, self._clock)
        read = partial(self._read, operation, self.request(operation, arguments, None))
        (value,) = run(course, read, self._sleep)
        return value

    def with_raw_response(
        self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[T]:
        """Call a method of this client and return its answer with status and headers."""
        collected: list[Response] = []
        token = responses.set(collected)
        try:
            value = method(*args, **kwargs)
        finally:
            responses.reset(token)
        last = collected[-1]
        return RawResponse(last.status, last.headers, last.content, value)

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _page(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: Options,
        cursor: str | None,
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        request = self.request(operation, arguments, None)
        return self.page(operation, self._exchange(operation, request, options))

    def _read(self, operation: Operation[T], request: Request, left: float) -> T:
        deadline = self._options.deadline
        options = replace(self._options, deadline=left if deadline is None else min(left, deadline))
        return cast("T", self.result(operation, self._exchange(operation, request, options)))

    def _exchange(
        self, operation: Operation[Any], request: Request, options: Options | None = None
    ) -> Response:
        steps = attempts(operation, request, options or self._options, self._service.error)
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
        self._transport = transport or AsyncHTTPTransport(
            self.base_url, proxy, max_response_bytes=options.max_response_bytes
        )
        self._sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self._clock: Callable[[], float] = time.monotonic

    async def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = None,
    ) -> T:
        """Carry out an operation."""
        request = self.request(operation, arguments, body)
        return cast("T", self.result(operation, await self._exchange(operation, request)))

    def list(self, operation: ListOperation[T], arguments: Mapping[str, object]) -> AsyncPages[T]:
        """Prepare an operation that returns a list."""
        return AsyncPages(partial(self._page, operation, arguments, self._options))

    def follow(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        interval: float,
        give_up_after: float | None,
    ) -> AsyncGenerator[Batch[T]]:
        """Carry out an operation that returns a list, and go on with what is added."""
        # The course has pauses of its own, which are no shorter than the declared ones.
        fetch = partial(self._page, operation, arguments, replace(self._options, max_retries=0))
        course = follow(operation, arguments, interval, give_up_after, self._clock)
        return run_async(course, fetch, self._sleep)

    async def wait(
        self, operation: Operation[T], arguments: Mapping[str, object], timeout: float
    ) -> T:
        """Carry out an operation until what it reads is final."""
        course = wait(operation, timeout, self._clock)
        read = partial(self._read, operation, self.request(operation, arguments, None))
        (value,) = [each async for each in run_async(course, read, self._sleep)]
        return value

    async def with_raw_response(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> RawResponse[T]:
        """Call a method of this client and return its answer with status and headers."""
        collected: list[Response] = []
        token = responses.set(collected)
        try:
            value = await method(*args, **kwargs)
        finally:
            responses.reset(token)
        last = collected[-1]
        return RawResponse(last.status, last.headers, last.content, value)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()

    async def _page(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: Options,
        cursor: str | None,
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        request = self.request(operation, arguments, None)
        return self.page(operation, await self._exchange(operation, request, options))

    async def _read(self, operation: Operation[T], request: Request, left: float) -> T:
        deadline = self._options.deadline
        options = replace(self._options, deadline=left if deadline is None else min(left, deadline))
        return cast("T", self.result(operation, await self._exchange(operation, request, options)))

    async def _exchange(
        self, operation: Operation[Any], request: Request, options: Options | None = None
    ) -> Response:
        steps = attempts(operation, request, options or self._options, self._service.error)
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
