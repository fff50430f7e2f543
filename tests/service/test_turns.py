"""The order in which requests begin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from starlette.types import Receive, Scope, Send

from esim_service.http.middleware import RequestMetrics, RequestMiddleware, RouteTemplates
from esim_service.http.turns import RequestTurns

pytestmark = pytest.mark.anyio


async def _wait(turns: RequestTurns, client: str, begun: list[str]) -> None:
    await turns.take([(b"accept", b"*/*"), (b"authorization", client.encode())])
    begun.append(client)


async def test_a_burst_of_one_client_does_not_begin_before_a_request_of_another() -> None:
    turns, begun = RequestTurns(lambda: 0.0), list[str]()
    async with asyncio.TaskGroup() as group:
        for client in ["large"] * 100 + ["small"]:
            group.create_task(_wait(turns, client, begun))
    assert begun.index("small") <= 4
    assert begun.count("large") == 100


async def test_a_request_that_arrives_in_a_burst_begins_in_its_pass() -> None:
    turns, begun = RequestTurns(lambda: 0.0), list[str]()
    async with asyncio.TaskGroup() as group:
        for _ in range(100):
            group.create_task(_wait(turns, "large", begun))
        while len(begun) < 40:
            await asyncio.sleep(0)
        before = len(begun)
        await _wait(turns, "small", begun)
        assert begun.index("small") == before


async def test_a_burst_is_begun_a_few_in_each_pass_in_its_order() -> None:
    turns, begun = RequestTurns(lambda: 0.0), list[int]()

    async def request(number: int) -> None:
        await turns.take([])
        begun.append(number)

    async with asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(request(number))
        seen = 0
        while len(begun) < 50:
            await asyncio.sleep(0)
            assert len(begun) - seen <= 4
            seen = len(begun)
    assert begun == list(range(50))


async def test_a_request_that_is_cancelled_gives_up_its_turn() -> None:
    turns, begun = RequestTurns(lambda: 0.0), list[str]()
    tasks = [asyncio.create_task(_wait(turns, "large", begun)) for _ in range(40)]
    await asyncio.sleep(0)
    for task in tasks[10:20]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(begun) == 30


async def test_the_service_takes_turns_by_the_authorization_header() -> None:
    begun = list[bytes]()

    async def api(scope: Scope, receive: Receive, send: Send) -> None:
        begun.append(dict(scope["headers"])[b"authorization"])

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    async def send(_: object) -> None:
        pass

    metrics = RequestMetrics(CollectorRegistry())
    app = RequestMiddleware(api, {}, RouteTemplates(["/x"]), metrics, None)
    async with asyncio.TaskGroup() as group:
        for client in [b"Bearer large"] * 100 + [b"Bearer small"]:
            headers = [(b"host", b"test"), (b"authorization", client)]
            scope = {"type": "http", "method": "GET", "path": "/x", "headers": headers}
            group.create_task(app(scope, receive, send))
    # On a busy machine, another pass may begin meanwhile.
    assert begun.index(b"Bearer small") < 50


async def test_requests_that_take_their_time_do_not_wait() -> None:
    now = [0.0]
    turns, begun = RequestTurns(lambda: now[0]), list[str]()
    for _ in range(5):
        tasks = [asyncio.create_task(_wait(turns, "client", begun)) for _ in range(4)]
        await asyncio.sleep(0)
        assert all(task.done() for task in tasks)
        now[0] += 0.002
    assert len(begun) == 20


async def test_requests_without_a_pause_wait_for_the_next_pass() -> None:
    turns, begun = RequestTurns(lambda: 0.0), list[str]()
    for number in range(1, 6):
        task = asyncio.create_task(_wait(turns, "client", begun))
        await asyncio.sleep(0)
        assert task.done() == (number <= 4)
    await _wait(turns, "other", begun)
    await task
    assert begun == [*["client"] * 4, "other", "client"]


async def test_a_later_request_does_not_pass_those_that_wait() -> None:
    now = [0.0]
    turns, begun = RequestTurns(lambda: now[0]), list[str]()

    async def later() -> None:
        await turns.take([(b"authorization", b"client")])
        begun.append("later")

    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(_wait(turns, "client", begun))
        await asyncio.sleep(0)
        now[0] += 1
        group.create_task(later())
    assert begun == [*["client"] * 20, "later"]


async def test_nothing_runs_once_all_have_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, begun = RequestTurns(lambda: 0.0), list[str]()
    await asyncio.gather(*(_wait(turns, "client", begun) for _ in range(20)))
    await asyncio.sleep(0)
    loop, callbacks = asyncio.get_running_loop(), list[object]()
    call_soon = loop.call_soon

    def counting(callback: Callable[..., object], *args: Any, **kwargs: Any) -> asyncio.Handle:
        callbacks.append(callback)
        return call_soon(callback, *args, **kwargs)

    monkeypatch.setattr(loop, "call_soon", counting)
    for _ in range(10):
        await asyncio.sleep(0)
    # Those of this test.
    assert len(callbacks) == 10
