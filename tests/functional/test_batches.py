"""Many calls at a time, in both clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from specwright.runtime.client.calls.batches import Gate
from specwright.runtime.client.transport.base import Response
from tests.functional.origin import Answer, Origin
from tests.functional.test_client import Caller, caller, problem, thing
from tests.functional.test_client_following import Time
from tests.serving import Server

__all__ = ["caller"]


def things(ids: Iterable[str], time: Time | None = None, **options: Any) -> Callable[[Any], Any]:
    def call(client: Any) -> Any:
        if time is not None:
            time.rule(client)
        return client.run_all((partial(client.things.get, id_) for id_ in ids), **options)

    return call


def test_results_have_the_order_of_the_calls(caller: Caller) -> None:
    """A server that responds to the first calls last."""
    held: list[asyncio.Event] = []

    async def get(request: Request) -> JSONResponse:
        if len(held) < 2:
            held.append(asyncio.Event())
            await held[-1].wait()
        elif request.path_params["id"] == "8":
            for event in held:
                event.set()
        status = 404 if request.path_params["id"] == "4" else 200
        return JSONResponse({"id": request.path_params["id"]}, status)

    with Server(Starlette(routes=[Route("/api/things/{id}", get)])) as server:
        caller._url = f"{server.url}/api"
        outcomes = caller(things(map(str, range(9)), concurrency=3))
    assert [getattr(outcome, "id", None) for outcome in outcomes] == [
        *("0", "1", "2", "3"),
        None,
        *("5", "6", "7", "8"),
    ]
    assert isinstance(outcomes[4], caller.module.NotFoundError)


def test_calls_at_a_time_are_limited(caller: Caller) -> None:
    running = most = 0
    all_in = asyncio.Event()

    async def get(request: Request) -> JSONResponse:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            all_in.set()
        await all_in.wait()
        running -= 1
        return JSONResponse({"id": request.path_params["id"]})

    with Server(Starlette(routes=[Route("/api/things/{id}", get)])) as server:
        caller._url = f"{server.url}/api"
        assert len(caller(things("abcdefghi", concurrency=3))) == 9
    assert most == 3


def test_there_may_be_no_calls(caller: Caller) -> None:
    assert caller(things("")) == []


@pytest.mark.parametrize("concurrency", [0, -1, 1.5, None])
def test_the_concurrency_is_checked(caller: Caller, concurrency: object) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match="concurrency"):
        caller(things("a", concurrency=concurrency))


def limited(remaining: int, reset: int) -> Answer:
    headers = {"RateLimit": f'"default";r={remaining};t={reset}'}
    return Answer(body=b'{"id": "a"}', headers=headers)


def test_calls_wait_for_the_rate_limit(caller: Caller, origin: Origin) -> None:
    time = Time()
    origin.answer(limited(2, 30), limited(1, 20), limited(0, 10), limited(0, 600), thing())
    caller(things("abcdef", time, concurrency=1))
    assert time.pauses == [10, 60]


def test_calls_wait_as_long_as_an_error_asks(caller: Caller, origin: Origin) -> None:
    time = Time()
    origin.answer(problem(429, Retry_After="7"), thing(), problem(503, Retry_After="9"), thing())
    outcomes = caller(things("abcd", time, concurrency=1))
    errors = [type(outcome).__name__ for outcome in outcomes]
    assert errors == ["RateLimitError", "Thing", "ServerError", "Thing"]
    assert time.pauses == [7, 9]


def test_calls_are_retried_as_always(caller: Caller, origin: Origin) -> None:
    time = Time()
    origin.answer(problem(429, Retry_After="7"), thing())
    (outcome,) = caller(things("a", time), max_retries=1)
    assert outcome.id == "a"
    assert time.pauses == [7]


class UnknownError(Exception):
    """An error of the caller's own code."""


def test_another_exception_ends_it(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    asked: list[str] = []

    def calls(client: Any) -> Iterator[Callable[[], Any]]:
        yield partial(client.things.get, "a")
        yield fail
        for id_ in map(str, range(100)):
            asked.append(id_)
            yield partial(client.things.get, id_)

    def fail() -> Any:
        raise UnknownError

    with pytest.raises(UnknownError):
        caller(lambda client: client.run_all(calls(client), concurrency=2))
    assert len(asked) < 100


def test_an_exception_of_the_source_ends_it(caller: Caller, origin: Origin) -> None:
    def calls(client: Any) -> Iterator[Callable[[], Any]]:
        yield partial(client.things.get, "a")
        raise UnknownError

    origin.answer(thing())
    with pytest.raises(UnknownError):
        caller(lambda client: client.run_all(calls(client)))


def test_calls_have_the_context_of_the_caller(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    trace: ContextVar[str] = ContextVar("trace")
    seen: list[str] = []

    def call(client: Any) -> Any:
        trace.set("t1")

        def get() -> Any:
            seen.append(trace.get())
            return client.things.get("a")

        return client.run_all([get] * 3)

    caller(call)
    assert seen == ["t1"] * 3


# --- when calls may begin


def answered(status: int = 200, **headers: str) -> Response:
    fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, fields, b"")


def gate(time: Time, headers: tuple[str | None, str | None] = (None, None)) -> Gate:
    return Gate(headers, lambda: time.now)


def test_calls_under_way_count_against_the_limit() -> None:
    entrance = gate(Time())
    assert [entrance.enter() for _ in range(3)] == [0, 0, 0]
    # Two others are under way.
    entrance.observe(answered(ratelimit="default;r=3;t=10"))
    assert [entrance.enter() for _ in range(2)] == [0, 10]


def test_an_earlier_response_does_not_open_the_gate() -> None:
    time = Time()
    entrance = gate(time)
    entrance.observe(answered(429, retry_after="10"))
    entrance.observe(answered(ratelimit="default;r=100;t=1"))
    entrance.observe(answered(ratelimit="default;r=100;t=30"))
    assert entrance.enter() == 10
    time.now += 10
    assert entrance.enter() == 0


def test_the_gate_is_closed_for_a_minute_at_most() -> None:
    entrance = gate(Time())
    entrance.observe(answered(429, retry_after="600"))
    entrance.observe(answered(503, retry_after="5"))
    assert entrance.enter() == 60


def test_the_headers_of_the_contract_are_read() -> None:
    entrance = gate(Time(), ("X-Policy", "X-Left"))
    entrance.enter()
    entrance.observe(answered(ratelimit="default;r=0;t=10"))
    assert entrance.enter() == 0
    entrance.observe(answered(x_left="default;r=0;t=10"))
    assert entrance.enter() == 10


@pytest.mark.parametrize(
    "response",
    [
        answered(200, retry_after="10"),
        answered(429),
        answered(ratelimit="default;r=0"),
        answered(ratelimit="default;t=10"),
    ],
)
def test_a_response_without_a_limit_closes_nothing(response: Response) -> None:
    entrance = gate(Time())
    entrance.observe(response)
    assert entrance.enter() == 0
