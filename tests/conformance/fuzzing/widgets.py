"""A small contract, and a server that keeps it except for the faults it is asked for."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection
from typing import Any

import jsonschema_rs
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

KEY = "sk_test_4f1d"
BODY = {"application/json": {"schema": {"$ref": "#/components/schemas/WidgetCreate"}}}
WIDGET = {"application/json": {"schema": {"$ref": "#/components/schemas/Widget"}}}
LIST = {"application/json": {"schema": {"$ref": "#/components/schemas/WidgetList"}}}
ERROR = {
    "description": "Refused.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
ERRORS = {str(status): ERROR for status in (400, 401, 404, 405, 409, 422)}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
BY_ID = {"id": "$response.body#/id"}

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Widgets", "version": "1"},
    "servers": [{"url": "https://production.example.com"}],
    "security": [{"key": []}],
    "x-contract-body-limit": {"max_bytes": 4096},
    "x-contract-error": {
        "schema": "#/components/schemas/Error",
        "code": "/code",
        "message": "/message",
        "codes": {
            "malformed": {"status": 400, "type": "invalid", "condition": "invalid_json"},
            "media_type": {"status": 400, "type": "x", "condition": "unsupported_media_type"},
            "too_large": {"status": 400, "type": "invalid", "condition": "body_too_large"},
            "invalid": {"status": 400, "type": "invalid", "condition": "invalid_value"},
            "no_filter": {"status": 400, "type": "invalid"},
            "no_key": {"status": 401, "type": "auth", "condition": "missing_credentials"},
            "not_found": {"status": 404, "type": "missing"},
            "no_method": {"status": 405, "type": "missing", "condition": "method_not_allowed"},
            "in_progress": {"status": 409, "type": "idempotency"},
            "reused": {"status": 422, "type": "idempotency"},
        },
    },
    "paths": {
        "/widgets": {
            "get": {
                "operationId": "listWidgets",
                "x-contract-pagination": {
                    **{"cursor": "cursor", "limit": "limit", "items": "/data"},
                    **{"next": "/next", "more": None, "id": "/id"},
                },
                "x-contract-requires-one-of": {
                    "parameters": ["colour", "shape"],
                    "code": "no_filter",
                },
                "parameters": [
                    {"name": "cursor", "in": "query", "schema": {"type": "string"}},
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 1, "maximum": 50},
                    },
                    {
                        "name": "colour",
                        "in": "query",
                        "schema": {"$ref": "#/components/schemas/Colour"},
                    },
                    {"name": "shape", "in": "query", "schema": {"type": "string", "minLength": 1}},
                ],
                "responses": {"200": {"description": "A page.", "content": LIST}, **ERRORS},
            },
            "post": {
                "operationId": "createWidget",
                "x-contract-idempotency": {
                    "key": "/reference",
                    "replay": {"status": 201, "header": "Replayed", "value": "true"},
                    "in_progress": {"status": 409, "code": "in_progress"},
                    "changed": {"status": 422, "code": "reused"},
                    "scope": ["account"],
                },
                "requestBody": {"required": True, "content": BODY},
                "responses": {
                    "201": {
                        "description": "Created.",
                        "content": WIDGET,
                        "links": {
                            "get": {"operationId": "getWidget", "parameters": BY_ID},
                            "delete": {"operationId": "deleteWidget", "parameters": BY_ID},
                        },
                    },
                    **ERRORS,
                },
            },
        },
        "/widgets/{id}": {
            "parameters": [ID],
            "get": {
                "operationId": "getWidget",
                "responses": {"200": {"description": "It.", "content": WIDGET}, **ERRORS},
            },
            "delete": {
                "operationId": "deleteWidget",
                "responses": {"204": {"description": "Gone."}, **ERRORS},
            },
        },
    },
    "components": {
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "WidgetCreate": {
                "type": "object",
                "properties": {
                    "reference": {"type": "string", "minLength": 1, "maxLength": 12},
                    "size": {"type": "integer", "minimum": 1, "maximum": 9},
                    # The server does not look at what a format annotates.
                    "day": {"type": "string", "format": "date"},
                },
                "required": ["reference", "size"],
                "additionalProperties": False,
            },
            "Colour": {"type": "string", "enum": ["red", "blue"]},
            "Widget": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "size": {"type": "integer"}},
                "required": ["id", "size"],
            },
            "WidgetList": {
                "type": "object",
                "properties": {
                    "data": {
                        "type": "array",
                        "items": {"$ref": "#/components/schemas/Widget"},
                    },
                    "next": {"type": ["string", "null"]},
                },
                "required": ["data", "next"],
            },
            "Error": {
                "type": "object",
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                "required": ["code", "message"],
            },
        },
    },
}
CODES = {name: code["status"] for name, code in DOCUMENT["x-contract-error"]["codes"].items()}
CREATE = jsonschema_rs.validator_for(DOCUMENT["components"]["schemas"]["WidgetCreate"])


def refused(code: str) -> Response:
    return JSONResponse({"code": code, "message": code}, CODES[code])


class Widgets:
    """The server.

    Attributes:
        faults: `lenient` takes sizes that are too large, `strict` refuses the largest one, `open`
            shows widgets to everybody, `loses` forgets what it created,
            `put` has a method more than the document.
    """

    def __init__(self, faults: Collection[str] = ()) -> None:
        self.faults = faults
        self.widgets: dict[str, dict[str, Any]] = {}
        self.references: dict[str, tuple[bytes, dict[str, Any]]] = {}
        self.lock = threading.Lock()
        more = ["PUT"] if "put" in faults else []
        self.app = Starlette(
            routes=[
                Route("/v1/widgets", self.collection, methods=["GET", "POST", *more]),
                Route("/v1/widgets/{id}", self.item, methods=["GET", "DELETE"]),
            ],
            exception_handlers={404: self.missing},
        )

    async def missing(self, request: Request, error: Exception) -> Response:
        return refused("not_found")

    def is_open(self, request: Request) -> bool:
        known = request.headers.get("Authorization") == f"Bearer {KEY}"
        return known or ("open" in self.faults and request.method == "GET")

    async def collection(self, request: Request) -> Response:
        if request.method == "PUT":
            return Response(status_code=204)
        if not self.is_open(request):
            return refused("no_key")
        return await self.create(request) if request.method == "POST" else self.page(request)

    def page(self, request: Request) -> Response:
        query = request.query_params
        limit = query.get("limit", "10")
        if not limit.isdecimal() or not 1 <= int(limit) <= 50:
            return refused("invalid")
        if query.get("colour", "red") not in ("red", "blue") or query.get("shape") == "":
            return refused("invalid")
        if "colour" not in query and "shape" not in query:
            return refused("no_filter")
        if "cursor" in query:
            # There is one page only, so no client was given a cursor.
            return refused("invalid")
        return JSONResponse({"data": list(self.widgets.values())[: int(limit)], "next": None})

    async def create(self, request: Request) -> Response:
        if request.headers.get("Content-Type", "").partition(";")[0] != "application/json":
            return refused("media_type")
        body = await request.body()
        if len(body) > 4096:
            return refused("too_large")
        try:
            sent = json.loads(body)
        except ValueError:
            return refused("malformed")
        fits = CREATE.is_valid(sent)
        if "lenient" in self.faults and isinstance(sent, dict) and type(sent.get("size")) is int:
            fits = CREATE.is_valid({**sent, "size": 1})
        if not fits or ("strict" in self.faults and sent["size"] == 9):
            return refused("invalid")
        with self.lock:
            first = self.references.get(sent["reference"])
            if first is not None:
                first_body, widget = first
                return JSONResponse(widget, 201) if first_body == body else refused("reused")
            widget = {"id": f"w{len(self.references)}", "size": int(sent["size"])}
            self.references[sent["reference"]] = body, widget
            if "loses" not in self.faults:
                self.widgets[widget["id"]] = widget
            return JSONResponse(widget, 201)

    async def item(self, request: Request) -> Response:
        if not self.is_open(request):
            return refused("no_key")
        with self.lock:
            found = self.widgets.get(request.path_params["id"])
            if found is None:
                return refused("not_found")
            if request.method != "DELETE":
                return JSONResponse(found)
            del self.widgets[found["id"]]
            return Response(status_code=204)
