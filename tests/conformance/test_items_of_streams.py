"""Items of streams, and the data of server-sent events, are judged by their schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.conftest import Run
from tests.functional.test_event_data import API, LINE, stream
from tests.serving import Server

EVENTS = "text/event-stream"
LINES = "application/jsonl"
RIGHT = {
    "/lines": 'id: 7\nretry: 3\ndata: {"n": 4}\n\nevent: b\ndata: {"n": 5}\n\ndata: [DONE]\n\n',
    "/changes": 'event: note\ndata: {\n\nevent: line\ndata: {"n": 4}\n\nevent: any\ndata: 1\n\n',
    "/todos": 'event: todo.added\ndata: {"title": "a"}\n\nevent: done\ndata: [DONE]\n\n',
    "/mixed": 'data: {"n": 4}\n\ndata: four\n\n',
    "/coded": "data: eyJuIjogNH0=\n\n",
    # The end of what was received may be in the middle of an item.
    "/more": '{"n": 4}\n{"n": 5',
    "/values": 'data: {"n": 4}\n\ndata: {"n',
}
DOCUMENT: dict[str, Any] = {
    **API,
    "paths": {
        **API["paths"],
        "/more": {
            "get": {
                "operationId": "more",
                "responses": {
                    "200": {"description": "Lines.", "content": {LINES: {"itemSchema": LINE}}}
                },
            }
        },
        "/values": stream("values", itemSchema=LINE),
    },
}


def served(bodies: Mapping[str, str]) -> Starlette:
    async def respond(request: Request) -> Response:
        path = request.url.path
        return Response(bodies[path], media_type=LINES if path == "/more" else EVENTS)

    return Starlette(routes=[Route(path, respond) for path in bodies])


def problems(specwright: Run, directory: Path, bodies: Mapping[str, str]) -> list[str]:
    """Return the messages of `specwright test`, and those of its traffic."""
    (directory / "openapi.json").write_text(json.dumps(DOCUMENT), "utf-8")
    with Server(served(bodies)) as server:
        arguments = ("--max-time", "4", "--format", "json", "--report-dir", "report")
        done = specwright("test", server.url, "openapi.json", *arguments, cwd=directory)
        url = server.url
    found = json.loads(done.stdout)["findings"]
    traffic = ("report/report.har", "--document", "openapi.json", "--base-url", url)
    again = specwright("check-traffic", *traffic, "--format", "json", cwd=directory)
    messages = {finding["message"] for finding in found if finding["rule"] == "response-schema"}
    assert messages == {
        finding["message"]
        for finding in json.loads(again.stdout)["findings"]
        if finding["rule"] == "response-schema"
    }
    return sorted(messages)


def test_right_items_have_no_finding(specwright: Run, tmp_path: Path) -> None:
    assert problems(specwright, tmp_path, RIGHT) == []


WRONG = {
    "/lines": 'data: {"n": 3}\n\n',
    "/changes": 'event: line\ndata: {"n": "4"}\n\nevent: later\ndata: 4\n\n',
    "/todos": "event: todo.added\ndata: {}\n\nevent: done\ndata: done\n\n",
    "/mixed": "event: a\n\n",
    "/coded": "data: ***\n\n",
    "/more": '{"n": 4}\n{"n": 3}\n',
    "/values": "data: {\n\n",
}


def test_wrong_items_are_found(specwright: Run, tmp_path: Path) -> None:
    assert problems(specwright, tmp_path, WRONG) == [
        "200: the value is less than the minimum of 4 at '/n': 2 operations",
        """GET /changes: 200: "note" was expected at '/event'""",
        """GET /changes: 200: the value is not of type "integer" at '/n'""",
        "GET /coded: 200: it is not encoded as base64 at '/data'",
        """GET /todos: 200: "[DONE]" was expected at '/data'""",
        """GET /todos: 200: "title" is a required property at ''""",
        "GET /values: 200: an item is not JSON",
    ]
