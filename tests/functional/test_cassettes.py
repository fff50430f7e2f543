"""`RecordingTransport` and `ReplayTransport`: calls as HAR, without credentials."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest

from tests.command import run
from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin

TEXT: Json = {"type": "string"}
THING: Json = {"type": "object", "required": ["id"], "properties": {"id": TEXT}}
LINES: Json = {"content": {"application/jsonl": {"itemSchema": ref("Thing")}}}
BYTES: Json = {"content": {"application/octet-stream": {}}}
SCHEMES: Json = {
    "inHeader": {"type": "apiKey", "in": "header", "name": "X-Own-Word"},
    "inQuery": {"type": "apiKey", "in": "query", "name": "word"},
    "inCookie": {"type": "apiKey", "in": "cookie", "name": "session"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "granted": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": "/token", "scopes": {}}},
    },
}
PATHS: Json = {
    "/things": {
        "get": operation(
            {"type": "array", "items": ref("Thing")},
            operationId="listThings",
            parameters=[
                {"name": "q", "in": "query", "schema": TEXT},
                {"name": "X-Trace", "in": "header", "schema": TEXT},
            ],
            security=[{"inHeader": [], "inQuery": [], "inCookie": [], "bearer": []}],
        ),
        "post": operation(
            ref("Thing"),
            operationId="addThing",
            requestBody={"required": True, **content(ref("Thing"))},
        ),
    },
    "/granted": {"get": operation(ref("Thing"), operationId="own", security=[{"granted": []}])},
    "/lines": {
        "get": {
            "operationId": "watch",
            "tags": ["things"],
            "responses": {"200": {"description": "Done.", **LINES}},
        }
    },
    "/bytes": {
        "get": {
            "operationId": "load",
            "tags": ["things"],
            "responses": {"200": {"description": "Done.", **BYTES}},
        }
    },
}
DOCUMENT: Json = {
    **document(PATHS, {"Thing": THING}, components={"securitySchemes": SCHEMES}),
    "openapi": "3.2.0",
}
SECRETS = {
    "in_header": "s3cret-header",
    "in_query": "s3cret-query",
    "in_cookie": "s3cret-cookie",
    "bearer": "s3cret-bearer",
}


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(DOCUMENT)


@pytest.fixture
def har(tmp_path: Path) -> Path:
    return tmp_path / "things.har"


def written(value: object, **headers: str) -> Answer:
    return Answer(body=json.dumps(value).encode(), headers=headers)


def entries(har: Path) -> list[Json]:
    return list(json.loads(har.read_text())["log"]["entries"])


def test_a_recording_is_replayed_without_a_server(
    made: ModuleType, origin: Origin, har: Path
) -> None:
    origin.answer(
        written([{"id": "a"}], **{"set-cookie": "session=s3cret; Path=/"}),
        written({"id": "b"}),
        written({"id": "c"}),
    )

    def calls(client: Any) -> list[str]:
        return [
            *(thing.id for thing in client.things.list_things(q="ä b", x_trace="t1")),
            client.things.add_thing(id="x").id,
            client.things.add_thing(id="x").id,
        ]

    recording = made.testing.RecordingTransport(har)
    with made.Client(base_url=origin.url, transport=recording, **SECRETS) as client:
        assert calls(client) == ["a", "b", "c"]
    sent = len(origin.asked)
    assert "s3cret" in str(origin.asked)
    assert "s3cret" not in har.read_text()
    assert "t1" in har.read_text()
    others = {name: f"other-{secret}" for name, secret in SECRETS.items()}
    replay = made.testing.ReplayTransport(har)
    with made.Client(base_url=origin.url, transport=replay, **others) as client:
        assert calls(client) == ["a", "b", "c"]
    assert len(origin.asked) == sent


def test_the_asynchronous_client_records_and_replays(
    made: ModuleType, origin: Origin, har: Path
) -> None:
    lines = b'{"id": "a"}\n{"id": "b"}\n'
    origin.answer(
        Answer(body=lines, headers={"content-type": "application/jsonl"}), written({"id": "c"})
    )

    async def calls(transport: Any) -> list[str]:
        async with made.AsyncClient(base_url=origin.url, transport=transport) as client:
            things = [thing.id async for thing in await client.things.watch()]
            return [*things, (await client.things.add_thing(id="x")).id]

    assert asyncio.run(calls(made.testing.AsyncRecordingTransport(har))) == ["a", "b", "c"]
    assert asyncio.run(calls(made.testing.AsyncReplayTransport(har))) == ["a", "b", "c"]


def test_streams_and_bytes_are_replayed(made: ModuleType, origin: Origin, har: Path) -> None:
    lines = b'{"id": "a"}\n{"id": "b"}\n'
    origin.answer(
        Answer(body=lines, headers={"content-type": "application/jsonl"}),
        Answer(body=b"\xff\x00", headers={"content-type": "application/octet-stream"}),
    )
    for transport in (made.testing.RecordingTransport(har), None):
        chosen = transport or made.testing.ReplayTransport(har)
        with made.Client(base_url=origin.url, transport=chosen) as client:
            assert [thing.id for thing in client.things.watch()] == ["a", "b"]
            assert client.things.load() == b"\xff\x00"


def test_tokens_are_not_recorded(made: ModuleType, origin: Origin, har: Path) -> None:
    token = {"access_token": "s3cret", "refresh_token": "s3cret", "expires_in": 3600}
    origin.answer(written({**token, "token_type": "bearer"}), written({"id": "a"}))
    for kind in (made.testing.RecordingTransport, made.testing.ReplayTransport):
        for method in ("client_secret_post", "client_secret_basic"):
            origin.script = [written({**token, "token_type": "bearer"}), written({"id": "a"})]
            path = har.with_suffix(f".{method}")
            grant = made.ClientCredentials(
                client_id="me", client_secret="s3cret", auth_method=method
            )
            with made.Client(base_url=origin.url, transport=kind(path), granted=grant) as client:
                assert client.things.own().id == "a"
            assert "s3cret" not in path.read_text()
            assert entries(path)[0]["request"]["url"] == f"{origin.url}/token"


def test_credentials_of_an_http_client_are_not_recorded(
    made: ModuleType, origin: Origin, har: Path
) -> None:
    origin.answer(written({"id": "a"}))
    with httpx2.Client(headers={"X-Team": "s3cret"}, auth=("me", "s3cret")) as http_client:
        recording = made.testing.RecordingTransport(har, http_client)
        extra = {"extra_headers": {"X-Other": "s3cret"}}
        with made.Client(base_url=origin.url, transport=recording) as client:
            client.things.add_thing(id="x", request_options=extra)
    assert origin.asked[0].headers["x-team"] == "s3cret"
    assert "s3cret" not in har.read_text()


def test_a_request_that_is_not_recorded_is_an_error(
    made: ModuleType, origin: Origin, har: Path
) -> None:
    origin.answer(written({"id": "a"}))
    with made.Client(base_url=origin.url, transport=made.testing.RecordingTransport(har)) as client:
        client.things.add_thing(id="first")
        client.things.add_thing(id="another-thing")
    client = made.Client(base_url=origin.url, transport=made.testing.ReplayTransport(har))
    with pytest.raises(made.testing.UnrecordedRequestError) as caught:
        client.things.add_thing(id="another-think")
    assert str(caught.value) == (
        f'POST {origin.url}/things {{"id":"another-think"}} is not in things.har; the nearest is '
        f'POST {origin.url}/things {{"id":"another-thing"}} (log.entries[1])'
    )
    client.things.add_thing(id="first")
    with pytest.raises(made.testing.UnrecordedRequestError, match="fewer times than it was sent"):
        client.things.add_thing(id="first")


@pytest.mark.parametrize("text", ["", "[]", '{"log": {"entries": [{}]}}', '{"log": {}}'])
def test_another_file_is_an_error(made: ModuleType, har: Path, text: str) -> None:
    har.write_text(text)
    with pytest.raises(ValueError, match=r"things\.har is not a HAR"):
        made.testing.ReplayTransport(har)


def test_check_traffic_reads_a_recording(made: ModuleType, origin: Origin, har: Path) -> None:
    origin.answer(written([{"id": "a"}]), written({"id": 5}))
    with made.Client(
        base_url=origin.url, transport=made.testing.RecordingTransport(har), **SECRETS
    ) as client:
        client.things.list_things()
        with pytest.raises(made.InvalidResponseError):
            client.things.add_thing(id="x")
    (har.parent / "openapi.json").write_text(json.dumps(DOCUMENT))
    arguments = ("--base-url", origin.url, "--document", "openapi.json", "--format", "json")
    done = run("check-traffic", har.name, *arguments, cwd=har.parent)
    findings = json.loads(done.stdout)["findings"]
    assert [(finding["rule"], finding["operations"]) for finding in findings] == [
        ("response-schema", ["POST /things"])
    ]
