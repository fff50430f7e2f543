"""Processes that share one database: some serve, others do the background work."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import socket
import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

import httpx2
import pytest

from partner_esim import AsyncEsimClient, webhooks

from .receiver import Authority, answer, receiver
from .running import COMMAND, DEADLINE, environment, esim_service, serving

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"


@contextlib.contextmanager
def working(place: str, cwd: Path, variables: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a worker for the time of the context."""
    process = subprocess.Popen(
        [COMMAND, "worker", "--database", place, "--metrics-port=0"],
        cwd=cwd,
        env=environment(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=DEADLINE)


def operations_of(process: subprocess.Popen[str]) -> str:
    """Return the address of the operators' port once the worker works."""
    assert process.stdout is not None
    name, address = process.stdout.readline().split()
    assert name == "Operations"
    return address


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = DEADLINE) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.02)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def variables(authority: Authority) -> dict[str, str]:
    return {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(authority.file),
    }


async def test_a_worker_reports_when_it_is_ready(postgres_url: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(DEADLINE)
        variables = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
        with working(postgres_url, tmp_path, variables) as worker:
            assert await asyncio.to_thread(manager.recv, 100) == b"READY=1"
            operations = await asyncio.to_thread(operations_of, worker)
            assert httpx2.get(f"{operations}/readyz").status_code == 200


async def test_two_workers_do_what_a_server_leaves_to_them(
    postgres_url: str, tmp_path: Path, authority: Authority, variables: dict[str, str]
) -> None:
    async with receiver(authority.context("127.0.0.1"), answer("200 OK")) as seen:
        with (
            serving(postgres_url, tmp_path, ESIM_WORKER="false", **variables) as server,
            working(postgres_url, tmp_path, variables) as first,
            working(postgres_url, tmp_path, variables) as second,
        ):
            workers = (first, second)
            addresses = [operations_of(worker) for worker in workers]
            async with (
                AsyncEsimClient(server.key(), base_url=server.base_url) as client,
                httpx2.AsyncClient() as operator,
            ):
                endpoint = await client.webhook_endpoints.create(
                    url=f"https://127.0.0.1:{seen.port}/hooks"
                )
                for number in range(20):
                    await client.orders.create(plan_id=PLAN, reference=f"r{number}")

                async def delivered() -> bool:
                    return len(seen.requests) >= 20

                await until(delivered)
                feed = [event.id for event in (await client.events.list()).items]

                async def counted() -> bool:
                    return (
                        sum([await acknowledged(operator, address) for address in addresses]) == 20
                    )

                await until(counted)
                for address in addresses:
                    for path in ("/healthz", "/readyz"):
                        assert (await operator.get(address + path)).status_code == 200
            for process in workers:
                process.send_signal(signal.SIGTERM)
            for process in workers:
                assert await asyncio.to_thread(process.wait, DEADLINE) == 0
    received = Counter(request.headers["Service-Event-Id"] for request in seen.requests)
    assert received == Counter(feed) and len(feed) == 20
    for request in seen.requests:
        event = webhooks.parse(request.body, request.headers, endpoint.signing_secret)
        assert event.type == "order.completed"


async def acknowledged(operator: httpx2.AsyncClient, address: str) -> int:
    text = (await operator.get(f"{address}/metrics")).text
    found = re.search(r'^esim_delivery_attempts_total{outcome="acknowledged"} (\S+)', text, re.M)
    return int(float(found[1])) if found else 0


async def hang(_: object, __: object, ___: int) -> None:
    await asyncio.Event().wait()


async def test_a_worker_that_is_told_to_stop_gives_back_what_it_has(
    postgres_url: str, tmp_path: Path, authority: Authority, variables: dict[str, str]
) -> None:
    async with receiver(authority.context("127.0.0.1"), hang) as seen:
        with serving(postgres_url, tmp_path, ESIM_WORKER="false", **variables) as server:
            async with AsyncEsimClient(server.key(), base_url=server.base_url) as client:
                await client.webhook_endpoints.create(url=f"https://127.0.0.1:{seen.port}/")

                async def received() -> bool:
                    return len(seen.requests) == 1

                with working(postgres_url, tmp_path, variables) as first:
                    operations_of(first)
                    await client.orders.create(plan_id=PLAN, reference="r1")
                    await until(received)
                    first.send_signal(signal.SIGTERM)
                    # Who asks twice does not want to wait.
                    first.send_signal(signal.SIGTERM)
                    output = await asyncio.to_thread(first.communicate, timeout=DEADLINE)
                    assert first.returncode == 0, output
                seen.behave = answer("200 OK")
                with working(postgres_url, tmp_path, variables) as second:
                    operations_of(second)

                    async def again() -> bool:
                        return len(seen.requests) == 2

                    # Sooner than its lease would have ended, or a retry would be due.
                    await until(again, seconds=15)
    one, two = seen.requests
    assert (one.body, one.headers["Service-Event-Id"]) == (
        two.body,
        two.headers["Service-Event-Id"],
    )
    log = [json.loads(line) for line in output[1].splitlines()]
    assert {"started", "stopping"} <= {entry["event"] for entry in log}


def test_an_sqlite_file_has_no_workers(tmp_path: Path) -> None:
    done = esim_service("worker", "--database", "esim.sqlite3", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: esim.sqlite3 is an SQLite file")
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


async def test_a_worker_needs_the_current_schema(empty_postgres: str, tmp_path: Path) -> None:
    arguments = ("worker", "--database", empty_postgres, "--metrics-port=0")
    done = await asyncio.to_thread(esim_service, *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "esim-service migrate" in done.stderr
