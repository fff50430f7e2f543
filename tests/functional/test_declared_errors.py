"""Errors of a stub have the status and the body that the document declares for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, ref
from tests.serving import Server

TEXT: Json = {"type": "string"}
SCHEMAS: Json = {
    "Item": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}},
    # As FastAPI writes it.
    "HTTPValidationError": {
        "type": "object",
        "properties": {"detail": {"type": "array", "items": ref("ValidationError")}},
    },
    "ValidationError": {
        "type": "object",
        "required": ["loc", "msg", "type"],
        "properties": {
            "loc": {"type": "array", "items": {"anyOf": [TEXT, {"type": "integer"}]}},
            "msg": TEXT,
            "type": TEXT,
        },
    },
    "Detail": {"type": "object", "required": ["detail"], "properties": {"detail": TEXT}},
    "Coded": {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": TEXT, "message": TEXT},
            }
        },
    },
    "Other": {"type": "object", "required": ["oops"], "properties": {"oops": TEXT}},
}


def response(name: str) -> Json:
    return {"description": "Wrong.", "content": {"application/json": {"schema": ref(name)}}}


def operation(name: str, **answers: Json) -> Json:
    return {
        "operationId": name,
        "tags": ["items"],
        "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": ref("Item")}},
        },
        "responses": {
            "204": {"description": "Done."},
            **{status.removeprefix("s"): answer for status, answer in answers.items()},
        },
    }


API = document(
    {
        "/fastapi": {"post": operation("fastapi", s422=response("HTTPValidationError"))},
        "/coded": {"post": operation("coded", s400=response("Coded"), s404=response("Detail"))},
        "/other": {"post": operation("other", s4XX=response("Other"))},
        "/nothing": {"post": operation("nothing")},
    },
    SCHEMAS,
)


@pytest.fixture(scope="module")
def server(package: Generate) -> Iterator[Server]:
    made = package(API)

    class Items(made.server.UnimplementedItems):  # type: ignore[misc, name-defined]
        async def coded(self, *, body: Any, page: Any, context: Any) -> None:
            raise made.server.Problem("none", "There is none.", status=404)

        fastapi = coded

    with Server(made.server.create_app(items=Items(), unimplemented="501")) as running:
        yield running


JSON = "application/json"
PROBLEM = "application/problem+json"


def test_invalid_input_has_the_status_and_the_body_of_a_fastapi_application(server: Server) -> None:
    answer = server.post("/fastapi?page=x", {"size": "large"})
    assert (answer.status, answer.headers["Content-Type"]) == (422, JSON)
    places = [each["loc"] for each in answer.json["detail"]]
    assert places == [["query", "page"], ["body", "size"]]
    assert {"loc", "msg", "type"} == answer.json["detail"][0].keys()
    answer = server.post("/fastapi", "{")
    assert (answer.status, answer.json["detail"][0]["loc"]) == (422, ["body"])


def test_an_error_that_is_not_declared_is_a_problem_with_its_own_status(server: Server) -> None:
    answer = server.post("/fastapi", {"size": 1})
    assert (answer.status, answer.headers["Content-Type"]) == (404, PROBLEM)
    assert answer.json["detail"] == "There is none."


def test_an_error_has_the_body_that_is_declared_for_its_status(server: Server) -> None:
    answer = server.post("/coded", {"size": "large"})
    assert (answer.status, answer.headers["Content-Type"]) == (400, JSON)
    assert answer.json["error"]["code"] == "invalid_value"
    answer = server.post("/coded", {"size": 1})
    assert (answer.status, answer.json) == (404, {"detail": "There is none."})


@pytest.mark.parametrize("path", ["/other", "/nothing"])
def test_an_error_is_a_problem_where_no_usual_body_is_declared(server: Server, path: str) -> None:
    answer = server.post(path, {"size": "large"})
    assert (answer.status, answer.headers["Content-Type"]) == (400, PROBLEM)
