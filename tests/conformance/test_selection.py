"""The operations that a run calls, and the excluded ones, which it never calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.arguments.selection import Selection
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.errors import InputError
from tests.conftest import Run
from tests.functional.documents import Json, document, operation, ref
from tests.serving import Server

THING: Json = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
ITEM = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


def named(name: str, *tags: str, result: Json | None = None, **members: Any) -> Json:
    return {**operation(result, operationId=name, **members), "tags": list(tags)}


PATHS: Json = {
    "/things": {
        "get": named("listThings", "things", result={"type": "array", "items": ref("Thing")}),
        "post": named("makeThing", "things", "changes", result=ref("Thing")),
    },
    "/things/{id}": {
        "parameters": [ITEM],
        "get": named("getThing", "things", result=ref("Thing")),
        "delete": named("dropThing", "changes"),
    },
    "/health": {"get": named("health", result={"type": "object"})},
}


@pytest.fixture
def api(tmp_path: Path) -> Path:
    path = tmp_path / "api.json"
    path.write_text(json.dumps({**document(PATHS, {"Thing": THING}), "security": []}))
    return path


@pytest.fixture
def read(api: Path) -> Document:
    return load(api)


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        ([], [], {"listThings", "makeThing", "getThing", "dropThing", "health"}),
        (["things"], [], {"listThings", "makeThing", "getThing"}),
        (["things"], ["changes"], {"listThings", "getThing"}),
        (["GET"], ["/things*"], {"health"}),
        (["GET /things", "/health"], [], {"listThings", "health"}),
        ([], ["DELETE"], {"listThings", "makeThing", "getThing", "health"}),
        ([], ["*Thing"], {"listThings", "health"}),
        (["get*"], [], {"getThing"}),
    ],
)
def test_operations_are_chosen_by_any_of_their_names(
    read: Document, include: list[str], exclude: list[str], left: set[str]
) -> None:
    chosen, others = Selection(tuple(include), tuple(exclude)).of(read)
    kept = {
        each["operationId"]
        for item in chosen.data["paths"].values()
        for method, each in item.items()
        if method != "parameters"
    }
    assert kept == left
    assert {site.id for site in others} == {
        "listThings",
        "makeThing",
        "getThing",
        "dropThing",
        "health",
    } - left
    assert read.data["paths"] == PATHS


@pytest.mark.parametrize(
    ("include", "exclude", "words"),
    [
        (("thingz",), (), "--include 'thingz' matches no operation"),
        (("things",), ("Delete",), "--exclude 'Delete' matches no operation"),
        (("things",), ("*",), "--include and --exclude leave no operation to test"),
    ],
)
def test_a_pattern_that_fits_nothing_is_a_mistake(
    read: Document, include: tuple[str, ...], exclude: tuple[str, ...], words: str
) -> None:
    with pytest.raises(InputError, match=words.replace("*", r"\*")):
        Selection(include, exclude).of(read)


def test_what_is_excluded_is_never_called(api: Path, specwright: Run) -> None:
    called: set[tuple[str, str]] = set()

    async def answer(request: Request) -> Response:
        called.add((request.method, request.url.path))
        if request.url.path == "/health":
            return JSONResponse({})
        thing = {"id": "a"}
        return JSONResponse([thing] if request.url.path == "/things" else thing)

    routes = [
        Route("/things", answer, methods=["GET", "POST"]),
        Route("/things/{id}", answer, methods=["GET", "DELETE"]),
        Route("/health", answer, methods=["GET"]),
    ]
    with Server(Starlette(routes=routes)) as server:
        arguments = ("--document", str(api), "--exclude", "DELETE", "--exclude", "makeThing")
        run = specwright("test", server.url, *arguments, "--seed", "1", "--include", "things")
    assert run.returncode in (0, 1), run.stdout + run.stderr
    assert "Operations: 2 of 5" in run.stdout
    assert {path for _, path in called} >= {"/things", "/things/a"}
    assert not {each for each in called if each[0] in ("DELETE", "POST")}
    assert ("GET", "/health") not in called
