"""The data of server-sent events, from generated stubs to generated clients and from other servers.

Other servers write events as strings of this page, and not with the code of the package.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, ref
from tests.functional.origin import Answer, Origin
from tests.serving import Server

TEXT: Json = {"type": "string"}
LINE: Json = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer", "minimum": 4}},
}


def in_json(schema: Json) -> Json:
    """A text with JSON, as OpenAPI 3.2 writes it."""
    return {**TEXT, "contentMediaType": "application/json", "contentSchema": schema}


def an_event(name: Json, data: Json, *required: str) -> Json:
    properties = {"event": name, "data": data}
    return {"type": "object", "required": ["data", *required], "properties": properties}


def named(name: str, data: Json) -> Json:
    return an_event({"const": name}, data, "event")


def stream(operation: str, **content: Json) -> Json:
    responses = {"200": {"description": "Events.", "content": {"text/event-stream": content}}}
    return {"get": {"operationId": operation, "tags": ["all"], "responses": responses}}


API = document(
    {
        "/lines": stream(
            "lines",
            itemSchema={
                "type": "object",
                "properties": {
                    "data": in_json(ref("Line")),
                    "event": TEXT,
                    "id": TEXT,
                    "retry": {"type": "integer", "minimum": 0},
                },
            },
        ),
        # As the specification writes it: what all events share, beside their alternatives.
        "/changes": stream(
            "changes",
            itemSchema={
                **an_event(TEXT, TEXT, "event"),
                "oneOf": [
                    {"properties": {"event": {"const": "note"}}},
                    {"properties": {"event": {"enum": ["line", "last"]}, "data": in_json(LINE)}},
                    {
                        "properties": {
                            "event": {"const": "any"},
                            "data": {"contentMediaType": "application/json"},
                        }
                    },
                ],
            },
        ),
        # As frameworks write it: the schema of the JSON in place of that of its text.
        "/todos": stream("todos", schema=ref("TodoEvent")),
        "/mixed": stream(
            "mixed", itemSchema={"anyOf": [an_event(TEXT, in_json(LINE)), an_event(TEXT, TEXT)]}
        ),
        "/coded": stream(
            "coded", itemSchema=an_event(TEXT, {**in_json(LINE), "contentEncoding": "base64"})
        ),
    },
    {
        "Line": LINE,
        "TodoEvent": {
            "oneOf": [ref("TodoAdded"), named("done", {"type": "string", "const": "[DONE]"})]
        },
        "TodoAdded": an_event(
            {**TEXT, "enum": ["todo.added"]},
            {"type": "object", "required": ["title"], "properties": {"title": TEXT}},
            "event",
        ),
    },
    openapi="3.2.0",
)


@pytest.fixture(scope="session")
def made(package: Generate) -> ModuleType:
    return package(API)


@pytest.fixture
def client(made: ModuleType, origin: Origin) -> Iterator[Any]:
    with made.Client(base_url=origin.url, max_retries=0) as opened:
        yield opened


def answer(origin: Origin, *lines: str) -> None:
    body = "".join(f"{line}\n" for line in lines).encode()
    origin.answer(Answer(headers={"content-type": "text/event-stream"}, body=body))


def test_the_data_of_an_event_is_the_model_of_its_schema(
    client: Any, made: ModuleType, origin: Origin
) -> None:
    answer(origin, "id: 7", "retry: 30", 'data: {"n":', "data: 4}", "", 'data: {"n": 5}', "")
    with client.all.lines() as events:
        assert list(events) == [
            made.ServerSentEvent(made.models.Line(n=4), "message", "7", 30),
            made.ServerSentEvent(made.models.Line(n=5), "message", "7"),
        ]


def test_the_name_of_an_event_selects_the_model_of_its_data(
    client: Any, made: ModuleType, origin: Origin
) -> None:
    line = made.models.Changes_ResponseLine
    answer(
        origin,
        *("event: note", "data: 5", ""),
        *("event: line", 'data: {"n": 5}', ""),
        *("event: last", 'data: {"n": 6}', ""),
        *("event: any", "data: [1]", ""),
    )
    with client.all.changes() as events:
        assert [(event.event, event.data) for event in events] == [
            ("note", "5"),
            ("line", line(n=5)),
            ("last", line(n=6)),
            ("any", [1]),
        ]


def test_the_data_may_have_the_schema_of_its_json(
    client: Any, made: ModuleType, origin: Origin
) -> None:
    answer(
        origin, "event: todo.added", 'data: {"title": "a"}', "", "event: done", "data: [DONE]", ""
    )
    with client.all.todos() as events:
        assert [event.data for event in events] == [made.models.TodoAdded_Data(title="a"), "[DONE]"]


def test_an_event_that_is_newer_than_the_package_has_a_text(
    client: Any, made: ModuleType, origin: Origin
) -> None:
    answer(origin, "event: later", "data: {", "", "event: note", "data: a", "")
    with client.all.changes() as events:
        assert list(events) == [
            made.ServerSentEvent("{", "later"),
            made.ServerSentEvent("a", "note"),
        ]


@pytest.mark.parametrize(
    ("operation", "name", "data"),
    [
        ("lines", "message", "{"),
        ("lines", "message", '{"n": "4"}'),
        ("lines", "later", "{}"),
        ("changes", "line", "[]"),
        ("changes", "any", "{"),
        ("todos", "todo.added", '{"title": 1}'),
    ],
)
def test_data_that_breaks_its_schema_is_an_invalid_response(
    client: Any, made: ModuleType, origin: Origin, operation: str, name: str, data: str
) -> None:
    answer(origin, f"event: {name}", f"data: {data}", "")
    with (
        getattr(client.all, operation)() as events,
        pytest.raises(made.errors.InvalidResponseError, match=f"{operation}: an item breaks") as e,
    ):
        list(events)
    assert e.value.__cause__ is None


def test_limits_of_received_data_are_left_to_the_service(client: Any, origin: Origin) -> None:
    answer(origin, 'data: {"n": 1, "later": 2}', "")
    assert [event.data.n for event in client.all.lines()] == [1]


def test_a_marker_ends_a_stream_of_json(client: Any, origin: Origin) -> None:
    answer(origin, 'data: {"n": 4}', "", "data: [DONE]", "")
    assert len(list(client.all.lines())) == 1


def test_events_of_one_name_have_the_first_data_that_fits(
    client: Any, made: ModuleType, origin: Origin
) -> None:
    answer(origin, 'data: {"n": 4}', "", "data: four", "")
    events = list(client.all.mixed())
    assert [event.data for event in events] == [made.models.Mixed_Response(n=4), "four"]


def test_json_in_another_encoding_stays_a_text(client: Any, origin: Origin) -> None:
    answer(origin, "data: eyJuIjogNH0=", "")
    assert [event.data for event in client.all.coded()] == ["eyJuIjogNH0="]


class Implementation:
    """An implementation that sends the events that a test sets."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    async def lines(self, *, context: Any) -> Any:
        return self.events

    async def changes(self, *, context: Any) -> Any:
        async def events() -> AsyncIterator[Any]:
            for event in self.events:
                yield event

        return events()

    todos = mixed = coded = lines


