"""Rate limits counted by this process, Redis or PostgreSQL, and processes that share one."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from esim_service.rate_limits.choose import open_windows
from esim_service.rate_limits.file import FileWindows
from esim_service.rate_limits.limiter import KeyLimiter, LocalWindows, Windows
from esim_service.rate_limits.postgres import PostgresWindows
from esim_service.store.changes.database import OperatorError, UnavailableError
from esim_service.store.drivers.open import open_database
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.drivers.sqlite import SqliteDatabase
from esim_service.store.statements.unit import rows
from esim_service.values.clock import SystemClock
from esim_service.values.entities import Principal, Scope
from partner_esim import models
from partner_esim.server import (
    Allowance,
    Context,
    RateLimitClass,
    UnimplementedBalance,
    create_app,
)

from . import redis_server
from .manual_clock import ManualClock

# Without the client of Redis, `redis_server` skips what needs it.
with suppress(ImportError):
    from esim_service.rate_limits.redis import RedisWindows, open_redis

pytestmark = pytest.mark.anyio

SHARED = ("redis", "postgres")
# Takes all it can get as soon as it is told to, and prints how much that was.
TAKER = """
import asyncio, sys
from esim_service.rate_limits import redis
from esim_service.rate_limits.choose import open_windows
from esim_service.store.drivers.open import open_database
from esim_service.values.clock import SystemClock

# All at once, on a machine that is busy, wait longer than a request may.
redis._SECONDS = 60.0

