"""Compressed responses: right ones in every spelling, and one that is broken."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from tests.conformance.shop import serving
from tests.conftest import Run

BODY = b'{"id": 1}'
SCHEMA = {"type": "object", "required": ["id"]}
OK = {"200": {"description": "It.", "content": {"application/json": {"schema": SCHEMA}}}}
CODINGS = {
    "gzip": gzip.compress(BODY),
    "GZIP": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
}


def application(*broken: str) -> Starlette:
    """Operations that compress their responses, some of them only by their headers."""

    async def packed(request: Request) -> Response:
        coding = request.path_params["coding"]
        body = BODY if coding in broken else CODINGS[coding]
        headers = {"content-encoding": coding}
        return Response(body, headers=headers, media_type="application/json")

    return Starlette(routes=[Route("/v1/{coding}", packed)])


def document(path: Path, *codings: str) -> Path:
    paths = {f"/{coding}": {"get": {"responses": OK}} for coding in codings}
    info = {"title": "Packed", "version": "1"}
    path.write_text(json.dumps({"openapi": "3.1.1", "info": info, "paths": paths}), "utf-8")
    return path


@pytest.mark.parametrize("coding", CODINGS)
def test_a_compressed_body_is_read(coding: str) -> None:
    with serving(application()) as url, TargetServer(url, None, Record(), {}) as target:
        response = target.send(target.request("GET", f"/{coding}"), "test", None).response
    assert response is not None
    assert (response.body, response.header("content-encoding")) == (BODY, coding)


def test_a_body_that_is_not_compressed_is_a_finding_of_its_operation(
    specwright: Run, tmp_path: Path
) -> None:
    api = document(tmp_path / "openapi.json", "gzip", "x-gzip", "deflate")
    with serving(application("gzip")) as url:
        run = specwright("test", url, "--document", str(api), "--seed", "1", "--format", "json")
    assert run.returncode == 1, run.stderr
    messages = {each["message"] for each in json.loads(run.stdout)["findings"]}
    assert len(messages) == 1
    assert "GET /gzip: the body cannot be decoded as its Content-Encoding says" in messages.pop()
