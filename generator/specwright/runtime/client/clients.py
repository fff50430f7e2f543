"""Carries out calls: the bases of the synchronous and the asynchronous client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar, cast

from ..shared.operation import ListOperation, Operation
from .attempts import Pause, attempts
from .connections import AsyncHTTPTransport, HTTPTransport
from .core import Core, responses
from .pagination import AsyncPages, Page, PageData
from .service import Options, Service
from .transport import (
    AsyncTransport,
    Headers,
    Request,
    Response,
    Transport,
    TransportError,
)

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
        fetch = partial(self._page, operation, arguments)
        return Page(fetch(None), fetch)

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
        self, operation: ListOperation[T], arguments: Mapping[str, object], cursor: str | None
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        request = self.request(operation, arguments, None)
        return self.page(operation, self._exchange(operation, request))

    def _exchange(self, operation: Operation[Any], request: Request) -> Response:
        steps = attempts(operation, request, self._options, self._service.error)
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
        return AsyncPages(partial(self._page, operation, arguments))

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
        self, operation: ListOperation[T], arguments: Mapping[str, object], cursor: str | None
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        request = self.request(operation, arguments, None)
        return self.page(operation, await self._exchange(operation, request))

    async def _exchange(self, operation: Operation[Any], request: Request) -> Response:
        steps = attempts(operation, request, self._options, self._service.error)
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