async def main(database_url, redis_url, bucket, limit, attempts):
    async with (
        open_database(database_url) as database,
        open_windows(redis_url or None, database, SystemClock()) as windows,
    ):
        await windows.take("warm", 1, 60)
        print("ready", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        taken = [windows.take(bucket, limit, 60) for _ in range(attempts)]
        print(sum(each.allowed for each in await asyncio.gather(*taken)))

asyncio.run(main(*sys.argv[1:4], *map(int, sys.argv[4:])))
"""


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server.shared(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
async def redis(redis_url: str, clock: ManualClock) -> AsyncIterator[RedisWindows]:
    async with open_redis(redis_url, clock) as windows:
        yield windows


@pytest.fixture(params=["local", "file", *SHARED])
def windows(request: pytest.FixtureRequest, clock: ManualClock, tmp_path: Path) -> Windows:
    """Each of the windows, on a clock that obeys."""
    if request.param == "file":
        return FileWindows(tmp_path / "rates", clock)
    if request.param == "local":
        return LocalWindows(clock)
    if request.param == "redis":
        counted: Windows = request.getfixturevalue("redis")
        return counted
    return PostgresWindows(request.getfixturevalue("postgres"), clock)


@pytest.fixture
def bucket() -> str:
    """One that no other test on the same server uses."""
    return secrets.token_hex(8)


async def test_each_request_frees_its_own_place(
    windows: Windows, clock: ManualClock, bucket: str
) -> None:
    for remaining in (2, 1, 0):
        assert (await windows.take(bucket, 3, 60)).remaining == remaining
        clock.advance(10_000)
    assert await windows.take(bucket, 3, 60) == Allowance(False, 0, 30, 3)
    clock.advance(29_999)
    assert await windows.take(bucket, 3, 60) == Allowance(False, 0, 1, 3)
    clock.advance(1)
    assert await windows.take(bucket, 3, 60) == Allowance(True, 0, 10, 3)
    assert not (await windows.take(bucket, 3, 60)).allowed


async def test_refused_requests_do_not_count(
    windows: Windows, clock: ManualClock, bucket: str
) -> None:
    assert (await windows.take(bucket, 1, 60)).allowed
    for _ in range(60):
        clock.advance(999)
        assert not (await windows.take(bucket, 1, 60)).allowed
    clock.advance(60)
    assert (await windows.take(bucket, 1, 60)).allowed


async def test_buckets_are_counted_apart(windows: Windows, bucket: str) -> None:
    assert (await windows.take(bucket, 1, 60)).allowed
    assert (await windows.take(f"{bucket}/other", 1, 60)).allowed
    assert not (await windows.take(bucket, 1, 60)).allowed


async def test_a_limit_of_zero_lets_nothing_through(windows: Windows, bucket: str) -> None:
    assert await windows.take(bucket, 0, 60) == Allowance(False, 0, 60, 0)


async def test_after_a_limit_was_lowered_the_wait_is_enough(
    windows: Windows, clock: ManualClock, bucket: str
) -> None:
    for _ in range(5):
        await windows.take(bucket, 9, 60)
        clock.advance(1000)
    # Four of the five have to go before the second one under the new limit may come.
    assert await windows.take(bucket, 2, 60) == Allowance(False, 0, 58, 2)
    clock.advance(58_000)
    assert (await windows.take(bucket, 2, 60)).allowed


async def test_a_limit_that_was_raised_holds_at_once(windows: Windows, bucket: str) -> None:
    assert (await windows.take(bucket, 1, 60)).allowed
    assert await windows.take(bucket, 5, 60) == Allowance(True, 3, 60, 5)


async def test_a_clock_that_is_set_back_frees_nothing_and_blocks_nobody(
    windows: Windows, clock: ManualClock, bucket: str
) -> None:
    for _ in range(2):
        assert (await windows.take(bucket, 3, 60)).allowed
        clock.advance(20_000)
    clock.adjust(-3_600_000)
    assert (await windows.take(bucket, 3, 60)).allowed
    refused = await windows.take(bucket, 3, 60)
    assert not refused.allowed
    assert refused.reset_seconds <= 60
    clock.advance(refused.reset_seconds * 1000)
    assert (await windows.take(bucket, 3, 60)).allowed


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(pauses=st.lists(st.integers(0, 40_000), max_size=40), limit=st.integers(1, 5))
async def test_no_window_ever_has_more_and_every_wait_is_enough(
    windows: Windows, clock: ManualClock, pauses: list[int], limit: int
) -> None:
    bucket = secrets.token_hex(8)
    accepted: list[int] = []
    for pause in pauses:
        clock.advance(pause)
        allowance = await windows.take(bucket, limit, 60)
        if not allowance.allowed:
            clock.advance(allowance.reset_seconds * 1000)
            assert (await windows.take(bucket, limit, 60)).allowed
        accepted.append(clock.now())
        assert sum(each > clock.now() - 60_000 for each in accepted) <= limit


@pytest.mark.parametrize(("method", "limit"), [("GET", 600), ("POST", 60)])
async def test_over_http_the_wait_that_a_refusal_names_is_enough(
    windows: Windows, clock: ManualClock, bucket: str, method: str, limit: int
) -> None:
    async with client_of(windows, bucket) as client:
        for remaining in range(limit - 1, -1, -1):
            answer = await client.request(method, "/balance")
            assert answer.status_code != 429
            assert f"r={remaining};" in answer.headers["ratelimit"]
        for _ in range(2):
            refused = await client.request(method, "/balance")
            assert refused.status_code == 429
            assert refused.json()["error"]["code"] == "rate_limited"
        wait = int(refused.headers["retry-after"])
        assert 0 < wait <= 60
        assert f"r=0;t={wait}" in refused.headers["ratelimit"]
        clock.advance(wait * 1000)
        assert (await client.request(method, "/balance")).status_code != 429


def client_of(windows: Windows, key_id: str) -> httpx2.AsyncClient:
    """A client of a service that does nothing but count."""

    class Shown(UnimplementedBalance):
        async def get_balance(self, *, context: Context) -> models.Balance:
            return models.Balance(
                balance_usd=Decimal("1.00"),
                low_balance_threshold_usd=Decimal("1.00"),
                currency="USD",
                updated_at=datetime(2026, 1, 1, tzinfo=UTC),
            )

    async def authenticate(credential: str, request: Request) -> Principal:
        return Principal(Scope("prt_1", "test"), key_id, False, None, None)

    app = create_app(
        balance=Shown(),
        authenticate=authenticate,
        rate_limiter=KeyLimiter(windows),
        unimplemented="501",
    )
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://test",
        headers={"authorization": "Bearer key"},
    )


@pytest.mark.parametrize("kind", SHARED)
async def test_processes_that_share_a_limit_get_exactly_the_limit(
    kind: str, postgres: PostgresDatabase, postgres_url: str, redis_url: str, bucket: str
) -> None:
    await postgres.close()
    redis = redis_url if kind == "redis" else ""
    command = [sys.executable, "-c", TAKER, postgres_url, redis, bucket, "600", "450"]
    takers = [
        await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for taker in takers:
        assert taker.stdout is not None
        assert await taker.stdout.readline() == b"ready\n"
    said = await asyncio.gather(*(taker.communicate(b"go\n") for taker in takers))
    counts = [int(out) for out, _ in said]
    assert sum(counts) == 600
    assert all(counts)


async def test_keys_of_one_partner_have_budgets_of_their_own_at_all_processes(
    postgres: PostgresDatabase, postgres_url: str, clock: ManualClock
) -> None:
    limit, scope = RateLimitClass("write", 6, 60), Scope("prt_1", "test")
    contexts = []
    for key_id in ("key_1", "key_2"):
        made = Context({"type": "http", "headers": []}, lambda: pytest.fail("nothing is read"))
        made.principal = Principal(scope, key_id, False, None, None)
        contexts.append(made)
    async with open_database(postgres_url) as other:
        assert isinstance(other, PostgresDatabase)
        limiters = [KeyLimiter(PostgresWindows(opened, clock)) for opened in (postgres, other)]
        for _ in range(2):
            allowed = [
                [(await limiters[number % 2].take(limit, made)).allowed for number in range(9)]
                for made in contexts
            ]
            assert allowed == [[True] * 6 + [False] * 3] * 2
            clock.advance(60_000)


@pytest.mark.parametrize("kind", SHARED)
async def test_the_time_is_that_of_the_server(
    kind: str, postgres: PostgresDatabase, redis_url: str, bucket: str
) -> None:
    async with AsyncExitStack() as stack:
        url = redis_url if kind == "redis" else None
        # Two processes whose clocks are far apart.
        for clock in (ManualClock(), ManualClock(2_000_000_000_000)):
            windows = await stack.enter_async_context(open_windows(url, postgres, clock))
            assert type(windows) is (RedisWindows if url else PostgresWindows)
            assert (await windows.take(bucket, 2, 60)).allowed
        refused = await windows.take(bucket, 2, 60)
        assert not refused.allowed
        assert 0 < refused.reset_seconds <= 60


async def test_a_process_that_serves_alone_counts_itself(sqlite: SqliteDatabase) -> None:
    async with open_windows(None, sqlite, SystemClock()) as windows:
        assert type(windows) is FileWindows
        await windows.check()


async def test_without_a_count_nothing_is_let_through(tmp_path: Path, bucket: str) -> None:
    with redis_server.running(tmp_path) as server:
        async with open_redis(server.url) as windows, client_of(windows, bucket) as client:
            assert (await client.get("/balance")).status_code == 200
            server.kill()
            with pytest.raises(UnavailableError, match="Redis"):
                await windows.check()
            for _ in range(2):
                refused = await client.get("/balance")
                assert refused.status_code == 503
                assert refused.headers["retry-after"] == "1"
                assert refused.json()["error"]["code"] == "unavailable"
            server.start()
            await windows.check()
            assert (await client.get("/balance")).status_code == 200


async def test_a_server_that_started_anew_is_not_noticed(tmp_path: Path, bucket: str) -> None:
    with redis_server.running(tmp_path) as server:
        async with open_redis(server.url) as windows:
            await asyncio.gather(*(windows.take(bucket, 9, 60) for _ in range(8)))
            server.kill()
            server.start()
            taken = await asyncio.gather(*(windows.take(bucket, 9, 60) for _ in range(8)))
            assert all(allowance.allowed for allowance in taken)


async def test_without_the_table_nothing_is_let_through(
    postgres: PostgresDatabase, bucket: str
) -> None:
    await postgres.close()
    with pytest.raises(UnavailableError):
        await PostgresWindows(postgres).take(bucket, 1, 60)


async def test_no_request_waits_for_the_log_of_the_database(postgres: PostgresDatabase) -> None:
    sql = "SELECT relpersistence AS kind FROM pg_class WHERE relname = 'rate_hits'"
    assert [row["kind"] for row in await postgres.run(lambda: rows(sql))] == [b"u"]


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis://nowhere.invalid/0"])
async def test_a_redis_that_is_not_there_is_said_at_the_start(
    url: str, sqlite: SqliteDatabase
) -> None:
    with pytest.raises(OperatorError, match="ESIM_REDIS_URL"):
        async with open_windows(url, sqlite, SystemClock()):
            pass
