"""Rate limits: never more than the limit in any window, and a wait that is enough."""

from collections.abc import Coroutine

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esim_service.clock import ManualClock
from esim_service.domain.entities import Principal, Scope
from esim_service.limits import KeyLimiter, LocalWindows
from partner_esim.server import Allowance, Context, RateLimit

pytestmark = pytest.mark.anyio
READ = RateLimit("read", 600, 60)
WRITE = RateLimit("write", 60, 60)


def context(key_id: str, read: int | None = None, write: int | None = None) -> Context:
    """A request of a key."""
    made = Context({"type": "http", "headers": []}, lambda: pytest.fail("nothing is read"))
    made.principal = Principal(Scope("prt_1", "test"), key_id, False, read, write)
    return made


def now(coroutine: Coroutine[object, None, Allowance]) -> Allowance:
    """The result of a coroutine that waits for nothing."""
    with pytest.raises(StopIteration) as stopped:
        coroutine.send(None)
    allowance = stopped.value.value
    assert isinstance(allowance, Allowance)
    return allowance


@pytest.mark.parametrize("limit", [READ, WRITE], ids=lambda limit: limit.name)
async def test_the_request_after_the_last_one_is_refused(limit: RateLimit) -> None:
    limiter = KeyLimiter(LocalWindows(ManualClock()))
    remaining = [
        (await limiter.take(limit, context("key_1"))).remaining for _ in range(limit.limit)
    ]
    assert remaining == list(range(limit.limit - 1, -1, -1))
    assert await limiter.take(limit, context("key_1")) == Allowance(False, 0, 60, limit.limit)


async def test_each_request_frees_its_own_place() -> None:
    clock = ManualClock()
    windows = LocalWindows(clock)
    for _ in range(3):
        assert (await windows.take("a", 3, 60)).allowed
        clock.advance(10_000)
    refused = await windows.take("a", 3, 60)
    assert refused == Allowance(False, 0, 30, 3)
    clock.advance(29_999)
    assert await windows.take("a", 3, 60) == Allowance(False, 0, 1, 3)
    clock.advance(1)
    assert await windows.take("a", 3, 60) == Allowance(True, 0, 10, 3)
    assert not (await windows.take("a", 3, 60)).allowed


async def test_refused_requests_do_not_count() -> None:
    clock = ManualClock()
    windows = LocalWindows(clock)
    assert (await windows.take("a", 1, 60)).allowed
    for _ in range(60):
        clock.advance(999)
        assert not (await windows.take("a", 1, 60)).allowed
    clock.advance(60)
    assert (await windows.take("a", 1, 60)).allowed


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


@given(st.lists(st.integers(0, 40_000), max_size=60), st.integers(1, 5))
def test_no_window_ever_has_more_and_every_wait_is_enough(pauses: list[int], limit: int) -> None:
    clock = ManualClock()
    windows = LocalWindows(clock)
    accepted: list[int] = []
    for pause in pauses:
        clock.advance(pause)
        allowance = now(windows.take("a", limit, 60))
        if not allowance.allowed:
            clock.advance(allowance.reset_seconds * 1000)
            assert now(windows.take("a", limit, 60)).allowed
        accepted.append(clock.now())
        assert sum(each > clock.now() - 60_000 for each in accepted) <= limit
