"""Rate limits: which bucket a request is counted in, and against which limit."""

import pytest

from esim_service.rate_limits.limiter import KeyLimiter, LocalWindows
from esim_service.values.clock import ManualClock
from esim_service.values.entities import Principal, Scope
from partner_esim.server import Allowance, Context, RateLimit

pytestmark = pytest.mark.anyio
READ = RateLimit("read", 600, 60)
WRITE = RateLimit("write", 60, 60)


def context(key_id: str, read: int | None = None, write: int | None = None) -> Context:
    """A request of a key."""
    made = Context({"type": "http", "headers": []}, lambda: pytest.fail("nothing is read"))
    made.principal = Principal(Scope("prt_1", "test"), key_id, False, read, write)
    return made


@pytest.mark.parametrize("limit", [READ, WRITE], ids=lambda limit: limit.name)
async def test_the_request_after_the_last_one_is_refused(limit: RateLimit) -> None:
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
