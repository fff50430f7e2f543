"""Customers that order endlessly at several processes, and the effects on them."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2

from tests.service.books import Books
from tests.service.caller import GONE, Caller
from tests.service.running import Running

PATIENCE_SECONDS = 10.0
PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Felt:
    """The result of one request, at a moment on the monotonic clock; status 0 for no response."""

    at: float
    seconds: float
    status: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The rate and latency of orders over a period."""

    orders_per_second: float
    p99_seconds: float


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An order that was answered, at a moment on the monotonic clock, and the bytes of that."""

    at: float
    body: bytes


@dataclass
class Crowd:
    """Customers of some partners at one process.

    Attributes:
        acknowledged: what came back, by key and reference.
    """

    running: Running
    keys: Sequence[str]
    customers: int = 6
    felt: list[Felt] = field(default_factory=list)
    acknowledged: dict[tuple[str, str], Acknowledged] = field(default_factory=dict)

    async def order(self, stopped: asyncio.Event) -> None:
        """Order until told to stop."""
        async with asyncio.TaskGroup() as group:
            for number in range(self.customers):
                group.create_task(self._customer(number, stopped))

    async def _customer(self, number: int, stopped: asyncio.Event) -> None:
        key, count = self.keys[number % len(self.keys)], 0
        while not stopped.is_set():
            try:
                async with Caller(self.running.base_url, key) as caller:
                    while not stopped.is_set():
                        reference = f"{self.running.process.pid}-{number}-{count}"
                        # What was not answered is asked again under the same name.
                        count += await self._once(caller, key, reference)
            except (*GONE, TimeoutError):
                await asyncio.sleep(PAUSE_SECONDS)

    async def _once(self, caller: Caller, key: str, reference: str) -> bool:
        begun, status = time.monotonic(), 0
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                answer = await caller.order(reference)
            status = answer.status
        finally:
            now = time.monotonic()
            self.felt.append(Felt(now, now - begun, status))
        if status == 201:
            new = Acknowledged(time.monotonic(), answer.body)
            known = self.acknowledged.setdefault((key, reference), new)
            assert known.body == answer.body, f"{reference} has two answers"
        else:
            assert status in (409, 503), answer
            await asyncio.sleep(PAUSE_SECONDS)
        return status == 201

    def figures(self, since: float, until: float) -> Figures:
        """Return the figures between two moments."""
        found = [each for each in self.felt if since <= each.at < until]
        waits = sorted(each.seconds for each in found if each.status == 201)
        return Figures(
            len(waits) / (until - since), waits[int(len(waits) * 0.99)] if waits else float("nan")
        )

    async def require_all(self, running: Running, until: float = math.inf) -> int:
        """Ask again for everything that was acknowledged: it is replayed byte for byte.

        Returns:
            how many are lost of those that were acknowledged from a moment on.
        """
        lost = 0
        for key in self.keys:
            async with Caller(running.base_url, key) as caller:
                for (owner, reference), known in self.acknowledged.items():
                    if owner == key:
                        again = await caller.order(reference)
                        if again.is_replay:
                            assert again.body == known.body
                        else:
                            assert known.at > until, f"{reference} was acknowledged and is lost"
                            lost += 1
        return lost


@asynccontextmanager
async def ordering(
    fleet: Sequence[Running], known: Books, partners: int = 2
) -> AsyncIterator[list[Crowd]]:
    """Let the same partners order at every process for the time of the context."""
    names = [f"partner {number}" for number in range(partners)]
    keys = [await known.key(name) for name in names]
    for name in names:
        credit = ("partners", "credit", "--mode", "test", name, "100000")
        await asyncio.to_thread(fleet[-1].run, *credit)
    crowds = [Crowd(running, keys) for running in fleet]
    stopped = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for crowd in crowds:
            group.create_task(crowd.order(stopped))
        try:
            yield crowds
        finally:
            stopped.set()


@dataclass
class Probe:
    """The responses of `/readyz`, polled continuously."""

    running: Running
    said: list[tuple[float, int]] = field(default_factory=list)

    async def run(self) -> None:
        """Poll until cancelled; 0 stands for no response."""
        async with httpx2.AsyncClient(timeout=2) as http:
            while True:
                try:
                    status = (await http.get(f"{self.running.operations}/readyz")).status_code
                except httpx2.HTTPError:
                    status = 0
                self.said.append((time.monotonic(), status))
                await asyncio.sleep(0.25)

    def between(self, since: float, until: float) -> str:
        """The answers between two moments, in words."""
        found = Counter(status for at, status in self.said if since <= at < until)
        return ", ".join(f"{status or 'none'} x {count}" for status, count in sorted(found.items()))
