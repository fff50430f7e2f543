"""The time that the loop waits for more work before it claims again."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from types import SimpleNamespace

import pytest

from esim_service.work import loop
from esim_service.work.loop import ClaimInProgress, WorkLoop

from .manual_clock import ManualClock

pytestmark = pytest.mark.anyio


class Script(WorkLoop[int]):
    """Claims as many as it is told to, then stops."""

    things = "numbers"

    def __init__(self, counts: list[int], seconds: float = 0.0) -> None:
        self.clock = ManualClock(0)
        super().__init__(self.clock, gather_seconds=0.5)
        self._counts = counts
        self._seconds = seconds

    async def claim(self, in_progress: Collection[ClaimInProgress[int]]) -> Sequence[int]:
        self.clock.advance(round(self._seconds * 1000))
        if not self._counts:
            self.stop()
            return ()
        self.wake()
        return range(self._counts.pop(0))

    async def work(self, claim: int) -> None:
        """Do nothing."""

    async def release(self, claims: Sequence[int]) -> None:
        """Leave them."""


@pytest.mark.parametrize(
    ("seconds", "expected"),
    # Nothing is due, few are, few, and as many as make a claim cheap.
    [(0.0, [7.5, 7.5, 7.5, 0.5]), (3.0, [4.5, 4.5, 4.5, 0.5]), (30.0, [0.5, 0.5, 0.5, 0.5])],
)
async def test_claims_of_few_are_farther_apart(
    seconds: float, expected: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(loop, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep}))
    await Script([0, 1, 15, 16], seconds).run()
    assert waited[:4] == expected
