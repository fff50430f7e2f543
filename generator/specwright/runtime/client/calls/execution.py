"""Execution of calls, synchronous and asynchronous, for the groups of a client."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from time import monotonic
from typing import Any, TypeVar, cast

from ...shared.auth.scheme import Scheme
from ...shared.operation import ListOperation, Operation
from ..auth.signing import with_time_spent
from ..auth.tokens import Tokens, obtained, obtained_async
from ..config import ClientConfig
from ..options import CallOptions, RequestOptions
from ..transport.base import AsyncTransport, Request, Response, Transport, TransportError
from ..wire.positions import Position
from .core import Core, ListCall
from .flows import run, run_async, sleep
from .pagination import AsyncPages, Batch, Page, PageData, follow
from .retries import Pause, attempts
from .streams import AsyncStream, Stream
from .waiting import wait

T = TypeVar("T")


class SyncCalls(Core):
    """Executes the calls of a client."""

    stream = Stream
    transport: Transport

    def __init__(self, config: ClientConfig) -> None:
        super().__init__(config)
        self.sleep: Callable[[float], None] = time.sleep
        self.clock: Callable[[], float] = time.monotonic

    def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = None,
        options: RequestOptions | None = None,
        content_type: str | None = None,
        accept: str | None = None,
    ) -> T:
        """Execute an operation.

        Args:
            content_type: the media type of the request body; None for the default.
            accept: the requested media type of the response; None for the defaults.
        """
        call_options = self.options.changed(options)
        chosen = replace(call_options, content_type=content_type, accept=accept)
        response = self.response(operation, arguments, body, chosen)
        return cast("T", self.result(operation, response, chosen))

    def list(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        body: object = None,
        options: RequestOptions | None = None,
    ) -> Page[T]:
        """Execute an operation that returns a list."""
        call = ListCall(operation, arguments, body, self.options.changed(options))
        fetch = partial(self._page, call)
        return Page(fetch(None), fetch)

    def follow(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        body: object,
        interval: float,
        give_up_after: float | None,
        options: RequestOptions | None = None,
    ) -> Generator[Batch[T]]:
        """Read a list to its end, then poll it for new items."""
        # `follow` retries by itself, with pauses at least as long as the declared interval.
        chosen = replace(self.options.changed(options), max_retries=0)
        fetch = partial(self._page, ListCall(operation, arguments, body, chosen))
        flow = follow(operation, arguments, interval, give_up_after, self.clock)
        return run(flow, fetch, self.sleep)

    def wait(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object],
        timeout: float,
        options: RequestOptions | None = None,
    ) -> T:
        """Repeat an operation until its result is final."""
        flow = wait(operation, timeout, self.clock)
        read = partial(self.read, operation, arguments, self.options.changed(options))
        (value,) = run(flow, read, self.sleep)
        return value

    def response(
        self,
        operation: Operation[Any],
        arguments: Mapping[str, object],
        body: object,
        options: CallOptions,
    ) -> Response:
        """Send a request, with retries, and return the response."""
        request = self.request(operation, arguments, body, options)
        return self._send_with_retries(operation, request, options)

    def _page(self, call: ListCall[T], position: Position | None) -> PageData[T]:
        request = self.page_request(call, position)
        response = self._send_with_retries(call.operation, request, call.options)
        return self.page(call, position, request, response)

    def read(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object],
        options: CallOptions,
        left: float,
    ) -> T:
        """Execute an operation without a body within so many seconds."""
        response = self.response(operation, arguments, None, options.within(left))
        return cast("T", self.result(operation, response, options))

    def _send_with_retries(
        self, operation: Operation[Any], request: Request, options: CallOptions
    ) -> Response:
        schemes = self.credentials.chosen(operation, request)
        steps = attempts(operation, request, options, self.service.error)
        step = next(steps)
        while True:
            outcome: Response | TransportError | None = None
            if isinstance(step, Pause):
                self.sleep(step)
            else:
                try:
                    began = monotonic()
                    outcome = self.transport.send(self._signed(step, schemes, began))
                    if self.is_outdated(step, outcome, schemes):
                        outcome = self.transport.send(self._signed(step, schemes, began))
                except TransportError as error:
                    outcome = error
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return cast("Response", end.value)

    def _signed(self, request: Request, schemes: Sequence[Scheme], began: float) -> Request:
        for scheme in schemes:
            request = self.credentials.added(request, scheme, self._present(request, scheme))
        return with_time_spent(request, began)

    def _present(self, request: Request, scheme: Scheme) -> object:
        source = self.credentials.source(scheme)
        if isinstance(source, Tokens):
            with source.turn(request.deadline):
                return obtained(source.flow(request), self.transport.send, self.sleep)
        return source() if callable(source) else source


class AsyncCalls(Core):
    """The asynchronous counterpart of `SyncCalls`."""

    stream = AsyncStream
    transport: AsyncTransport

    def __init__(self, config: ClientConfig) -> None:
        super().__init__(config)
        self.sleep: Callable[[float], Awaitable[None]] = sleep
        self.clock: Callable[[], float] = time.monotonic

    async def call(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object] = {},
        body: object = None,
        options: RequestOptions | None = None,
        content_type: str | None = None,
        accept: str | None = None,
    ) -> T:
        """Execute an operation.

        Args:
            content_type: the media type of the request body; None for the default.
            accept: the requested media type of the response; None for the defaults.
        """
        call_options = self.options.changed(options)
        chosen = replace(call_options, content_type=content_type, accept=accept)
        response = await self.response(operation, arguments, body, chosen)
        return cast("T", self.result(operation, response, chosen))

    def list(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        body: object = None,
        options: RequestOptions | None = None,
    ) -> AsyncPages[T]:
        """Prepare an operation that returns a list."""
        call = ListCall(operation, arguments, body, self.options.changed(options))
        return AsyncPages(partial(self._page, call))

    def follow(
        self,
        operation: ListOperation[T],
        arguments: Mapping[str, object],
        body: object,
        interval: float,
        give_up_after: float | None,
        options: RequestOptions | None = None,
    ) -> AsyncGenerator[Batch[T]]:
        """Read a list to its end, then poll it for new items."""
        # `follow` retries by itself, with pauses at least as long as the declared interval.
        chosen = replace(self.options.changed(options), max_retries=0)
        fetch = partial(self._page, ListCall(operation, arguments, body, chosen))
        flow = follow(operation, arguments, interval, give_up_after, self.clock)
        return run_async(flow, fetch, self.sleep)

    async def wait(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object],
        timeout: float,
        options: RequestOptions | None = None,
    ) -> T:
        """Repeat an operation until its result is final."""
        flow = wait(operation, timeout, self.clock)
        read = partial(self.read, operation, arguments, self.options.changed(options))
        (value,) = [t async for t in run_async(flow, read, self.sleep)]
        return value

    async def response(
        self,
        operation: Operation[Any],
        arguments: Mapping[str, object],
        body: object,
        options: CallOptions,
    ) -> Response:
        """Send a request, with retries, and return the response."""
        request = self.request(operation, arguments, body, options)
        return await self._send_with_retries(operation, request, options)

    async def _page(self, call: ListCall[T], position: Position | None) -> PageData[T]:
        request = self.page_request(call, position)
        response = await self._send_with_retries(call.operation, request, call.options)
        return self.page(call, position, request, response)

    async def read(
        self,
        operation: Operation[T],
        arguments: Mapping[str, object],
        options: CallOptions,
        left: float,
    ) -> T:
        """Execute an operation without a body within so many seconds."""
        response = await self.response(operation, arguments, None, options.within(left))
        return cast("T", self.result(operation, response, options))

    async def _send_with_retries(
        self, operation: Operation[Any], request: Request, options: CallOptions
    ) -> Response:
        schemes = self.credentials.chosen(operation, request)
        steps = attempts(operation, request, options, self.service.error)
        step = next(steps)
        while True:
            outcome: Response | TransportError | None = None
            if isinstance(step, Pause):
                await self.sleep(step)
            else:
                try:
                    began = monotonic()
                    outcome = await self.transport.send(await self._signed(step, schemes, began))
                    if self.is_outdated(step, outcome, schemes):
                        signed = self._signed(step, schemes, began)
                        outcome = await self.transport.send(await signed)
                except TransportError as error:
                    outcome = error
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return cast("Response", end.value)

    async def _signed(self, request: Request, schemes: Sequence[Scheme], began: float) -> Request:
        add = self.credentials.added
        for scheme in schemes:
            request = add(request, scheme, await self._present(request, scheme))
        return with_time_spent(request, began)

    async def _present(self, request: Request, scheme: Scheme) -> object:
        source = self.credentials.source(scheme)
        if isinstance(source, Tokens):
            async with source.turn_async(request.deadline):
                flow = source.flow(request)
                return await obtained_async(flow, self.transport.send, self.sleep)
        credential = source() if callable(source) else source
        return await credential if isawaitable(credential) else credential
