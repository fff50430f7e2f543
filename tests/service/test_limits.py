"""Rate limits: the bucket of a request, and its limit."""

import asyncio
import os
import signal
from pathlib import Path

import httpx2
import pytest

from esim_service.rate_limits import file
from esim_service.rate_limits.file import FileWindows, open_file
from esim_service.rate_limits.limiter import KeyLimiter, LocalWindows
from esim_service.values.entities import Principal, Scope
from partner_esim.server import Allowance, Context, RateLimitClass

from .manual_clock import ManualClock
from .running import serving

pytestmark = pytest.mark.anyio
READ = RateLimitClass("read", 600, 60)
WRITE = RateLimitClass("write", 60, 60)


def context(key_id: str, read: int | None = None, write: int | None = None) -> Context:
    """A request of a key."""
    made = Context({"type": "http", "headers": []}, lambda: pytest.fail("nothing is read"))
    made.principal = Principal(Scope("prt_1", "test"), key_id, False, read, write)
    return made


@pytest.mark.parametrize("limit", [READ, WRITE], ids=lambda limit: limit.name)
async def test_the_request_after_the_last_one_is_refused(limit: RateLimitClass) -> None:
    limiter = KeyLimiter(LocalWindows(ManualClock()))
    remaining = [
        (await limiter.take(limit, context("key_1"))).remaining for _ in range(limit.limit)
    ]
    assert remaining == list(range(limit.limit - 1, -1, -1))
    assert await limiter.take(limit, context("key_1")) == Allowance(False, 0, 60, limit.limit)


async def test_keys_and_classes_are_counted_apart() -> None:
    limiter = KeyLimiter(LocalWindows(ManualClock()))
    for _ in range(60):
        await limiter.take(WRITE, context("key_1"))
    assert not (await limiter.take(WRITE, context("key_1"))).allowed
    assert (await limiter.take(READ, context("key_1"))).remaining == 599
    assert (await limiter.take(WRITE, context("key_2"))).remaining == 59


async def test_a_key_may_have_limits_of_its_own() -> None:
    limiter = KeyLimiter(LocalWindows(ManualClock()))
    own = context("key_1", read=5000, write=0)
    assert (await limiter.take(READ, own)).remaining == 4999
    assert await limiter.take(WRITE, own) == Allowance(False, 0, 60, 0)


async def test_a_limit_that_was_lowered_holds_at_once() -> None:
    limiter = KeyLimiter(LocalWindows(ManualClock()))
    for _ in range(5):
        await limiter.take(READ, context("key_1"))
    assert await limiter.take(READ, context("key_1", read=3)) == Allowance(False, 0, 60, 3)


async def test_the_wall_clock_does_not_matter() -> None:
    clock = ManualClock()
    windows = LocalWindows(clock)
    assert (await windows.take("a", 1, 60)).allowed
    clock.adjust(3_600_000)
    assert not (await windows.take("a", 1, 60)).allowed


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
async def test_a_restart_forgets_no_request(tmp_path: Path, how: signal.Signals) -> None:
    place = str(tmp_path / "service.db")
    with serving(place, tmp_path) as running:
        key = running.key("test", "acme", "--read-limit", "5")
        url, headers = f"{running.base_url}/balance", {"Authorization": f"Bearer {key}"}
        assert [httpx2.get(url, headers=headers).status_code for _ in range(4)] == [200] * 4
        running.stop(how)
    with serving(place, tmp_path) as running:
        url = f"{running.base_url}/balance"
        assert [httpx2.get(url, headers=headers).status_code for _ in range(2)] == [200, 429]


async def test_what_was_let_through_counts_for_as_long_as_before(tmp_path: Path) -> None:
    before, later = ManualClock(), ManualClock()
    with open_file(tmp_path / "rates", before) as windows:
        for _ in range(2):
            assert (await windows.take("a", 2, 60)).allowed
            before.advance(10_000)
    later.adjust(30_000)
    with (tmp_path / "rates").open("a") as file:
        file.write("half a line\n1700000000")
    with open_file(tmp_path / "rates", later) as windows:
        assert await windows.take("a", 2, 60) == Allowance(False, 0, 30, 2)
        later.advance(30_000)
        assert (await windows.take("a", 2, 60)).allowed
        assert not (await windows.take("a", 2, 60)).allowed


async def test_a_clock_that_was_set_back_makes_nobody_wait_for_longer_than_a_window(
    tmp_path: Path,
) -> None:
    with open_file(tmp_path / "rates", ManualClock()) as windows:
        assert (await windows.take("a", 1, 60)).allowed
    clock = ManualClock()
    clock.adjust(-3_600_000)
    with open_file(tmp_path / "rates", clock) as windows:
        assert await windows.take("a", 1, 60) == Allowance(False, 0, 60, 1)


async def test_requests_of_a_pass_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, write = list[bytes](), os.write

    def counting(file: int, data: bytes) -> int:
        written.append(data)
        return write(file, data)

    with open_file(tmp_path / "rates", ManualClock()) as windows:
        monkeypatch.setattr(os, "write", counting)
        for _ in range(3):
            assert (await windows.take("a", 3, 60)).allowed
        # One that is refused is not in it.
        assert not (await windows.take("a", 3, 60)).allowed
        await asyncio.sleep(0)
        assert [data.count(b" a\n") for data in written] == [3]
        assert (await windows.take("b", 3, 60)).allowed
    # What is pending is written at the end.
    assert (tmp_path / "rates").read_text().split()[1::2] == ["a", "a", "a", "b"]


async def test_the_file_does_not_grow_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "_LINES", 20)
    clock, place = ManualClock(), tmp_path / "rates"
    windows = FileWindows(place, clock)
    for number in range(200):
        await windows.take(f"b{number}", 10, 60)
        clock.advance(10_000)
    windows.close()
    assert len(place.read_text().splitlines()) < 40
    assert place.stat().st_mode & 0o777 == 0o600
    clock.advance(-10_000)
    with open_file(place, clock) as again:
        assert (await again.take("b199", 10, 60)).remaining == 8
