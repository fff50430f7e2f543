"""Carries out calls, synchronous and asynchronous, for the groups of a client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

from ..shared.operation import ListOperation, Operation
from .attempts import Pause, attempts
from .core import Core, Given
from .options import Options, RequestOptions
from .pagination import AsyncPages, Page, PageData
from .transport import AsyncTransport, Request, Response, Transport, TransportError

T = TypeVar("T")


class SyncCalls(Core):
    """Carries out the calls of a client."""

    transport: Transport

    def __init__(self, *given: *Given) -> None:
        super().__init__(*given)
        self.sleep: Callable[[float], None] = time.sleep

    def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = None,
        options: RequestOptions | None = None,
    ) -> T:
        """Carry out an operation."""
        return cast("T", self.result(operation, self.answer(operation, arguments, body, options)))

    def list(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: RequestOptions | None = None,
    ) -> Page[T]:
        """Carry out an operation that returns a list."""
        fetch = partial(self._page, operation, arguments, options)
        return Page(fetch(None), fetch)

    def answer(
        self,
        operation: Operation[Any],
        arguments: Mapping[str, object],
        body: object,
        options: RequestOptions | None,
    ) -> Response:
        """Send a request until it succeeds, or for the last time."""
        chosen = self.options.changed(options)
        request = self.request(operation, arguments, body, chosen)
        return self._exchange(operation, request, chosen)

    def _page(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: RequestOptions | None,
        cursor: str | None,
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        return self.page(operation, self.answer(operation, arguments, None, options))

    def _exchange(self, operation: Operation[Any], request: Request, options: Options) -> Response:
        steps = attempts(operation, request, options, self.service.error)
        step = next(steps)
        while True:
            outcome: Response | TransportError | None = None
            if isinstance(step, Pause):
                self.sleep(step)
            else:
                try:
                    outcome = self.transport.send(self._signed(step))
                except TransportError as error:
                    outcome = error
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return cast("Response", end.value)

    def _signed(self, request: Request) -> Request:
        if self.has_key(request):
            return request
        return replace(request, headers=[*request.headers, self.credential.field()])


class AsyncCalls(Core):
    """The asynchronous twin of `SyncCalls`."""

    transport: AsyncTransport

    def __init__(self, *given: *Given) -> None:
        super().__init__(*given)
        self.sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = None,
        options: RequestOptions | None = None,
    ) -> T:
        """Carry out an operation."""
        answer = await self.answer(operation, arguments, body, options)
        return cast("T", self.result(operation, answer))

    def list(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: RequestOptions | None = None,
    ) -> AsyncPages[T]:
        """Prepare an operation that returns a list."""
        return AsyncPages(partial(self._page, operation, arguments, options))

    async def answer(
        self,
        operation: Operation[Any],
        arguments: Mapping[str, object],
        body: object,
        options: RequestOptions | None,
    ) -> Response:
        """Send a request until it succeeds, or for the last time."""
        chosen = self.options.changed(options)
        request = self.request(operation, arguments, body, chosen)
        return await self._exchange(operation, request, chosen)

    async def _page(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        options: RequestOptions | None,
        cursor: str | None,
    ) -> PageData[T]:
        if cursor is not None and operation.pagination is not None:
            arguments = {**arguments, operation.pagination.cursor: cursor}
        return self.page(operation, await self.answer(operation, arguments, None, options))

    async def _exchange(
        self, operation: Operation[Any], request: Request, options: Options
    ) -> Response:
        steps = attempts(operation, request, options, self.service.error)
        step = next(steps)
        while True:
            outcome: Response | TransportError | None = None
            if isinstance(step, Pause):
                await self.sleep(step)
            else:
                try:
                    outcome = await self.transport.send(await self._signed(step))
                except TransportError as error:
                    outcome = error
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return cast("Response", end.value)

    async def _signed(self, request: Request) -> Request:
        if self.has_key(request):
            return request
        return replace(request, headers=[*request.headers, await self.credential.field_async()])
