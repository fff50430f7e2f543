"""kill -9 at the worst moments: responses stay true, and begun work is finished exactly once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
from decimal import Decimal
from pathlib import Path

import httpx2
import pytest

from partner_esim import webhooks

from ..books import Books, books
from ..receiver import Authority, answer, receiver
from ..running import DEADLINE, Running, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_ee-1gb-7d"
BURST = 50
# A partner has the money for a thousand orders.
ATTEMPTS = 20


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def variables(authority: Authority) -> dict[str, str]:
    return {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(authority.file),
    }


def stop(running: Running) -> None:
    """Let no thread of the process run any further; return when none does."""
    running.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, running.process.pid, os.WSTOPPED | os.WNOWAIT)


async def cut_off(running: Running, http: httpx2.AsyncClient, known: Books) -> list[str]:
    """Kill the process when orders are committed that it has not answered; name them."""
    for attempt in range(ATTEMPTS):
        names = {f"r{attempt}-{number}" for number in range(BURST)}
        sent = {name: asyncio.create_task(place(http, name)) for name in names}
        # Step by step: however slow this machine is, it gets no further while it is looked at.
        while not all(task.done() for task in sent.values()):
            await known.references("acme")
            stop(running)
            try:
                committed = names & await known.references("acme")
            except sqlite3.OperationalError:  # Stopped while it held a lock of the WAL index.
                committed = set()
            if committed:
                # What it had sent before is here already, and only has to be read.
                await asyncio.sleep(0.05)
            unanswered = sorted(name for name in committed if not sent[name].done())
            if unanswered:
                running.stop(signal.SIGKILL)
                await asyncio.gather(*sent.values(), return_exceptions=True)
                return unanswered
            running.process.send_signal(signal.SIGCONT)
    raise AssertionError("every order was answered as soon as it was committed")


async def place(http: httpx2.AsyncClient, reference: str) -> httpx2.Response:
    return await http.post("/orders", json={"plan_id": PLAN, "reference": reference})


def http_of(running: Running, key: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url=running.base_url,
        headers={"Authorization": f"Bearer {key}"},
        timeout=DEADLINE,
        limits=httpx2.Limits(max_connections=BURST),
    )


async def test_between_commit_and_answer_the_retry_replays(
    ready: str, tmp_path: Path, authority: Authority, variables: dict[str, str]
) -> None:
    async with receiver(authority.context("127.0.0.1"), answer("200 OK")) as seen:
        with serving(ready, tmp_path, **variables) as running:
            async with books(ready) as known:
                key = await known.key("acme")
                async with http_of(running, key) as http, running.async_client(key) as client:
                    await client.webhook_endpoints.create(url=f"https://127.0.0.1:{seen.port}/")
                    unanswered = await cut_off(running, http, known)
                await known.audit()
                await known.end_leases()
        with serving(ready, tmp_path, **variables) as running:
            async with books(ready) as known:
                async with http_of(running, key) as http, running.async_client(key) as client:
                    for name in unanswered:
                        first, second = await place(http, name), await place(http, name)
                        assert first.status_code == second.status_code == 201
                        assert first.headers["idempotent-replay"] == "true"
                        assert first.content == second.content
                    await until(known.is_settled)
                    await known.audit()
                    left = (await client.balance.get()).balance_usd
                    price = (await client.plans.get(PLAN)).price_usd
                    assert Decimal(1000) - left == price * await known.count("orders")
                # Interrupted work was completed: each order has its event, which was delivered.
                feed = await known.feed("acme")
                assert len(feed) == await known.count("orders")
    assert {request.headers["Service-Event-Id"]: request.body for request in seen.requests} == feed


async def test_between_commit_and_delivery_it_is_delivered_after_the_restart(
    ready: str, tmp_path: Path, authority: Authority, variables: dict[str, str]
) -> None:
    # It accepts connections and says nothing, so that no attempt gets any further.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with serving(ready, tmp_path, **variables) as running:
            async with books(ready) as known:
                key = await known.key("acme")
                async with running.async_client(key) as client:
                    made = await client.webhook_endpoints.create(url=f"https://127.0.0.1:{port}/")
                    await client.orders.create(plan_id=PLAN, reference="r")
                    connection, _ = await asyncio.to_thread(silent.accept)
                running.stop(signal.SIGKILL)
                connection.close()
                assert await known.count("deliveries") == 1
                await known.end_leases()
    context = authority.context("127.0.0.1")
    async with receiver(context, answer("200 OK"), port=port) as seen:
        with serving(ready, tmp_path, **variables):
            async with books(ready) as known:
                await until(known.is_settled)
                feed = await known.feed("acme")
    [request] = seen.requests
    assert {request.headers["Service-Event-Id"]: request.body} == feed
    assert webhooks.parse(request.body, request.headers, made.signing_secret)


async def test_between_the_2xx_and_its_record_there_is_one_duplicate(
    ready: str, tmp_path: Path, authority: Authority, variables: dict[str, str]
) -> None:
    answered = asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, n: int) -> None:
        if n == 1:
            stop(running)
        await answer("200 OK")(reader, writer, n)
        answered.set()

    async with receiver(authority.context("127.0.0.1"), behave) as seen:
        with serving(ready, tmp_path, **variables) as running:
            async with books(ready) as known:
                key = await known.key("acme")
                async with running.async_client(key) as client:
                    url = f"https://127.0.0.1:{seen.port}/"
                    made = await client.webhook_endpoints.create(url=url)
                    await client.orders.create(plan_id=PLAN, reference="r")
                    await asyncio.wait_for(answered.wait(), DEADLINE)
                running.stop(signal.SIGKILL)
                assert await known.count("deliveries") == 1
                await known.end_leases()
        with serving(ready, tmp_path, **variables) as running:
            async with books(ready) as known:
                await until(known.is_settled)
                feed = await known.feed("acme")
    first, second = seen.requests
    for request in (first, second):
        assert {request.headers["Service-Event-Id"]: request.body} == feed
        assert webhooks.parse(request.body, request.headers, made.signing_secret)
