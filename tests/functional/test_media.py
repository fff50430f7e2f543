"""Media types of bodies, from generated clients to generated servers and to other servers.

The requests of a client are judged by Starlette, which knows nothing of this package.
"""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import io
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document
from tests.functional.origin import Answer, Origin
from tests.serving import Server

TEXT: Json = {"type": "string"}
INTEGER: Json = {"type": "integer"}
FILE: Json = {"type": "string", "format": "binary"}
N: Json = {"type": "object", "properties": {"n": INTEGER}}


def operation(name: str, body: Json | None = None, answers: Json | None = None) -> Json:
    made: Json = {"operationId": name, "tags": ["all"]}
    if body is not None:
        made["requestBody"] = {"required": True, "content": body}
    if answers is not None:
        made["responses"] = answers
    return made


def ok(media: Json) -> Json:
    return {"200": {"description": "Fine.", "content": media}}


def json_of(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


UPLOAD = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "required": ["file"],
            "properties": {
                "file": FILE,
                "others": {"type": "array", "items": FILE, "uniqueItems": True, "maxItems": 3},
                "octets": {"type": "string", "contentMediaType": "application/octet-stream"},
                "title": TEXT,
                "size": INTEGER,
                "tags": {"type": "array", "items": TEXT},
                "meta": N,
                "notes": {"type": "array", "items": N},
            },
        }
    }
}
FORM = {
    "application/x-www-form-urlencoded": {
        "schema": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": TEXT,
                "age": INTEGER,
                "scopes": {"type": "array", "items": TEXT},
                "joined": {"type": "array", "items": TEXT},
                "card": {"type": "object", "properties": {"holder": N}},
                "meta": N,
            },
        },
        "encoding": {
            "card": {"style": "deepObject", "explode": True},
            "joined": {"style": "form", "explode": False},
        },
    }
}
ASK = {
    "type": "object",
    "required": ["q"],
    "properties": {"q": TEXT, "stream": {"type": "boolean"}},
}
DELTA = {"type": "object", "properties": {"delta": TEXT}}
API = document(
    {
        "/upload": {"post": operation("upload", UPLOAD, ok(json_of(N)))},
        "/form": {"post": operation("form", FORM, ok({"text/plain": {}}))},
        "/ask": {
            "post": operation(
                "ask",
                json_of(ASK),
                ok({**json_of(N), "text/event-stream": {"schema": DELTA}}),
            )
        },
        "/events": {"get": operation("events", answers=ok({"text/event-stream": {}}))},
        "/lines": {
            "get": operation("lines", answers=ok({"application/x-ndjson": {"schema": N}})),
            "post": operation("add_lines", {"application/x-ndjson": {"schema": N}}, ok(json_of(N))),
        },
        "/sequence": {
            "get": operation("sequence", answers=ok({"application/json-seq": {"itemSchema": N}}))
        },
        "/bytes": {
            "put": operation("put_bytes", {"application/octet-stream": {"schema": FILE}}),
            "get": operation("get_bytes", answers=ok({"application/pdf": {}, "text/csv": {}})),
        },
        "/patch": {
            "patch": operation(
                "change",
                {
                    "application/json-patch+json": {"schema": {"type": "array", "items": N}},
                    "application/merge-patch+json": {"schema": {"type": "object"}},
                },
                {"200": {"description": "Whatever."}},
            )
        },
        "/elsewhere": {"get": operation("elsewhere", answers={"302": {"description": "There."}})},
        "/free": {
            "post": operation("free", json_of({"type": "object"}), ok(json_of({"type": "object"})))
        },
        "/anything": {"head": operation("look", answers=ok(json_of(N)))},
    }
)


@pytest.fixture(scope="session")
def made(package: Generate) -> ModuleType:
    return package({**API, "openapi": "3.2.0"})


@pytest.fixture
def anyone(made: ModuleType) -> Iterator[Any]:
    """A client of a server that returns the fields that Starlette reads from a request."""

    async def tell(request: Request) -> JSONResponse:
        found: dict[str, Any] = {}
        async with request.form() as form:
            for name, value in form.multi_items():
                if isinstance(value, UploadFile):
                    body = await value.read()
                    value = [value.filename, value.content_type, body.hex()]
                found.setdefault(name, []).append(value)
        return JSONResponse({"n": 1, "said": found})

    async def count(request: Request) -> JSONResponse:
        body = await request.body()
        told = [len(body), request.headers.get("content-type"), "content-length" in request.headers]
        return JSONResponse({"told": told, "n": 0})

    routes = [
        Route("/upload", tell, methods=["POST"]),
        Route("/form", tell, methods=["POST"]),
        Route("/bytes", count, methods=["PUT"]),
        Route("/lines", count, methods=["POST"]),
    ]
    with Server(Starlette(routes=routes)) as server, made.Client(base_url=server.url) as client:
        yield client


