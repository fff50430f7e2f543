"""`specwright test`, `check-traffic` and the reference of operations with a whole query string."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.conftest import Run
from tests.serving import Server

FORM = "application/x-www-form-urlencoded"
TAGS = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 2}
PROPERTIES = {"size": {"type": "integer", "minimum": 5}, "tags": TAGS}
FILTER = {"type": "object", "required": ["size", "tags"], "properties": PROPERTIES}
SELECTOR = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
# Not the way that lists are sent in by default.
ENCODING = {"tags": {"style": "form", "explode": False}}
RESPONSES = {
    "200": {"description": "Yes.", "content": {"application/json": {"schema": {"type": "object"}}}},
    "400": {"description": "No."},
}


def get(name: str, content: Any) -> dict[str, Any]:
    parameter = {"name": "q", "in": "querystring", "required": True, "content": content}
    return {"get": {"operationId": name, "parameters": [parameter], "responses": RESPONSES}}


DOCUMENT = {
    "openapi": "3.2.0",
    "info": {"title": "Queries", "version": "1"},
    "servers": [{"url": "https://api.example"}],
    "paths": {
        "/form": get("getForm", {FORM: {"schema": FILTER, "encoding": ENCODING}}),
        "/json": get("getJson", {"application/json": {"schema": SELECTOR}}),
    },
}


class Queries:
    """Reads queries in its own way.

    Attributes:
        lenient: whether it accepts a selector of any shape.
        accepted: the queries with a success, by path.
    """

    def __init__(self, lenient: bool = False) -> None:
        self.lenient = lenient
        self.accepted: dict[str, list[str]] = {"/form": [], "/json": []}

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/form", self.form), Route("/json", self.json)])

    def _answer(self, request: Request, is_right: bool) -> Response:
        if is_right:
            self.accepted[request.url.path].append(request.url.query)
        return JSONResponse({}, 200 if is_right else 400)

    async def form(self, request: Request) -> Response:
        sent = parse_qs(request.url.query, keep_blank_values=True)
        size, tags = sent.get("size", [""]), sent.get("tags", [""])
        is_right = size[0].isdecimal() and int(size[0]) >= 5 and len(size) == len(tags) == 1
        return self._answer(request, is_right and len(tags[0].split(",")) > 1)

    async def json(self, request: Request) -> Response:
        try:
            sent = json.loads(unquote(request.url.query, errors="strict"))
        except ValueError:
            return self._answer(request, False)
        number = sent.get("n") if isinstance(sent, dict) else None
        is_integer = isinstance(number, int | float) and number == int(number)
        is_right = is_integer and not isinstance(number, bool)
        return self._answer(request, self.lenient or is_right)


@pytest.fixture
def api(tmp_path: Path) -> Path:
    (tmp_path / "openapi.json").write_text(json.dumps(DOCUMENT))
    return tmp_path


@pytest.mark.parametrize("lenient", [False, True])
def test_queries_are_sent_and_judged(specwright: Run, api: Path, lenient: bool) -> None:
    queries = Queries(lenient)
    with Server(queries.app()) as server:
        done = specwright(
            "test", server.url, "openapi.json", "--format", "json", "--seed", "1", cwd=api
        )
    findings = {(f["rule"], f["message"].split()[1]) for f in json.loads(done.stdout)["findings"]}
    ignored = {("invalid-accepted", "/json"), ("coercion", "/json")}
    assert findings == (ignored if lenient else set()), done.stdout
    # The driver's own calls have the encoding of the document.
    assert "size=5&tags=" in queries.accepted["/form"][0]
    assert queries.accepted["/json"][0] == quote('{"n":1}', safe="")


def exchange(target: str) -> dict[str, Any]:
    content = {"mimeType": "application/json", "text": "{}", "size": 2}
    request = {"method": "GET", "url": f"https://api.example{target}", "headers": []}
    return {
        "startedDateTime": "2026-01-01T00:00:00Z",
        "time": 1,
        "request": {**request, "httpVersion": "HTTP/1.1", "cookies": [], "queryString": []},
        "response": {
            "status": 200,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "cookies": [],
            "content": content,
        },
    }


@pytest.mark.parametrize(
    ("query", "is_valid"),
    [
        ('{"n": 1}', True),
        ('{"n": "x"}', False),
        ("{", False),
        ("", False),
    ],
)
def test_recorded_queries_are_checked(
    specwright: Run, api: Path, query: str, is_valid: bool
) -> None:
    har = {"log": {"version": "1.2", "entries": [exchange(f"/json?{quote(query)}")]}}
    (api / "traffic.har").write_text(json.dumps(har))
    done = specwright(
        *("check-traffic", "traffic.har", "--document", "openapi.json", "--format", "json"),
        *("--base-url", "https://api.example"),
        cwd=api,
    )
    rules = [finding["rule"] for finding in json.loads(done.stdout)["findings"]]
    assert ("invalid-accepted" in rules) is not is_valid, done.stdout


def test_the_reference_shows_queries(specwright: Run, api: Path) -> None:
    done = specwright("docs", "openapi.json", "--output", "page.html", cwd=api)
    assert done.returncode == 0
    page = (api / "page.html").read_text("utf-8")
    assert "curl 'https://api.example/form?size=5&amp;tags=a,A'" in page
    assert 'data-form="raw"' in page
    assert quote('{"n":1}', safe="") in page
