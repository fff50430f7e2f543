"""How long the loop waits for company before it claims again."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from types import SimpleNamespace

import pytest

from esim_service.values.clock import ManualClock
from esim_service.work import loop
from esim_service.work.loop import Going, WorkLoop

pytestmark = pytest.mark.anyio


class Script(WorkLoop[int]):
    """Claims as many as it is told to, then stops."""

    things = "numbers"

    def __init__(self, counts: list[int]) -> None:
        super().__init__(ManualClock(0), gather_seconds=0.5)
        self._counts = counts

    async def claim(self, going: Collection[Going[int]]) -> Sequence[int]:
        if not self._counts:
            self.stop()
            return ()
        self.wake()
        return range(self._counts.pop(0))

    async def work(self, claim: int) -> None:
        """Do nothing."""

    async def give_back(self, claims: Sequence[int]) -> None:
        """Leave them."""


async def test_after_a_claim_of_few_the_next_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(loop, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep}))
    await Script([0, 1, 15, 16]).run()
    # Nothing was due, few were, few, and as many as make a claim cheap.
    assert waited[:4] == [0.5, 7.5, 7.5, 0.5]
