"""No credential and no hidden value is in any byte that a run writes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.report.formats import FILES
from tests.conformance.shop import serving
from tests.conftest import Run

KEY = "test-canary-key/4f1c90d27b"
SECRET = "whsec_canary+Zm9vYmFy/QUJDREVG="
CODE = "LPA:1$smdp.canary.example$K2-CANARY-450013"
LINK = "https://install.example/?carddata=LPA:1$smdp.canary.example$K2-CANARY-450013"
HIDDEN = (KEY, SECRET, CODE)
SHOWN = {"code": CODE, "link": LINK}

TEXT = {"type": "string"}
HELD = {
    "type": "object",
    "properties": {
        "code": {"$ref": "#/components/schemas/Code", "x-contract-sensitive": True},
        "link": {"type": ["string", "null"], "x-contract-sensitive": True},
    },
}
THING = {
    "type": "object",
    "properties": {"id": TEXT, "secret": {**TEXT, "x-contract-once": True}, "held": HELD},
    "required": ["id", "missing"],
}
ITEMS = {
    "type": "object",
    "properties": {"data": {"type": "array", "items": {"allOf": [THING]}}},
    "required": ["more"],
}
ERROR = {"type": "object", "properties": {"message": {"type": "integer"}}}


def answer(schema: object) -> dict[str, object]:
    return {"description": "…", "content": {"application/json": {"schema": schema}}}


BODY = {"content": {"application/json": {"schema": {"type": "object"}, "example": {}}}}
PLACE = {"name": "id", "in": "path", "required": True, "schema": TEXT}
FAILED = {"400": answer(ERROR), "401": answer(ERROR), "404": answer(ERROR)}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Canary", "version": "1"},
    "security": [{"key": []}],
    "paths": {
        "/things": {
            "get": {"operationId": "listThings", "responses": {"200": answer(ITEMS), **FAILED}},
            "post": {
                "operationId": "makeThing",
                "requestBody": BODY,
                "responses": {"201": answer(THING), **FAILED},
            },
        },
        "/things/{id}": {
            "get": {
                "operationId": "getThing",
                "parameters": [PLACE],
                "responses": {"200": answer(THING), **FAILED},
            }
        },
    },
    "components": {
        "schemas": {"Code": TEXT},
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
    },
}


class Talkative:
    """A server that breaks every schema, shows hidden values, and repeats the requests."""

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/things", self.things, methods=["GET", "POST"]),
                Route("/v1/things/{id}", self.thing),
            ]
        )

    async def things(self, request: Request) -> Response:
        if refused := self.refused(request):
            return refused
        if request.method == "POST":
            return JSONResponse({"id": "1", "secret": SECRET, "held": SHOWN}, 201)
        return JSONResponse({"data": [{"id": "1", "held": SHOWN}]})

    async def thing(self, request: Request) -> Response:
        return self.refused(request) or JSONResponse(
            {"id": "1", "note": f"{SECRET} {quote(CODE, safe='')}", "held": SHOWN}
        )

    def refused(self, request: Request) -> Response | None:
        given = request.headers.get("authorization", "")
        if given == f"Bearer {KEY}":
            return None
        basic = base64.b64encode(f"user:{KEY}".encode()).decode()
        return JSONResponse({"message": f"not {given}, but {KEY} or Basic {basic}"}, 401)


def written(value: str) -> set[bytes]:
    forms = {value, quote(value, safe=""), quote(value), json.dumps(value)[1:-1]}
    return {form.encode() for form in forms}


def test_no_hidden_value_is_in_any_byte_of_a_report(
    specwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", KEY)
    document, reports = tmp_path / "openapi.json", tmp_path / "reports"
    document.write_text(json.dumps(DOCUMENT), "utf-8")
    with serving(Talkative().app()) as url:
        place = ("--document", str(document), "--api-key-env", "KEY")
        run = specwright("test", url, *place, "--seed", "1", "--report-dir", str(reports))
    assert run.returncode == 1, run.stdout + run.stderr
    again = specwright(
        "check-traffic",
        str(reports / "report.har"),
        *("--base-url", url, "--document", str(document), "--report-dir", str(tmp_path / "again")),
    )
    assert again.returncode == 1, again.stdout + again.stderr
    outputs = [each.encode() for each in (run.stdout, run.stderr, again.stdout, again.stderr)]
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.suffix and path != document]
    assert len(files) == (len(FILES) + 2) + len(FILES)
    for value in HIDDEN:
        assert not [form for form in written(value) for text in (*outputs, *files) if form in text]
    # They were there to be found.
    assert b"[redacted]" in (reports / "report.har").read_bytes()
    assert b"[redacted]" in (reports / "report.html").read_bytes()
