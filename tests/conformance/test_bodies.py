"""Forms, files, text and bytes are sent as declared, and the created resources are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.shop import serving

NAME = {"type": "string", "minLength": 5}
FILE = {"type": "string", "format": "binary"}


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "form": ("application/x-www-form-urlencoded", form(name=NAME, size={"type": "integer"})),
    "upload": ("multipart/form-data", form(name=NAME, file=FILE)),
    "uploads": (
        "multipart/form-data",
        form(files={"type": "array", "minItems": 2, "items": {"contentMediaType": "image/png"}}),
    ),
    "xml": (
        "application/xml",
        {**form(name=NAME, size={"type": "integer"}), "xml": {"name": "thing"}},
    ),
    "text": ("text/plain", {"type": "string"}),
    "bytes": ("application/octet-stream", {}),
}


class Made:
    """A server that reads bodies as another framework does, and returns the created resources."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    async def take(self, request: Request) -> Response:
        kind = request.url.path.rpartition("/")[2]
        value = await getattr(self, kind)(request)
        if value is None or request.headers["content-type"].partition(";")[0] != KINDS[kind][0]:
            return JSONResponse({}, 422)
        self.known[f"{kind}-1"] = value
        return JSONResponse({"id": f"{kind}-1"}, 201)

    async def read(self, request: Request) -> Response:
        return JSONResponse({}, 200 if request.path_params["id"] in self.known else 404)

    async def form(self, request: Request) -> Any:
        sent = await request.form()
        fits = len(str(sent.get("name"))) >= 5 and str(sent.get("size")).isdecimal()
        return sent if fits else None

    async def upload(self, request: Request) -> Any:
        sent = await request.form()
        is_file = isinstance(sent.get("file"), UploadFile)
        return sent if is_file and isinstance(sent.get("name"), str) else None

    async def uploads(self, request: Request) -> Any:
        files = (await request.form()).getlist("files")
        are_files = all(isinstance(file, UploadFile) for file in files)
        return files if are_files and len(files) == 2 else None

    async def xml(self, request: Request) -> Any:
        thing = ElementTree.fromstring(await request.body())
        fits = len(thing.findtext("name", "")) >= 5 and thing.findtext("size", "").isdecimal()
        return thing if fits and thing.tag == "thing" else None

    async def text(self, request: Request) -> Any:
        return (await request.body()).decode() or None

    async def bytes(self, request: Request) -> Any:
        return await request.body()


def contract(path: Path) -> Contract:
    paths: dict[str, Any] = {}
    for name, (kind, schema) in KINDS.items():
        body = {"required": True, "content": {kind: {"schema": schema}}}
        made = {"description": "Made.", "content": {"application/json": {"schema": form(id=NAME)}}}
        paths[f"/{name}"] = {"post": {"requestBody": body, "responses": {"201": made}}}
        variable = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        read = {"parameters": [variable], "responses": {"200": {"description": "It."}}}
        paths[f"/{name}/{{id}}"] = {"get": read}
    document = {"openapi": "3.1.1", "info": {"title": "Made", "version": "1"}, "paths": paths}
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    made = Made()
    routes = [
        *(Route(f"/v1/{name}", made.take, methods=["POST"]) for name in KINDS),
        *(Route(f"/v1/{name}/{{id}}", made.read) for name in KINDS),
    ]
    found = contract(tmp_path_factory.mktemp("made") / "api.json")
    with serving(Starlette(routes=routes)) as url, TargetServer(url, None, Record(), {}) as target:
        explore(Driver(found, target, "scenarios"))
    return target.record


@pytest.mark.parametrize("name", KINDS)
def test_a_body_arrives_as_its_media_type_says(record: Record, name: str) -> None:
    statuses = {
        exchange.response.status
        for exchange in record.exchanges
        if exchange.response is not None and exchange.request.url.endswith(f"/{name}")
    }
    assert 201 in statuses


@pytest.mark.parametrize("name", KINDS)
def test_what_a_body_makes_is_used_by_the_operations_that_follow(record: Record, name: str) -> None:
    read = [
        exchange
        for exchange in record.exchanges
        if exchange.request.url.endswith(f"/{name}/{name}-1")
    ]
    assert any(each.response is not None and each.response.is_success for each in read)


def test_the_same_form_is_the_same_bytes(record: Record) -> None:
    bodies = {
        exchange.request.body
        for exchange in record.exchanges
        if exchange.request.url.endswith("/upload")
    }
    assert len(bodies) == 1
