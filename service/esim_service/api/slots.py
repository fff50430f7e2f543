"""Slots for requests, of which each scope has its own: fair queuing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
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

    def take_free(self, count: int) -> bool:
        """Take slots if they are free and nothing waits for them; return whether that is so."""
        is_free = not self._waiting and count <= self._free
        if is_free:
            self._free -= count
        return is_free

    async def take(self, count: int) -> None:
        """Wait for slots, and take them."""
        turn = asyncio.get_running_loop().create_future()
        waiting = count, turn
        self._waiting.append(waiting)
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                # It is gone if slots were given back since.
                with suppress(ValueError):
                    self._waiting.remove(waiting)
                self._grant()
            else:
                self.release(count)
            raise

    def release(self, count: int) -> None:
        """Give slots back."""
        self._free += count
        self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._free:
            count, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._free -= count
                turn.set_result(None)


class _Occupation:
    """Takes slots of several shares for the duration of a context.

    A class, as nearly every request finds free slots: a generator would cost more than they do.
    """

    def __init__(self, shares: Sequence[tuple[_Share, int]], wait_seconds: float) -> None:
        self._shares = shares
        self._wait_seconds = wait_seconds

    async def __aenter__(self) -> None:
        for number, (share, count) in enumerate(self._shares):
            if not share.take_free(count):
                await self._wait(number)
                return

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._release(len(self._shares))

    async def _wait(self, number: int) -> None:
        """Take slots of the shares after the first so many, which are taken."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                for share, count in self._shares[number:]:
                    await share.take(count)
                    number += 1
        except TimeoutError:
            self._release(number)
            raise UnavailableError("no slot was free in time") from None
        except asyncio.CancelledError:
            self._release(number)
            raise

    def _release(self, number: int) -> None:
        for share, count in self._shares[:number]:
            share.release(count)


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

    def take(self, scope: Scope, count: int = 1) -> _Occupation:
        """Return a context that waits for slots, and occupies them until it ends.

        It raises an `UnavailableError` if not enough slots are free in time.

        Args:
            count: all slots of a scope, if it has fewer.
        """
        own = self._of_scope.get(scope)
        if own is None:
            own = self._of_scope[scope] = _Share(self._per_scope)
        shares: tuple[tuple[_Share, int], ...] = ((own, min(count, self._per_scope)),)
        if self._of_mode:
            shares += ((self._of_mode[scope.mode], count),)
        return _Occupation(shares, self._wait_seconds)
