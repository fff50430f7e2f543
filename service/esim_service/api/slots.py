"""Slots for requests, of which each scope has its own: fair queuing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable
from types import TracebackType

from ..store.changes.database import UnavailableError

WAIT_SECONDS = 10.0


class _Share:
    """A number of slots, and the queue for them: first come, first served."""

    __slots__ = "_count", "_free", "_key", "_shares", "_waiting"

    def __init__(self, count: int, key: Hashable, shares: dict[Hashable, _Share]) -> None:
        self._count = self._free = count
        self._key = key
        self._shares = shares
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
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.release(count)
            # It is gone if slots were given back since.
            elif waiting in self._waiting:
                self._waiting.remove(waiting)
                self.release(0)
            raise

    def release(self, count: int) -> None:
        """Give slots back, and forget the share if it is idle."""
        self._free += count
        while self._waiting and self._waiting[0][0] <= self._free:
            wanted, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._free -= wanted
                turn.set_result(None)
        # Nothing waits for them then, as no request wants more than all.
        if self._free == self._count:
            del self._shares[self._key]


class _Occupation:
    """Takes slots for the duration of a context.

    A class, as nearly every request finds free slots: a generator would cost more than they do.
    """

    __slots__ = "_count", "_key", "_owner", "_share"

    def __init__(self, owner: Slots, key: Hashable, count: int) -> None:
        self._owner = owner
        self._key = key
        self._count = count

    async def __aenter__(self) -> None:
        # Not before: a share that nothing occupies may be forgotten.
        self._share = self._owner.share(self._key)
        if not self._share.take_free(self._count):
            try:
                async with asyncio.timeout(self._owner.wait_seconds):
                    await self._share.take(self._count)
            except TimeoutError:
                raise UnavailableError("no slot was free in time") from None

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._share.release(self._count)


class Slots:
    """Limits the work in progress per key, such as a scope or a mode.

    A scope whose slots are taken waits in a queue of its own, so a burst delays only itself.
    """

    def __init__(self, count: int, wait_seconds: float = WAIT_SECONDS) -> None:
        """Create slots.

        Args:
            count: of each key.
            wait_seconds: how long a request waits before it is rejected.
        """
        self.count = count
        self.wait_seconds = wait_seconds
        self._shares: dict[Hashable, _Share] = {}

    def take(self, key: Hashable, count: int = 1) -> _Occupation:
        """Return a context that waits for slots, and occupies them until it ends.

        It raises an `UnavailableError` if not enough slots are free in time.

        Args:
            count: all slots of the key, if it has fewer.
        """
        return _Occupation(self, key, count if count < self.count else self.count)

    def share(self, key: Hashable) -> _Share:
        """Return the slots of a key."""
        share = self._shares.get(key)
        if share is None:
            share = self._shares[key] = _Share(self.count, key, self._shares)
        return share
