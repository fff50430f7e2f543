"""Connection pools, one for each origin of a receiver."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpcore2

# Short, because a receiver that closes an idle connection just then makes an attempt fail.
IDLE_SECONDS = 2.0
_IDLE_ORIGINS = 32


@dataclass(slots=True)
class _Pool:
    """The pool of an origin, the number of its requests in flight, and the end of the last one."""

    connections: httpcore2.AsyncConnectionPool
    requests: int = 0
    idle_since: float = 0.0


class Pools:
    """Keep the connections of each origin in a pool of their own.

    httpcore looks at all connections of a pool whenever a request begins or ends. In a pool for
    all, each delivery would pay for the receivers that hang.
    """

    def __init__(self, make: Callable[[], httpcore2.AsyncConnectionPool]) -> None:
        """Make an empty collection; `make` makes the pool of an origin."""
        self._make = make
        self._busy: dict[str, _Pool] = {}
        # In the order in which they became idle.
        self._idle: dict[str, _Pool] = {}

    @asynccontextmanager
    async def of(self, origin: str) -> AsyncIterator[httpcore2.AsyncConnectionPool]:
        """Lend the pool of an origin, such as `https://example.com:443`, for one request."""
        pool = self._busy.get(origin) or self._idle.pop(origin, None) or _Pool(self._make())
        self._busy[origin] = pool
        pool.requests += 1
        try:
            yield pool.connections
        finally:
            pool.requests -= 1
            if not pool.requests:
                pool.idle_since = asyncio.get_running_loop().time()
                self._idle[origin] = self._busy.pop(origin)
            await self._close_idle()

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in (*self._busy.values(), *self._idle.values()):
            await pool.connections.aclose()

    async def _close_idle(self) -> None:
        oldest_allowed = asyncio.get_running_loop().time() - IDLE_SECONDS
        while self._idle:
            origin, pool = next(iter(self._idle.items()))
            if len(self._idle) <= _IDLE_ORIGINS and pool.idle_since >= oldest_allowed:
                return
            del self._idle[origin]
            await pool.connections.aclose()
