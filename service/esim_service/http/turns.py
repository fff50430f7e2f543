"""The order in which requests begin: a burst of one client delays only itself."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable

_PER_PASS = 4
# A pass in which as many begin takes about as long.
_PASS_SECONDS = 0.002


class RequestTurns:
    """Lets a few requests of each credential begin in each pass of the event loop.

    To authenticate and parse a request takes a third of a millisecond. Hundreds that arrive at once
    would do so one after another before anything else, and only then queue for the slots of their
    scope. Clients are distinguished by the credentials that they send, which need not be valid.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Create turns; `now` returns seconds."""
        self._now = now
        self._begun: dict[bytes, int] = {}
        self._pass_ends = 0.0
        self._waiting: dict[bytes, deque[asyncio.Future[None]]] = {}

    async def take(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Wait until a request with these headers may begin."""
        credential = b""
        for name, value in headers:
            if name == b"authorization":
                credential = value
                break
        # The loop itself separates passes only while requests wait: a pass more for every few
        # requests, with its system call, would cost as much as parsing one.
        if not self._waiting and (now := self._now()) >= self._pass_ends:
            self._begun.clear()
            self._pass_ends = now + _PASS_SECONDS
        begun = self._begun[credential] = self._begun.get(credential, 0) + 1
        if begun > _PER_PASS:
            loop = asyncio.get_running_loop()
            if not self._waiting:
                loop.call_soon(self._next_pass)
            turn = loop.create_future()
            self._waiting.setdefault(credential, deque()).append(turn)
            await turn

    def _next_pass(self) -> None:
        self._begun.clear()
        for credential, turns in tuple(self._waiting.items()):
            begun = 0
            while turns and begun < _PER_PASS:
                turn = turns.popleft()
                if not turn.cancelled():
                    turn.set_result(None)
                    begun += 1
            self._begun[credential] = begun
            if not turns:
                del self._waiting[credential]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next_pass)
