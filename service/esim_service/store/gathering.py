"""Collects what waits for the database, so that one round does much of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from ..values.entities import Scope
from .change import Change
from .database import UnavailableError
from .together import Outcome

Q = TypeVar("Q")

BATCH = 64

Make: TypeAlias = Callable[[Sequence[Q]], Awaitable[Sequence[Outcome[Any]]]]


@dataclass(frozen=True, slots=True, eq=False)
class _Request(Generic[Q]):
    """Something that is asked for, and who waits for it."""

    asked: Q
    future: asyncio.Future[Any]


class Gathering(Generic[Q]):
    """Has requests done in batches; what comes while all are busy is in the next ones."""

    def __init__(self, make: Make[Q], workers: int = 1) -> None:
        self._make = make
        self._workers = workers
        self._working = 0
        self._waiting: list[_Request[Q]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def do(self, asked: Q) -> Any:
        """Have something done in one of the next batches; return what came of it."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Request(asked, future))
        if self._working < self._workers:
            self._working += 1
            task = asyncio.create_task(self._work())
            # The loop itself does not keep a task alive.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await future

    def choose(self, waiting: Sequence[Q]) -> Sequence[bool]:
        """Say which of those that wait can be in one batch now."""
        return [True] * min(len(waiting), BATCH)

    def ended(self, batch: Sequence[Q]) -> None:
        """Take note that a batch is done."""

    async def _work(self) -> None:
        try:
            while batch := self._next():
                await self._do(batch)
        finally:
            # Before anything else can happen, so that nobody counts on a worker that has stopped.
            self._working -= 1

    async def _do(self, batch: Sequence[_Request[Q]]) -> None:
        asked = [each.asked for each in batch]
        try:
            outcomes = await self._outcomes(asked)
        finally:
            self.ended(asked)
        for each, outcome in zip(batch, outcomes, strict=True):
            # Who was cancelled does not wait any more.
            if each.future.done():
                continue
            if outcome.error is not None:
                each.future.set_exception(outcome.error)
            else:
                each.future.set_result(outcome.result)

    def _next(self) -> Sequence[_Request[Q]]:
        chosen = self.choose([each.asked for each in self._waiting])
        marked = [*zip(self._waiting, chosen, strict=False)]
        rest = [each for each, is_chosen in marked if not is_chosen]
        self._waiting = rest + self._waiting[len(marked) :]
        return [each for each, is_chosen in marked if is_chosen]

    async def _outcomes(self, asked: Sequence[Q]) -> Sequence[Outcome[Any]]:
        try:
            return await self._make(asked)
        except Exception as error:
            if len(asked) == 1 or isinstance(error, UnavailableError):
                return [Outcome(error=error) for _ in asked]
        # One of them breaks the transaction of all, so each gets its own.
        return [outcome for each in asked for outcome in await self._outcomes([each])]


class GatheredChanges(Gathering[Change[Any]]):
    """Changes in batches, of which no two hold one account, and none two of one subject."""

    def __init__(self, make: Make[Change[Any]]) -> None:
        super().__init__(make)
        self._busy: set[Scope] = set()

    def choose(self, waiting: Sequence[Change[Any]]) -> Sequence[bool]:
        """Say which changes can share the next transaction."""
        chosen: list[bool] = []
        subjects: set[tuple[Scope, str]] = set()
        for change in waiting:
            subject = change.scope, change.subject
            is_chosen = (
                len(subjects) < BATCH and change.scope not in self._busy and subject not in subjects
            )
            chosen.append(is_chosen)
            if is_chosen:
                subjects.add(subject)
        self._busy |= {scope for scope, _ in subjects}
        return chosen

    def ended(self, batch: Sequence[Change[Any]]) -> None:
        """Let the accounts of a batch be in another one."""
        self._busy -= {change.scope for change in batch}
