"""Event streams that reconnect, in both clients."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import islice, pairwise
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, ref
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import Caller

NUMBER: Json = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}},
}


def streaming(name: str, media_type: str = "text/event-stream", **content: Json) -> Json:
    answers = {"200": {"description": "Items.", "content": {media_type: content}}}
    return {"tags": ["logs"], "operationId": name, "responses": answers}


API = document(
    paths={
        "/log": {"get": streaming("log"), "post": streaming("ask")},
        "/numbers": {"get": streaming("numbers", schema=ref("Number"))},
        "/lines": {"get": streaming("lines", "application/jsonl", itemSchema=ref("Number"))},
        "/number": {"get": streaming("number", "application/json", schema=ref("Number"))},
    },
    schemas={"Number": NUMBER},
) | {"openapi": "3.2.0"}
END = Answer(204, b"")


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(API), origin, request.param == "async")


@pytest.fixture
def pauses() -> list[float]:
    """The pauses of calls, which take no time."""
    return []


def events(*lines: str, promised: int | None = None) -> Answer:
    body = "".join(f"{line}\n" for line in lines).encode()
    return Answer(200, body, {"content-type": "text/event-stream"}, promised=promised)


def items(method: str, pauses: list[float], most: int | None = None) -> Callable[[Any], Any]:
    """Read the items of a stream in either client."""

    def call(client: Any) -> Any:
        client._calls.sleep = pauses.append
        opened = client.with_reconnection(getattr(client.logs, method))
        if not inspect.isawaitable(opened):
            with opened as stream:
                return list(islice(stream, most))

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)

        async def read() -> list[Any]:
            read: list[Any] = []
            client._calls.sleep = sleep
            async with await client.with_reconnection(getattr(client.logs, method)) as stream:
                async for item in stream:
                    read.append(item)
                    if len(read) == most:
                        break
            return read

        opened.close()
        return read()

    return call


def last_ids(origin: Origin) -> list[str | None]:
    return [asked.headers.get("last-event-id") for asked in origin.asked]


def test_a_stream_continues_after_its_last_event(
    caller: Caller, origin: Origin, pauses: list[float]
) -> None:
    origin.answer(
        events("id: 1", "data: a", "", "data: b", ""),
        events("data: c", "", "id: 4", "data: d", "", "id: 5", "data: lo", promised=1000),
        events("data: e", ""),
        END,
    )
    read = caller(items("log", pauses))
    assert [(event.data, event.id) for event in read] == [
        ("a", "1"),
        ("b", "1"),
        ("c", "1"),
        ("d", "4"),
        ("e", "4"),
    ]
    assert all(isinstance(event, caller.module.ServerSentEvent) for event in read)
    # The event with the id 5 was not complete.
    assert last_ids(origin) == [None, "1", "4", "4"]


def test_an_event_without_data_has_an_id(
    caller: Caller, origin: Origin, pauses: list[float]
) -> None:
    origin.answer(events("id: 1", "data: a", "", "id: é✓", ""), events("id", ""), END)
    caller(items("log", pauses))
    sent = [None if text is None else text.encode("latin-1").decode() for text in last_ids(origin)]
    assert sent == [None, "é✓", None]


def test_models_are_kept(caller: Caller, origin: Origin, pauses: list[float]) -> None:
    origin.answer(events("id: 7", 'data: {"n": 1}', ""), events('data: {"n": 2}', ""), END)
    read = caller(items("numbers", pauses))
    assert [number.n for number in read] == [1, 2]
    assert isinstance(read[0], caller.module.models.Number)
    assert last_ids(origin) == [None, "7", "7"]


def test_the_marked_end_is_the_end(caller: Caller, origin: Origin, pauses: list[float]) -> None:
    origin.answer(events('data: {"n": 1}', "", "data: [DONE]", ""))
    assert len(caller(items("numbers", pauses))) == 1
    assert len(origin.asked) == 1


def test_a_stream_may_have_no_events_at_all(
    caller: Caller, origin: Origin, pauses: list[float]
) -> None:
    origin.answer(END)
    assert caller(items("log", pauses)) == []
    assert pauses == []


@pytest.mark.parametrize(
    ("retry", "least", "longest"),
    [
        (None, 1, 1.25),
        ("2500", 2.5, 3.125),
        ("0", 0.1, 0.125),
        ("99999999", 60, 75),
        ("soon", 1, 1.25),
    ],
)
def test_the_stream_chooses_the_pause(
    caller: Caller,
    origin: Origin,
    pauses: list[float],
    retry: str | None,
    least: float,
    longest: float,
) -> None:
    line = [] if retry is None else [f"retry: {retry}"]
    # The choice holds for later events and connections.
    origin.answer(events(*line, "data: a", "", "data: a", ""), events("data: b", ""), END)
    caller(items("log", pauses))
    assert len(pauses) == 2
    assert all(least <= pause <= longest for pause in pauses)


def test_pauses_double_while_no_events_come(
    caller: Caller, origin: Origin, pauses: list[float]
) -> None:
    origin.answer(*[events(": nothing")] * 9, events("data: a", ""), END)
    caller(items("log", pauses))
    idle, last = pauses[:9], pauses[9]
    assert all(1.5 < later / sooner < 2.6 for sooner, later in pairwise(idle[:5]))
    assert max(idle) <= 75
    assert last <= 1.25


def test_connections_are_retried_as_calls_are(
    caller: Caller, origin: Origin, pauses: list[float]
) -> None:
    origin.answer(
        events("id: 1", "data: a", ""),
        Answer(fault=Fault.RESET),
        Answer(503),
        events("data: b", ""),
    )
    assert len(caller(items("log", pauses, 2), max_retries=2)) == 2
    assert last_ids(origin) == [None, "1", "1", "1"]


@pytest.mark.parametrize("answer", [Answer(503), Answer(404)])
def test_an_error_in_place_of_a_stream_is_raised(
    caller: Caller, origin: Origin, pauses: list[float], answer: Answer
) -> None:
    origin.answer(events("data: a", ""), answer)
    with pytest.raises(caller.module.ApiStatusError):
        caller(items("log", pauses))
    assert len(origin.asked) == 2


def test_an_event_that_breaks_the_contract_is_raised(
    caller: Caller, origin: Origin, pauses: list[float]
) -> None:
    origin.answer(events("data: {}", ""))
    with pytest.raises(caller.module.InvalidResponseError):
        caller(items("numbers", pauses))


def test_only_a_get_reconnects(caller: Caller, origin: Origin, pauses: list[float]) -> None:
    origin.answer(events("data: a", ""))
    with pytest.raises(caller.module.InvalidArgumentError, match="GET"):
        caller(items("ask", pauses))
    assert origin.asked == []


@pytest.mark.parametrize("method", ["lines", "number"])
def test_only_events_reconnect(
    caller: Caller, origin: Origin, pauses: list[float], method: str
) -> None:
    media_type = {"lines": "application/jsonl", "number": "application/json"}[method]
    origin.answer(Answer(body=b'{"n": 1}', headers={"content-type": media_type}))
    with pytest.raises(caller.module.InvalidArgumentError, match=f"{method}: only event streams"):
        caller(items(method, pauses))


def test_a_stream_that_is_left_frees_its_connection(package: Generate, origin: Origin) -> None:
    module = package(API)
    origin.answer(events(*["data: a", ""] * 500_000))
    with module.Client(base_url=origin.url) as client:
        for open_ in (client.logs.log, lambda: client.with_reconnection(client.logs.log)):
            with open_():
                pass
            (http,) = client._calls.transport._clients.values()
            assert not http._transport._pool.connections
