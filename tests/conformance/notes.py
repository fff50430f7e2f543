"""Notes on a board: a small contract, and a server that keeps it but for one bug.

It is for scenarios that are run by themselves, which the shop is too large for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.shop import serving

TEXT = {"type": "string"}
COLOURS = ["red", "blue"]
LARGEST, LONGEST = 1_000, 60
CODES = {
    "bad_json": (400, "invalid_json"),
    "bad_value": (400, "invalid_value"),
    "missing": (400, "missing_field"),
    "nothing_asked": (400, None),
    "bad_link": (400, None),
    "not_found": (404, None),
    "no_method": (405, "method_not_allowed"),
    "too_large": (413, "body_too_large"),
    "bad_media_type": (415, "unsupported_media_type"),
}
NOTE = {
    "type": "object",
    "required": ["colour"],
    "properties": {
        "colour": {"type": "string", "enum": COLOURS},
        "tag": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "stars": {"type": "integer"},
        "link": {
            "type": "string",
            "format": "uri",
            "maxLength": LONGEST,
            "x-contract-invalid": {"code": "bad_link"},
        },
    },
}
BOARD = [{"id": str(number), "colour": COLOURS[number % 2]} for number in range(4)]


def _content(schema: Any, **members: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema, **members}}}


def _operation(name: str, status: int = 200, /, **members: Any) -> dict[str, Any]:
    answer = {"description": "Done.", **_content({})}
    refusal = {"description": "Refused.", **_content({"$ref": "#/components/schemas/Error"})}
    return {"operationId": name, "responses": {str(status): answer, "4XX": refusal}, **members}


_ID = {"name": "id", "in": "path", "required": True, "schema": TEXT}
_COLOUR = {"name": "colour", "in": "query", "schema": NOTE["properties"]["colour"]}  # type: ignore[index]
_MOST = {"name": "most", "in": "query", "schema": {"type": "integer", "minimum": 1}}
_FILTER = {"x-contract-filter": {"property": "/colour", "match": "equals"}}
_PAGES = {
    "x-contract-pagination": {
        **dict.fromkeys(("cursor", "limit", "next", "more")),
        **{"items": "/data", "id": "/id"},
    }
}
_LINKS = {
    name: {"operationId": name, "parameters": {"id": "$response.body#/id"}}
    for name in ("getNote", "removeNote")
}
_CREATE = _operation(
    "addNote", 201, requestBody=_content(NOTE, example={"colour": "red"}) | {"required": True}
)
_CREATE["responses"]["201"]["links"] = _LINKS
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "x-contract-body-limit": {"max_bytes": LARGEST},
    "x-contract-error": {
        "schema": "#/components/schemas/Error",
        "code": "/code",
        "message": "/message",
        "codes": {
            name: {"status": status, "type": "error"}
            | ({"condition": condition} if condition else {})
            for name, (status, condition) in CODES.items()
        },
    },
    "paths": {
        "/notes": {
            "get": _operation("listNotes", parameters=[_COLOUR | _FILTER, _MOST], **_PAGES),
            "post": _CREATE,
        },
        "/notes/{id}": {
            "get": _operation("getNote", parameters=[_ID]),
            "delete": _operation("removeNote", 204, parameters=[_ID]),
        },
        "/search": {
            "get": _operation(
                "searchNotes",
                parameters=[_COLOUR],
                **{
                    "x-contract-requires-one-of": {
                        "parameters": ["colour"],
                        "code": "nothing_asked",
                    }
                },
            )
        },
        "/lost": {"get": _operation("listLost", **_PAGES)},
    },
    "components": {
        "schemas": {
            "Error": {"type": "object", "properties": {"code": TEXT, "message": TEXT}},
        }
    },
}


class Notes:
    """A server with its notes; `bug` is the mistake that it makes."""

    def __init__(self, bug: str) -> None:
        self.bug = bug
        self.board = {} if bug == "makes nothing" else {each["id"]: each for each in BOARD}

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route(f"/v1{path}", endpoint, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
                for path, endpoint in (
                    ("/notes", self.notes),
                    ("/notes/{id}", self.note),
                    ("/search", self.search),
                    ("/lost", self.lost),
                )
            ]
        )

    def refuse(self, code: str) -> Response:
        if self.bug == "busy":
            return JSONResponse({"code": "slow_down", "message": "Later."}, 429)
        if self.bug == "one code" and code != "no_method":
            code = "bad_value"
        return JSONResponse({"code": code, "message": "No."}, CODES[code][0])

    def no_method(self, *allowed: str) -> Response:
        if self.bug == "methods are not found":
            return self.refuse("not_found")
        answer = self.refuse("no_method")
        if self.bug != "names no methods":
            answer.headers["Allow"] = ", ".join(allowed)
        return answer

    async def lost(self, request: Request) -> Response:
        return self.refuse("not_found" if request.method == "GET" else "no_method")

    async def search(self, request: Request) -> Response:
        if request.method != "GET":
            return self.no_method("GET")
        if "colour" not in request.query_params and self.bug != "asks nothing":
            return self.refuse("nothing_asked")
        return JSONResponse({})

    async def notes(self, request: Request) -> Response:
        if request.method == "GET":
            most = request.query_params.getlist("most") or ["1"]
            colours = request.query_params.getlist("colour") or [None]
            if len(most) > 1 or len(colours) > 1 or not re.fullmatch("0*[1-9][0-9]*", most[0]):
                return self.refuse("bad_value")
            return self.listed(colours[0])
        if request.method == "POST":
            return self.added(request, await request.body())
        return self.no_method("GET", "POST")

    def listed(self, colour: str | None) -> Response:
        if colour is not None and (colour not in COLOURS or self.bug == "refuses a filter"):
            return self.refuse("bad_value")
        found = [each for each in self.board.values() if colour in (None, each["colour"])]
        if colour is not None and self.bug == "forgets":
            found = found[1:]
        return JSONResponse({"data": found})

    def added(self, request: Request, body: bytes) -> Response:
        refusal = None if self.bug == "takes all" else self.fault(request, body)
        if refusal is not None or self.bug == "makes nothing":
            return self.refuse(refusal or "bad_value")
        note = {"id": str(len(self.board)), "colour": "red"}
        self.board[note["id"]] = note
        return JSONResponse(note, 201)

    def fault(self, request: Request, body: bytes) -> str | None:
        if len(body) > LARGEST:
            # The nested body is not an object either.
            return "too_large" if body.startswith(b"{") else "bad_value"
        if request.headers["content-type"] != "application/json":
            return "bad_media_type"
        try:
            value = json.loads(body.decode())
        except ValueError:
            return "bad_json"
        if not isinstance(value, dict):
            return "bad_value"
        if "colour" not in value:
            return "missing"
        link, most = value.get("link", ""), LONGEST // (1 + (self.bug == "short links"))
        if not isinstance(link, str) or len(link) > most or " " in link:
            return "bad_link"
        stars = value.get("stars", 0)
        is_whole = type(stars) is int or (type(stars) is float and stars.is_integer())
        if not is_whole or (self.bug == "no whole number has a point" and type(stars) is float):
            return "bad_value"
        tag = value.get("tag", "TAG")
        length = "+" if self.bug == "tags of any length" else "{3}"
        fits = isinstance(tag, str) and re.fullmatch(f"[A-Z]{length}", tag)
        return None if fits and value["colour"] in COLOURS else "bad_value"

    async def note(self, request: Request) -> Response:
        if request.method not in ("GET", "DELETE"):
            return self.no_method("GET", "DELETE")
        name = request.path_params["id"]
        if name not in self.board:
            return self.refuse("not_found")
        if request.method == "GET":
            return JSONResponse(self.board[name])
        if self.bug != "removes nothing":
            del self.board[name]
        return Response(status_code=204)


@contextmanager
def notes_driver(place: Path, bug: str = "") -> Iterator[Driver]:
    """A driver at which nothing was called yet."""
    path = place / "notes.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    with (
        serving(Notes(bug).app()) as url,
        TargetServer(url, None, Record(), {}) as target,
    ):
        yield Driver(Contract(load(path)), target, "scenarios")
