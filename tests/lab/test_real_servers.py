"""Programs against real servers: their reads and their mistakes are what the page counts."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lab.real_servers import outcomes
from lab.real_servers.checks import checked, edits
from lab.real_servers.outcomes import KINDS
from lab.real_servers.reads import is_same, wrong_reads
from lab.real_servers.recorder import Exchange, recording
from lab.real_servers.servers import PROGRAMS, REAL_SERVERS, RealServer
from tests.serving import Server

by_server = pytest.mark.parametrize("server", REAL_SERVERS, ids=lambda server: server.key)


@by_server
def test_programs_have_the_same_mistakes(server: RealServer) -> None:
    rows = tomllib.loads((server.programs / "mistakes.toml").read_text("utf-8"))["mistakes"]
    for kind in KINDS:
        program = server.programs / f"{kind}.py"
        if not program.exists():
            continue
        text = program.read_text("utf-8")
        mistakes = edits(server.programs, kind)
        assert len(mistakes) == len(rows)
        for old, new in mistakes.values():
            assert old in text and old != new, (program, old)


@by_server
def test_the_page_has_every_program(server: RealServer) -> None:
    programs = {kind for kind in KINDS if (server.programs / f"{kind}.py").exists()}
    assert {"ours", "ours_async"} <= programs
    assert set(outcomes.load()[server.key].programs) == programs


EXCHANGES = [
    Exchange("POST", "/flows", 201, {"id": 1, "at": "2026-01-01T00:00:00Z"}),
    Exchange("GET", "/flows/1", 200, {"id": 1, "tags": [{"name": "a"}, {"name": "b"}]}),
]


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        ("POST /flows#/id", 1, 2),
        ("POST /flows#/at", "2026-01-01T01:00:00+01:00", "2026-01-01T01:00:00Z"),
        ("GET /flows/*#/tags/*/name", ["a", "b"], ["b", "a"]),
        ("GET /flows/*#/tags/1/name", "b", "a"),
        ("GET /flows/*#/note", None, ""),
        ("* /flows/*#/tags/*/name", ["a", "b"], []),
        ("GET /flows/*#", {**EXCHANGES[1].body, "note": None}, {**EXCHANGES[1].body, "note": 1}),
    ],
)
def test_a_read_that_differs_is_wrong(source: str, right: Any, wrong: Any) -> None:
    assert list(wrong_reads([("it", right)], {"it": source}, EXCHANGES)) == []
    (line,) = wrong_reads([("it", wrong)], {"it": source}, EXCHANGES)
    assert line.startswith("it: ")


@pytest.mark.parametrize(
    ("value", "sent", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        ("1", 1, False),
        ("A", "a", False),
        ([1], [1, 2], False),
        ({"a": None}, {}, True),
        ({"a": 1}, {}, False),
    ],
)
def test_values_are_compared_with_json(value: Any, sent: Any, same: bool) -> None:
    assert is_same(value, sent) is same


def test_a_proxy_records_what_it_passes_on() -> None:
    async def echo(request: Request) -> Response:
        return JSONResponse({"got": (await request.body()).decode()}, 201, {"x-more": "1"})

    async def nothing(request: Request) -> Response:
        return Response(status_code=204)

    routes = [Route("/api/echo", echo, methods=["POST"]), Route("/api/nothing", nothing)]
    with (
        Server(Starlette(routes=routes)) as server,
        recording(f"{server.url}/api") as recorder,
        httpx2.Client(base_url=recorder.url) as client,
    ):
        for content in ("lamp", iter([b"la", b"mp"])):
            answer = client.post("/echo?a=1", content=content)
            assert (answer.status_code, answer.headers["x-more"]) == (201, "1")
            assert answer.json() == {"got": "lamp"}
        assert client.get("/nothing").status_code == 204
    assert recorder.exchanges == [
        Exchange("POST", "/api/echo", 201, {"got": "lamp"}),
        Exchange("POST", "/api/echo", 201, {"got": "lamp"}),
        Exchange("GET", "/api/nothing", 204, ""),
    ]


def test_checkers_notice_a_mistake_beyond_the_usual_errors(tmp_path: Path) -> None:
    program = tmp_path / "ours.py"
    program.write_text("def half(n: int) -> int:\n    return n // 2\n\n\nprint(half('4'))\n")
    place = tmp_path / "place"
    place.mkdir()
    mistakes = {"type": ("half(n: int)", "half(n: str)"), "none": ("n // 2", "n // 3")}
    results = checked(program, {"none": mistakes["none"]}, sys.executable, [], place)
    for result in results.values():
        assert (result.errors, result.noticed, result.missed) == (1, [], ["none"])
    program.write_text(program.read_text().replace("'4'", "4"))
    (place / "mistake_0.py").unlink()
    results = checked(program, mistakes, sys.executable, [], place)
    for result in results.values():
        assert (result.errors, result.noticed, result.missed) == (0, ["type"], ["none"])
    with pytest.raises(ValueError, match="nothing to make a mistake in: 'third'"):
        checked(program, {"none": ("third", "")}, sys.executable, [], place)


def test_programs_print_what_they_see() -> None:
    program = (
        "from seen import see\nfrom datetime import UTC, datetime\nfrom enum import Enum\n"
        "from pydantic import BaseModel, Field\n"
        "Colour = Enum('Colour', {'RED': 'red'})\n"
        "class Lamp(BaseModel):\n    name: str | None = Field(None, alias='Name')\n"
        "see('colour', Colour.RED)\nsee('at', datetime(2026, 1, 1, tzinfo=UTC))\n"
        "see('lamps', [Lamp(Name='a'), Lamp()])\nsee('content', b'\\xff')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROGRAMS, capture_output=True, text=True, check=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["colour", "red"],
        ["at", "2026-01-01T00:00:00+00:00"],
        ["lamps", [{"Name": "a"}, {}]],
        ["content", "\xff"],
    ]