@pytest.fixture(scope="session")
def implementation() -> Implementation:
    return Implementation()


@pytest.fixture(scope="session")
def server(made: ModuleType, implementation: Implementation) -> Iterator[Server]:
    with Server(made.server.create_app(all=implementation)) as running:
        yield running


def test_a_stub_sends_what_clients_and_others_read(
    made: ModuleType, server: Server, implementation: Implementation
) -> None:
    event, line = made.ServerSentEvent, made.models.Changes_ResponseLine
    lines = [event(made.models.Line(n=4), id="1"), event(made.models.Line(n=5), "b", "2", 3)]
    changes = [event("a\nb", "note"), event(line(n=4), "last"), event({"a": [None]}, "any")]
    todos = [event(made.models.TodoAdded_Data(title="a"), "todo.added"), event("[DONE]", "done")]

    async def calls() -> None:
        async with made.AsyncClient(base_url=server.url) as client:
            implementation.events = lines
            assert [received async for received in await client.all.lines()] == lines
            implementation.events = changes
            assert [received async for received in await client.all.changes()] == changes
            implementation.events = todos
            assert [received async for received in await client.all.todos()] == todos

    asyncio.run(calls())
    implementation.events = [*changes[:2], event(line(n=5), "line")]
    assert server.send("GET", "/changes").body.decode() == (
        "event: note\ndata: a\ndata: b\n\n"
        'event: last\ndata: {"n":4}\n\n'
        'event: line\ndata: {"n":5}\n\n'
    )
    # What is no event is the data of one.
    implementation.events = [made.models.Line(n=4)]
    assert server.send("GET", "/lines").body == b'data: {"n":4}\n\n'


