"""Restarts, as clients meet them: nothing is refused, and nothing fails."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from .caddy import command, proxy
from .caller import Caller
from .outages.seats import Seat, behind_a_proxy, seats
from .outages.visitors import Visits, visiting
from .running import Running, serving, until

pytestmark = pytest.mark.anyio

# As in service/deploy/environment.
DRAIN = {"ESIM_DRAIN_SECONDS": "2"}
GENEROUS = ("--read-limit", "1000000", "--write-limit", "1000000")
ENOUGH = 20


def keys(running: Running, count: int) -> list[str]:
    return [running.key("test", f"partner {number}", *GENEROUS) for number in range(count)]


async def more(visits: Visits) -> None:
    """Wait for some requests."""
    before = visits.total

    async def are_made() -> bool:
        return visits.total >= before + ENOUGH

    await until(are_made)


async def require_all(running: Running, visits: Visits) -> None:
    """Each acknowledged order is replayed byte for byte."""
    for (key, reference), body in visits.acknowledged.items():
        async with Caller(running.base_url, key) as caller:
            again = await caller.order(reference)
            assert (again.is_replay, again.body) == (True, body)


async def restart_all(taken: Sequence[Seat], visits: Visits) -> None:
    """Restart each process, one directly after the other."""
    await more(visits)
    for seat in taken:
        await asyncio.to_thread(seat.restart)
    await more(visits)


async def test_connections_wait_at_a_port_that_is_kept(tmp_path: Path) -> None:
    with seats(str(tmp_path / "a.db"), tmp_path, 1, True, **DRAIN) as taken:
        [seat] = taken
        async with visiting(seat.running.base_url, keys(seat.running, 2)) as visits:
            for _ in range(2):
                await restart_all(taken, visits)
        assert not visits.failed
        await require_all(seat.running, visits)


@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "own"])
async def test_behind_the_proxy_processes_restart_one_after_the_other(
    postgres_url: str, tmp_path: Path, is_kept: bool
) -> None:
    command()
    with seats(postgres_url, tmp_path, 2, is_kept, **DRAIN) as taken:
        known = keys(taken[0].running, 4)
        with proxy(tmp_path, behind_a_proxy(taken)) as front:
            async with visiting(front.base_url, known, front.context) as visits:
                await restart_all(taken, visits)
            assert not visits.failed
        await require_all(taken[0].running, visits)


async def test_behind_the_proxy_a_killed_process_costs_only_orders_that_were_sent(
    postgres_url: str, tmp_path: Path
) -> None:
    command()
    with seats(postgres_url, tmp_path, 2, False) as taken:
        known = keys(taken[0].running, 4)
        with proxy(tmp_path, behind_a_proxy(taken)) as front:
            async with visiting(front.base_url, known, front.context) as visits:
                await more(visits)
                taken[0].running.process.kill()
                for _ in known:
                    await more(visits)
            assert visits.failed.keys() <= {("POST", "502")}
            assert visits.failed.total() <= 2 * len(known)
        await require_all(taken[1].running, visits)


async def test_a_single_process_behind_the_proxy_restarts(tmp_path: Path) -> None:
    command()
    with seats(str(tmp_path / "a.db"), tmp_path, 1, True, **DRAIN) as taken:
        known = keys(taken[0].running, 2)
        with proxy(tmp_path, behind_a_proxy(taken)) as front:
            async with visiting(front.base_url, known, front.context) as visits:
                await restart_all(taken, visits)
            assert not visits.failed
        await require_all(taken[0].running, visits)


async def test_the_proxy_sends_nothing_to_a_process_that_is_not_ready(
    postgres_url: str, tmp_path: Path
) -> None:
    command()
    with seats(postgres_url, tmp_path, 2, False, ESIM_DRAIN_SECONDS="600") as taken:
        stops, stays = (seat.running for seat in taken)
        known = keys(stays, 4)
        with proxy(tmp_path, behind_a_proxy(taken)) as front:
            async with visiting(front.base_url, known, front.context) as visits:
                await more(visits)
                stops.process.terminate()

                async def is_left() -> bool:
                    before = answered(stops)
                    await more(visits)
                    return answered(stops) == before

                await until(is_left)
                # Both still serve, and neither should: then one that does is better than none.
                stays.process.terminate()
                for _ in range(5):
                    await more(visits)
            assert not visits.failed
        await require_all(stays, visits)


def answered(running: Running) -> float:
    """Return the number of requests that a process has answered."""
    text = httpx2.get(f"{running.operations}/metrics").text
    lines = (line for line in text.splitlines() if line.startswith("esim_http_requests_total"))
    return sum(float(line.rpartition(" ")[2]) for line in lines)


async def test_a_process_that_stops_ends_connections_with_their_next_response(
    tmp_path: Path,
) -> None:
    with serving(str(tmp_path / "a.db"), tmp_path, ESIM_DRAIN_SECONDS="600") as running:
        [key] = keys(running, 1)
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(base_url=running.base_url, headers=headers) as http:
            assert "connection" not in (await http.get("/balance")).headers
            running.process.terminate()

            async def is_stopping() -> bool:
                return (await http.get(f"{running.operations}/readyz")).status_code == 503

            await until(is_stopping)
            # uvicorn renews the headers of all responses once a second.
            dates: set[str] = set()
            while len(dates) < 3:
                answer = await http.get("/balance")
                assert (answer.status_code, answer.headers["connection"]) == (200, "close")
                dates.add(answer.headers["date"])
            running.process.terminate()
        assert await asyncio.to_thread(running.stop) == 0


async def test_a_connection_that_was_accepted_is_answered_before_the_end(tmp_path: Path) -> None:
    with serving(str(tmp_path / "a.db"), tmp_path) as running:
        key = running.key()
        parts = urlsplit(running.base_url)
        address = (parts.hostname, parts.port)
        with socket.create_connection(address) as early, socket.create_connection(address) as idle:
            # The one that connected later is answered: so both have been accepted.
            async with Caller(running.base_url, key) as caller:
                assert (await caller.order("first")).status == 201
            running.process.terminate()

            async def is_closed() -> bool:
                try:
                    socket.create_connection(address).close()
                except ConnectionRefusedError:
                    return True
                return False

            await until(is_closed)
            head = f"GET /api/v1/balance HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\r\n"
            early.sendall(head.encode())
            answer = await asyncio.to_thread(everything, early)
            assert answer.startswith(b"HTTP/1.1 200 ") and b"\r\nconnection: close\r\n" in answer
            # It waits for no other.
            assert await asyncio.to_thread(running.process.wait, 20) == 0
            assert idle.recv(1) == b""


def everything(connection: socket.socket) -> bytes:
    """Read until the end."""
    with connection.makefile("rb") as file:
        return file.read()
