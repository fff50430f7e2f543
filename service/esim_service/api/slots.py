"""Slots for requests, of which each scope has its own: fair queuing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import get_args
from weakref import WeakValueDictionary

from ..store.changes.database import UnavailableError
from ..values.entities import Mode, Scope

WAIT_SECONDS = 10.0
_MODES: tuple[Mode, ...] = get_args(Mode)


class _Share:
    """A number of slots, and the queue for them: first come, first served."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def take(self, count: int) -> AsyncIterator[None]:
        """Wait for slots, and occupy them for the duration of the context."""
        turn = asyncio.get_running_loop().create_future()
        waiting = count, turn
        self._waiting.append(waiting)
        self._grant()
        try:
            await turn
            yield
        finally:
            if turn.cancelled():
                with suppress(ValueError):
                    self._waiting.remove(waiting)
            else:
                self._free += count
            self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._free:
            count, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._free -= count
                turn.set_result(None)


class Slots:
    """Limits the work in progress per scope, and per mode.

    A scope whose slots are taken waits in a queue of its own, so a burst delays only itself.
    """

    def __init__(
        self, per_scope: int, per_mode: int | None = None, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        """Create slots.

        Args:
            per_mode: for all scopes of a mode together. Only if several of them are slow at once
                does another one wait for them.
            wait_seconds: how long a request waits before it is rejected.
        """
        self._per_scope = per_scope
        self._wait_seconds = wait_seconds
        self._of_scope: WeakValueDictionary[Scope, _Share] = WeakValueDictionary()
        self._of_mode = {} if per_mode is None else {mode: _Share(per_mode) for mode in _MODES}

    @asynccontextmanager
    async def take(self, scope: Scope, count: int = 1) -> AsyncIterator[None]:
        """Wait for slots, and occupy them for the duration of the context.

        Args:
            count: all slots of a scope, if it has fewer.

        Raises:
            UnavailableError: not enough slots were free in time.
        """
        own = self._of_scope.setdefault(scope, _Share(self._per_scope))
        async with AsyncExitStack() as slots:
            try:
                async with asyncio.timeout(self._wait_seconds):
                    await slots.enter_async_context(own.take(min(count, self._per_scope)))
                    if scope.mode in self._of_mode:
                        await slots.enter_async_context(self._of_mode[scope.mode].take(count))
            except TimeoutError:
                raise UnavailableError("no slot was free in time") from None
            yield
