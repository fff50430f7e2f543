"""Several processes on one PostgreSQL: they share the rate limit of a key."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import httpx2
import pytest

from esim_service.store.drivers.postgres import PostgresDatabase

from . import redis_server
from .redis_server import RedisServer
from .running import Running, esim_service, eventually, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that this test may kill."""
    with redis_server.running(tmp_path) as server:
        yield server


@pytest.fixture(params=["redis", "postgres"])
async def processes(
    request: pytest.FixtureRequest, postgres: PostgresDatabase, postgres_url: str, tmp_path: Path
) -> AsyncIterator[list[Running]]:
    """Two processes, on a Redis or without one."""
    variables = {}
    if request.param == "redis":
        variables["ESIM_REDIS_URL"] = request.getfixturevalue("redis").url
    with ExitStack() as stack:
        yield [stack.enter_context(serving(postgres_url, tmp_path, **variables)) for _ in range(2)]


async def test_they_share_the_limits_of_a_key(processes: list[Running]) -> None:
    key = processes[0].key("test", "acme", "--read-limit", "30", "--write-limit", "4")
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(
                httpx2.AsyncClient(
                    base_url=process.base_url, headers={"authorization": f"Bearer {key}"}
                )
            )
            for process in processes
        ]
        for method, path, limit in (("GET", "/balance", 30), ("POST", "/sandbox/reset", 4)):
            answers = await asyncio.gather(
                *(client.request(method, path) for client in clients for _ in range(limit))
            )
            statuses = Counter(answer.status_code for answer in answers)
            assert statuses == {200: limit, 429: limit}
            for answer in answers:
                if answer.status_code == 429:
                    assert 0 < int(answer.headers["retry-after"]) <= 60
        for client in clients:
            assert (await client.get("/balance")).status_code == 429


async def test_without_redis_nothing_is_let_through_until_it_is_back(
    redis: RedisServer, tmp_path: Path
) -> None:
    with serving(str(tmp_path / "a.db"), tmp_path, ESIM_REDIS_URL=redis.url) as running:
        headers = {"authorization": f"Bearer {running.key()}"}
        url, ready = f"{running.base_url}/balance", f"{running.operations}/readyz"
        assert httpx2.get(url, headers=headers).status_code == 200
        assert httpx2.get(ready).status_code == 200
        redis.kill()
        refused = httpx2.get(url, headers=headers)
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "unavailable"
        assert refused.headers["retry-after"] == "1"
        told = httpx2.get(ready)
        assert told.status_code == 503
        assert "Redis" in told.text
        assert httpx2.get(f"{running.operations}/healthz").status_code == 200
        redis.start()
        assert eventually(lambda: httpx2.get(ready).status_code == 200)
        assert httpx2.get(url, headers=headers).status_code == 200


async def test_a_redis_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    pytest.importorskip("redis", reason=redis_server.NO_CLIENT)
    done = esim_service("serve", cwd=tmp_path, ESIM_REDIS_URL="redis://127.0.0.1:1", ESIM_PORT="0")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("error: Redis cannot do this now") and "ESIM_REDIS_URL" in line