@pytest.mark.parametrize(
    ("path", "data", "name", "id"),
    [
        ("/lines", "a", "message", ""),
        ("/changes", {"n": 4}, "later", ""),
        ("/changes", {"n": 4}, "note", ""),
        ("/changes", {"m": 4}, "line", ""),
        ("/lines", {"n": 4}, "a\ndata: 5", ""),
        ("/lines", {"n": 4}, "a", "1\r2"),
        ("/lines", {"n": 4}, "a", "1\0"),
    ],
)
def test_a_stub_sends_no_event_that_breaks_the_contract(
    made: ModuleType,
    server: Server,
    implementation: Implementation,
    path: str,
    data: Any,
    name: str,
    id: str,
) -> None:
    line = made.models.Changes_ResponseLine if path == "/changes" else made.models.Line
    value = line(**data) if isinstance(data, dict) and "n" in data else data
    implementation.events = [made.ServerSentEvent(value, name, id)]
    with made.Client(base_url=server.url, max_retries=0) as client:
        call = client.all.lines if path == "/lines" else client.all.changes
        # What comes in a list is checked before the response begins.
        error = "ServerError" if path == "/lines" else "ApiConnectionError"
        with pytest.raises(getattr(made.errors, error)):
            list(call())


READING = """
from typing import assert_type

from {package} import Client, ServerSentEvent, models


def read(client: Client) -> None:
    for event in client.all.lines():
        assert_type(event.data, models.Line)
        assert_type(event.event, str)
    for change in client.all.changes():
        if change.event == "line":
            assert_type(change.data, models.Changes_ResponseLine)
        match change.event:
            case "note":
                assert_type(change.data, str)
            case _:
                pass
        print(change.data.n)
    plain: ServerSentEvent = ServerSentEvent("a")
    assert_type(plain.data, str)
"""
SENDING = """
from collections.abc import AsyncIterator
from typing import Literal

from {package} import ServerSentEvent, models
from {package}.server import Context, UnimplementedAll


class All(UnimplementedAll):
    async def lines(self, *, context: Context) -> list[ServerSentEvent[models.Line]]:
        return [ServerSentEvent(models.Line(n=4)), ServerSentEvent(models.Line(n=5), "b")]

    async def todos(
        self, *, context: Context
    ) -> AsyncIterator[
        ServerSentEvent[models.TodoAdded_Data | str, Literal["todo.added", "done"]]
    ]:
        async def events() -> AsyncIterator[
            ServerSentEvent[models.TodoAdded_Data | str, Literal["todo.added", "done"]]
        ]:
            yield ServerSentEvent(models.TodoAdded_Data(title="a"), "todo.added")
            yield ServerSentEvent("[DONE]", "done")
            yield ServerSentEvent("[DONE]", "later")

        return events()
"""