def said(client: Any, method: Any, **arguments: Any) -> Any:
    return json.loads(client.with_raw_response(method, **arguments).content)


def test_a_form_with_files_is_what_others_read(
    anyone: Any, made: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "ä b.png"
    path.write_bytes(b"\x89PNG\r\n")
    read = said(
        anyone,
        anyone.all.upload,
        file=path,
        others=[b"\xff--", io.BytesIO(b"2"), made.File(b"3", "three.txt", "text/x-three")],
        octets=b"4",
        title="t\u00eft\r\nle",
        size=3,
        tags=["a", "b"],
        meta={"n": 1},
        notes=[{"n": 2}, {}],
    )["said"]
    assert read == {
        "file": [["ä b.png", "image/png", b"\x89PNG\r\n".hex()]],
        "others": [
            ["file-1", "application/octet-stream", b"\xff--".hex()],
            ["file-2", "application/octet-stream", b"2".hex()],
            ["three.txt", "text/x-three", b"3".hex()],
        ],
        "octets": [["file", "application/octet-stream", b"4".hex()]],
        "title": ["t\u00eft\r\nle"],
        "size": ["3"],
        "tags": ["a", "b"],
        "meta": ['{"n":1}'],
        "notes": ['{"n":2}', "{}"],
    }


@pytest.mark.parametrize(
    ("files", "words"),
    [([b"\xff", b"\xff"], "should be unique"), ([b"1", b"2", b"3", b"4"], "at most 3 items")],
)
def test_a_list_of_files_keeps_its_limits(anyone: Any, files: list[bytes], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        anyone.all.upload(file=b"", others=files)


def test_a_form_is_what_others_read(anyone: Any, made: ModuleType) -> None:
    read = json.loads(
        anyone.all.form(
            name="a b&c=\u00e4",
            age=3,
            scopes=["x", "y"],
            joined=["x", "y"],
            card={"holder": {"n": 1}},
            meta={"n": 2},
        )
    )["said"]
    assert read == {
        "name": ["a b&c=\u00e4"],
        "age": ["3"],
        "scopes": ["x", "y"],
        "joined": ["x,y"],
        "card[holder][n]": ["1"],
        "meta": ['{"n":2}'],
    }


@pytest.mark.parametrize(
    "arguments", [{"file": 1}, {"file": b"", "size": "many"}, {"file": b"", "title": 3}, {}]
)
def test_a_form_is_checked_before_it_is_sent(
    origin: Origin, made: ModuleType, arguments: dict[str, Any]
) -> None:
    with (
        made.Client(base_url=origin.url) as client,
        pytest.raises((made.errors.InvalidArgumentError, TypeError)),
    ):
        client.all.upload(**arguments)
    assert not origin.asked


def test_a_file_that_is_not_there_is_an_argument_that_cannot_be_sent(
    anyone: Any, made: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(made.errors.InvalidArgumentError, match="cannot be read"):
        anyone.all.upload(file=tmp_path / "none")
    with pytest.raises(made.errors.InvalidArgumentError, match="cannot be read"):
        anyone.all.put_bytes(body=tmp_path / "none")


class Pipe(io.RawIOBase):
    """Bytes of which nothing says how many there are."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts

    def read(self, size: int = -1) -> bytes:
        return self.parts.pop(0) if self.parts else b""


def test_bytes_are_sent_from_wherever_they_are(anyone: Any, tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_bytes(bytes(200_000))
    octets = "application/octet-stream"
    for body, size in ((b"12", 2), (io.BytesIO(b"123"), 3), (path, 200_000)):
        assert said(anyone, anyone.all.put_bytes, body=body)["told"] == [size, octets, True]
    piped = said(anyone, anyone.all.put_bytes, body=Pipe([b"1" * 70_000, b"2"]))
    assert piped["told"] == [70_001, octets, False]


def test_what_cannot_be_read_twice_is_sent_once(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(status=503, headers={"retry-after": "0"}), Answer(body=b"{}"))
    with made.Client(base_url=origin.url) as client:
        with pytest.raises(made.errors.ServerError):
            client.all.put_bytes(body=Pipe([b"1"]))
        client.all.put_bytes(body=io.BytesIO(b"1"))
    assert [request.body for request in origin.asked] == [b"1", b"1"]


def test_a_file_is_sent_again_from_where_it_stood(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(status=503, headers={"retry-after": "0"}), Answer(body=b"{}"))
    opened = io.BytesIO(b"0123")
    opened.seek(2)
    with made.Client(base_url=origin.url) as client:
        client.all.put_bytes(body=opened)
    assert [request.body for request in origin.asked] == [b"23", b"23"]


class Implementation:
    """An implementation that records the bodies of its requests."""

    def __init__(self, package: ModuleType) -> None:
        self.package = package
        self.taken: Any = None

    async def upload(self, *, body: Any, context: Any) -> Any:
        self.taken = body
        return self.package.models.Upload_Response(n=len(body.file.read()))

    async def form(self, *, body: Any, context: Any) -> Any:
        self.taken = body
        return "t\u00f6"

    async def ask(self, *, body: Any, context: Any) -> Any:
        async def words() -> AsyncIterator[Any]:
            for word in body.q.split():
                yield self.package.models.Ask_ResponseTextEventStream(delta=word)

        return words() if body.stream else self.package.models.Ask_Response(n=len(body.q))

    async def events(self, *, context: Any) -> Any:
        event = self.package.ServerSentEvent
        return [event("a\nb", "note", "7", 3), event("c")]

    async def lines(self, *, context: Any) -> Any:
        return [self.package.models.Lines_Response(n=n) for n in (1, 2)]

    async def add_lines(self, *, body: Any, context: Any) -> Any:
        return self.package.models.AddLines_Response(n=sum(each.n for each in body))

    async def sequence(self, *, context: Any) -> Any:
        return [self.package.models.Sequence_Response(n=n) for n in (1, 2)]

    async def put_bytes(self, *, body: Any, context: Any) -> Any:
        return body

    async def get_bytes(self, *, context: Any) -> Any:
        if context.fields[b"accept"].startswith(b"text/csv"):
            return self.package.server.Reply("a;b", content_type="text/csv")
        return self.package.File(b"%PDF" * 50_000)

    async def change(self, *, body: Any, context: Any) -> Any:
        return {"type": context.fields[b"content-type"].decode(), "body": body}

    async def elsewhere(self, *, context: Any) -> Any:
        return self.package.Redirect(302, "/there?token=1")

    async def free(self, *, body: Any, context: Any) -> Any:
        return {"z": 1, **body}

    async def look(self, *, context: Any) -> Any:
        return None


@pytest.fixture(scope="session")
def implementation(made: ModuleType) -> Implementation:
    return Implementation(made)


@pytest.fixture(scope="session")
def server(made: ModuleType, implementation: Implementation) -> Iterator[Server]:
    with Server(made.server.create_app(all=implementation, max_body=10**7)) as running:
        yield running


@pytest.fixture
def client(made: ModuleType, server: Server) -> Iterator[Any]:
    with made.Client(base_url=server.url) as opened:
        yield opened


def test_a_handler_takes_a_form_with_files(client: Any, implementation: Implementation) -> None:
    answer = client.all.upload(
        file=b"123",
        others=(b"4",),
        size=3,
        tags=["a"],
        meta={"n": 1},
        title="1",
        notes=[{"n": 2}],
    )
    taken = implementation.taken
    assert answer.n == 3
    assert (taken.size, taken.tags, taken.meta.n, taken.title) == (3, ["a"], 1, "1")
    assert [each.read() for each in taken.others] == [b"4"]
    assert [note.n for note in taken.notes] == [2]


def test_a_handler_takes_a_form(client: Any, implementation: Implementation) -> None:
    text = client.all.form(
        name="1", age=3, scopes=["x"], joined=["x", "y"], card={"holder": {"n": 1}}, meta={"n": 2}
    )
    taken = implementation.taken
    assert text == "t\u00f6"
    assert (taken.name, taken.age, taken.scopes, taken.joined) == ("1", 3, ["x"], ["x", "y"])
    assert (taken.card.holder.n, taken.meta.n) == (1, 2)


@pytest.mark.parametrize(
    ("path", "body", "media_type", "status"),
    [
        ("/upload", b"x", "multipart/form-data; boundary=b", 400),
        ("/upload", b"x", "multipart/form-data", 400),
        ("/upload", b"{}", "application/json", 415),
        ("/form", b"age=3", "application/x-www-form-urlencoded", 400),
        ("/form", b"name=a&age=many", "application/x-www-form-urlencoded", 400),
        ("/form", b"name=\xff", "application/x-www-form-urlencoded", 400),
        ("/form", b"name=a&meta=%7B", "application/x-www-form-urlencoded", 400),
        ("/form", b"name=a", "application/x-www-form-urlencoded", 200),
        ("/lines", b'{"n": 1}\n{', "application/x-ndjson", 400),
        ("/lines", b'{"n": 1}\n\r\n{"n": 2}', "application/x-ndjson", 200),
        ("/lines", b'{"n": "1"}', "application/x-ndjson", 400),
    ],
)
def test_a_handler_sees_no_body_that_breaks_the_contract(
    server: Server, path: str, body: bytes, media_type: str, status: int
) -> None:
    assert server.send("POST", path, body, Content_Type=media_type).status == status


def test_items_come_one_by_one(client: Any) -> None:
    assert client.all.ask(q="a b").n == 3
    with client.all.ask(q="a b", stream=True) as stream:
        assert [each.delta for each in stream] == ["a", "b"]
    assert [line.n for line in client.all.lines()] == [1, 2]
    assert [each.n for each in client.all.sequence()] == [1, 2]
    assert client.all.add_lines(body=[{"n": 1}, {"n": 2}]).n == 3
    assert client.all.add_lines(body=({"n": n} for n in range(4))).n == 6


def test_events_are_what_the_service_sent(client: Any, made: ModuleType) -> None:
    assert list(client.all.events()) == [
        made.ServerSentEvent("a\nb", "note", "7", 3),
        made.ServerSentEvent("c", "message", "7"),
    ]


def test_asynchronous_calls_travel_alike(
    made: ModuleType, server: Server, tmp_path: Path, implementation: Implementation
) -> None:
    async def calls() -> None:
        path = tmp_path / "file"
        path.write_bytes(b"12345")
        async with made.AsyncClient(base_url=server.url) as client:
            assert (await client.all.upload(file=path)).n == 5
            assert implementation.taken.file.filename == "file"
            async with await client.all.ask(q="a b", stream=True) as stream:
                assert [each.delta async for each in stream] == ["a", "b"]
            assert [each.n async for each in await client.all.lines()] == [1, 2]
            assert await client.all.put_bytes(body=path) == b"12345"
            async with client.with_streaming_response(client.all.get_bytes) as answer:
                assert sum([len(chunk) async for chunk in answer.iter_bytes()]) == 200_000
            async with client.with_streaming_response(client.all.get_bytes) as answer:
                await answer.save(tmp_path / "copy")
            assert (tmp_path / "copy").stat().st_size == 200_000

    asyncio.run(calls())


def test_an_answer_comes_in_the_form_that_was_asked_for(client: Any, tmp_path: Path) -> None:
    assert client.all.get_bytes()[:4] == b"%PDF"
    assert client.all.get_bytes(accept="text/csv") == "a;b"
    with client.with_streaming_response(client.all.get_bytes) as answer:
        assert (answer.status, answer.headers["content-type"]) == (200, "application/pdf")
        answer.save(tmp_path / "copy.pdf")
    assert (tmp_path / "copy.pdf").stat().st_size == 200_000


def test_a_body_is_sent_in_the_form_that_was_chosen(client: Any, made: ModuleType) -> None:
    merge = "application/merge-patch+json"
    assert client.all.change(body=[{"n": 1}])["type"] == "application/json-patch+json"
    assert client.all.change(body={"a": None}, content_type=merge) == {
        "type": merge,
        "body": {"a": None},
    }
    with pytest.raises(made.errors.InvalidArgumentError, match="content_type"):
        client.all.change(body={}, content_type="text/plain")
    with pytest.raises(made.errors.InvalidArgumentError, match="accept"):
        client.all.get_bytes(accept="text/html")


def test_a_body_of_which_nothing_is_said_is_sent_and_read_in_full(client: Any) -> None:
    assert client.all.free(body={"title": "x", "none": None}) == {
        "z": 1,
        "title": "x",
        "none": None,
    }


def test_an_operation_that_leads_elsewhere_says_where(client: Any) -> None:
    answer = client.all.elsewhere()
    assert (answer.status, answer.url) == (302, "/there?token=1")
    assert "token" not in repr(answer)


def test_head_has_no_body(client: Any) -> None:
    assert client.all.look() is None


@pytest.mark.parametrize(
    ("headers", "body", "value"),
    [
        ({"content-type": "application/json"}, b'{"a": 1}', {"a": 1}),
        ({"content-type": "text/plain"}, b"a", "a"),
        ({"content-type": "image/png"}, b"\x89", b"\x89"),
        ({}, b"", None),
    ],
)
def test_an_answer_of_which_nothing_is_said_is_read_as_it_says_itself(
    made: ModuleType, origin: Origin, headers: dict[str, str], body: bytes, value: Any
) -> None:
    origin.answer(Answer(body=body, headers=headers))
    with made.Client(base_url=origin.url) as client:
        assert client.all.put_bytes(body=b"") == value


def test_a_success_that_is_not_declared_is_read_as_the_one_that_is(
    made: ModuleType, origin: Origin
) -> None:
    origin.answer(Answer(status=201, body=b'{"n": 1}'))
    with made.Client(base_url=origin.url) as client:
        assert client.all.ask(q="a").n == 1


def test_what_can_be_read_is_what_is_asked_for(made: ModuleType, origin: Origin) -> None:
    origin.answer(*[Answer(body=b"{}")] * 3)
    with made.Client(base_url=origin.url) as client:
        client.all.ask(q="a")
        client.all.get_bytes()
        client.all.get_bytes(accept="text/csv")
    assert [request.headers["accept"] for request in origin.asked] == [
        "application/json",
        "application/pdf",
        "text/csv",
    ]


def endless(made: ModuleType, parts: Any, media_type: str = "text/event-stream") -> Server:
    async def stream(request: Request) -> StreamingResponse:
        return StreamingResponse(parts(), media_type=media_type)

    route = Route("/events", stream)
    return Server(Starlette(routes=[route, Route("/lines", stream)]))


def test_a_stream_that_is_left_is_closed(made: ModuleType) -> None:
    left: list[bool] = []

    async def events() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"data: 1\n\n"
                await asyncio.sleep(0)
        finally:
            left.append(True)

    with endless(made, events) as server, made.Client(base_url=server.url) as client:
        with client.all.events() as stream:
            assert next(stream).data == "1"
        assert list(stream) == []
        # The server notices at its next write, and before it ends.
    assert left


def test_an_item_that_breaks_the_contract_ends_the_stream(made: ModuleType) -> None:
    async def lines() -> AsyncIterator[bytes]:
        yield b'{"n": 1}\n{"n": "secret"}\n'

    with (
        endless(made, lines, "application/x-ndjson") as server,
        made.Client(base_url=server.url) as client,
    ):
        stream = client.all.lines()
        assert next(stream).n == 1
        with pytest.raises(made.errors.InvalidResponseError, match="n: ") as raised:
            next(stream)
        assert "secret" not in str(raised.value)


def test_an_item_without_end_is_not_kept(made: ModuleType) -> None:
    async def lines() -> AsyncIterator[bytes]:
        while True:
            yield b"1" * 10_000
            await asyncio.sleep(0)

    with (
        endless(made, lines, "application/x-ndjson") as server,
        made.Client(base_url=server.url, max_response_bytes=50_000) as client,
        pytest.raises(made.errors.ResponseTooLargeError),
    ):
        list(client.all.lines())


def test_a_stream_that_breaks_is_an_error(made: ModuleType, origin: Origin) -> None:
    origin.answer(
        Answer(
            body=b'{"n": 1}\n{"n"',
            headers={"content-type": "application/x-ndjson"},
            promised=100,
        )
    )
    with made.Client(base_url=origin.url) as client:
        stream = client.all.lines()
        assert next(stream).n == 1
        with pytest.raises(made.errors.ApiConnectionError, match="before the end"):
            next(stream)


def test_an_error_in_place_of_a_stream_is_an_error(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(status=404, body=b'{"detail": "none"}'))
    with made.Client(base_url=origin.url) as client, pytest.raises(made.errors.NotFoundError):
        client.all.lines()


def test_each_overload_of_what_will_be_removed_says_so(package: Generate) -> None:
    """Type checkers ask the overload that a call chooses (PEP 702)."""
    answers = {"200": {"description": "N", "content": {"application/json": {"schema": N}}}}
    answers["200"]["content"]["text/csv"] = {"schema": TEXT}
    old = {**operation("readOld", answers=answers), "deprecated": True}
    made = package(document({"/old": {"get": old}}))
    tree = ast.parse(inspect.getsource(importlib.import_module(f"{made.__name__}.client")))
    found = [
        [ast.unparse(expression).partition("(")[0] for expression in node.decorator_list]
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "read_old"
    ]
    assert found == [["overload", "deprecated"], ["overload", "deprecated"], ["deprecated"]]
