"""Operations with servers of their own are called there, and never on other hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.testing import check
from tests.conformance.shop import serving
from tests.conftest import Run

THING = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
UPLOAD = [{"url": "https://upload.example"}]


def operation(**members: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": THING}}
    responses = {
        "200": {"description": "It.", "content": content},
        "404": {"description": "It is not there.", "content": {"application/json": {}}},
    }
    return {"responses": responses, **members}


def document(path: Path, usual: str = "https://api.example/v1") -> Path:
    name = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    name["example"] = "first"
    data = {
        "openapi": "3.1.0",
        "info": {"title": "Files", "version": "1"},
        "servers": [{"url": usual}],
        "paths": {
            "/things": {"get": operation(), "post": operation(servers=UPLOAD)},
            "/files/{id}": {"servers": [{"url": "/static"}], "get": operation(parameters=[name])},
            "/notes": {"get": operation(), "put": operation(servers=[{"url": "/static"}])},
            "/uploads": {"servers": UPLOAD, "post": operation()},
        },
    }
    path.write_text(json.dumps(data), "utf-8")
    return path


class Files:
    """Things below one prefix, and files below another; files may have a bug."""

    def __init__(self, *, has_bug: bool = False, prefix: str = "/v1") -> None:
        self.has_bug, self.prefix = has_bug, prefix
        self.requests = list[tuple[str, str]]()

    def app(self) -> Starlette:
        routes = [
            Route(f"{self.prefix}/things", self.thing),
            Route("/static/files/{id}", self.file),
            Route(f"{self.prefix}/notes", self.thing),
            Route("/static/notes", self.thing, methods=["PUT"]),
        ]
        app = Starlette(routes=[*routes, Route("/{path:path}", self.nowhere)])

        async def noted(scope: Any, receive: Any, send: Any) -> None:
            self.requests.append((scope["method"], scope["path"]))
            await app(scope, receive, send)

        return noted  # type: ignore[return-value]

    async def thing(self, request: Request) -> Response:
        return JSONResponse({"id": "1"})

    async def file(self, request: Request) -> Response:
        is_there = request.path_params["id"] == "first"
        return JSONResponse({} if self.has_bug else {"id": "first"}, 200 if is_there else 404)

    async def nowhere(self, request: Request) -> Response:
        return JSONResponse({}, 404)


def test_each_operation_is_called_at_its_server(specwright: Run, tmp_path: Path) -> None:
    files, api = Files(), document(tmp_path / "openapi.json")
    with serving(files.app()) as url:
        run = specwright("test", url, "--document", str(api), "--seed", "1")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "On other hosts: POST /things, POST /uploads" in run.stdout
    assert "\nNot checked: 2 operations on other hosts; " in run.stdout
    paths = {path for _, path in files.requests}
    assert any(path.startswith("/static/files/") for path in paths)
    assert not any(path.startswith(("/v1/files", "/v1/uploads")) for path in paths)
    # The paths exist here, but not with these methods.
    assert ("PUT", "/static/notes") in files.requests
    assert {("POST", "/v1/things"), ("PUT", "/v1/notes")}.isdisjoint(files.requests)


def test_a_failure_at_a_server_of_its_own_is_repeated_there(
    specwright: Run, tmp_path: Path
) -> None:
    files, api = Files(has_bug=True), document(tmp_path / "openapi.json")
    with serving(files.app()) as url:
        arguments = ("--document", str(api), "--seed", "1", "--report-dir", str(tmp_path))
        assert specwright("test", url, *arguments).returncode == 1
        failures = json.loads((tmp_path / "result.json").read_text("utf-8"))["failures"]
        [number] = [each["id"] for each in failures if each["rule"] == "response-schema"]
        replayed = specwright("replay", str(tmp_path / "result.json"), number)
        assert replayed.returncode == 1, replayed.stdout + replayed.stderr
        files.has_bug = False
        replayed = specwright("replay", str(tmp_path / "result.json"), number)
        assert replayed.returncode == 0, replayed.stdout + replayed.stderr
        traffic = ("check-traffic", str(tmp_path / "report.har"), "--document", str(api))
        checked = specwright(*traffic, "--base-url", url, "--format", "json")
    assert checked.returncode == 1
    report = json.loads(checked.stdout)
    assert [finding["rule"] for finding in report["findings"]] == ["response-schema"]
    assert {"label": "Elsewhere", "value": "0"} in report["facts"]


def test_the_function_calls_each_operation_at_its_server(tmp_path: Path) -> None:
    app = Files(prefix="").app()
    outcome = check(app, document(tmp_path / "openapi.json", "https://api.example"))
    outcome.raise_for_findings()
    names = {"GET /things", "GET /files/{id}", "GET /notes", "PUT /notes"}
    assert set(outcome.operations) == names


@pytest.mark.parametrize("command", ["test", "check-traffic"])
def test_a_document_for_other_hosts_only(specwright: Run, tmp_path: Path, command: str) -> None:
    api = document(tmp_path / "openapi.json")
    data = json.loads(api.read_text("utf-8"))
    data["paths"] = {"/uploads": data["paths"]["/uploads"]}
    api.write_text(json.dumps(data), "utf-8")
    url = "http://127.0.0.1:1"
    har = tmp_path / "report.har"
    where = (url,) if command == "test" else (str(har), "--base-url", url)
    run = specwright(command, *where, "--document", str(api))
    assert run.returncode == 2
    assert "no operation is at http://127.0.0.1:1" in run.stderr
    assert "https://upload.example" in run.stderr
