"""Batching of database requests, so that one round trip does many of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

from .database import ConflictError, UnavailableError, UnitOutcome

Q = TypeVar("Q")

BATCH = 64

# A request, and the future of its caller.
_Waiting: TypeAlias = tuple[Q, asyncio.Future[Any]]
RunBatch: TypeAlias = Callable[[Sequence[Q]], Awaitable[Sequence[UnitOutcome[Any]]]]


class Batcher(Generic[Q]):
    """Runs requests in batches; those that arrive while all workers are busy join the next ones."""

    def __init__(
        self,
        run_requests: RunBatch[Q],
        key: Callable[[Q], Hashable] = id,
        workers: int = 1,
        patience_seconds: float = 0.0,
    ) -> None:
        """Create a batcher.

        Args:
            key: two requests with the same key are never in one batch.
            workers: the number of concurrent batches. One worker makes the batches larger.
            patience_seconds: how long a batch waits to become as large as the one before it.
        """
        self._run_requests = run_requests
        self._key = key
        self._workers = workers
        self._patience_seconds = patience_seconds
        self._working = 0
        self._waiting: list[_Waiting[Q]] = []
        self._expected = 1
        self._progress_at = 0.0
        self._enough = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, request: Q) -> Any:
        """Run a request in one of the next batches; return its result."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if not self._working:
            self._progress_at = loop.time()
        self._waiting.append((request, future))
        if len(self._waiting) >= self._expected:
            self._enough.set()
        if self._working < self._workers:
            self._working += 1
            task = asyncio.create_task(self._work())
            # The event loop itself does not keep a task alive.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await future

    @property
    def stalled_seconds(self) -> float:
        """The seconds for which requests have waited without a finished batch."""
        return asyncio.get_running_loop().time() - self._progress_at if self._working else 0.0

    async def _work(self) -> None:
        try:
            while batch := self._next():
                await self._run_batch(batch)
                self._progress_at = asyncio.get_running_loop().time()
                if self._patience_seconds:
                    await self._expect(len(batch))
        finally:
            # Before anything else can run, so that no caller relies on a worker that has stopped.
            self._working -= 1

    async def _expect(self, count: int) -> None:
        """Wait a moment for as many requests again: the callers may have more."""
        if len(self._waiting) >= count:
            return
        self._expected = count
        self._enough.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_seconds):
                await self._enough.wait()

    async def _run_batch(self, batch: Sequence[_Waiting[Q]]) -> None:
        outcomes = await self._outcomes([request for request, _ in batch])
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            # A cancelled caller no longer waits.
            if future.done():
                continue
            if outcome.error is not None:
                future.set_exception(outcome.error)
            else:
                future.set_result(outcome.result)

    def _next(self) -> Sequence[_Waiting[Q]]:
        """Take the requests of one batch; the others keep their places."""
        batch: list[_Waiting[Q]] = []
        rest: list[_Waiting[Q]] = []
        keys: set[Hashable] = set()
        for waiting in self._waiting:
            key = self._key(waiting[0])
            if len(batch) < BATCH and key not in keys:
                keys.add(key)
                batch.append(waiting)
            else:
                rest.append(waiting)
        self._waiting = rest
        return batch

    async def _outcomes(self, requests: Sequence[Q]) -> Sequence[UnitOutcome[Any]]:
        try:
            return await self._run_requests(requests)
        except Exception as error:
            is_away = isinstance(error, UnavailableError) and not isinstance(error, ConflictError)
            if len(requests) == 1 or is_away:
                return [UnitOutcome(error=error) for _ in requests]
        # One of them breaks the transaction of all: repeated halving isolates it.
        middle = len(requests) // 2
        return [*await self._outcomes(requests[:middle]), *await self._outcomes(requests[middle:])]
