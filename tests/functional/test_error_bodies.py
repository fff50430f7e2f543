"""Error responses of real APIs: the declared body of each status, and undeclared bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, content, document, operation, ref
from tests.functional.origin import Answer, Origin
from tests.serving import Server

INVALID = {
    "type": "object",
    "properties": {
        "detail": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["loc", "msg"],
                "properties": {"loc": {"type": "array"}, "msg": {"type": "string"}},
            },
        }
    },
}
MISSING = {
    "type": "object",
    "required": ["resource"],
    "properties": {"resource": {"type": "string"}},
}
RESPONSES = {
    "200": {"description": "It.", **content(ref("Thing"))},
    "404": {"description": "There is none.", **content(ref("Missing"))},
    "409": {"description": "Busy."},
    "410": {
        "description": "Gone.",
        "content": {
            **content(ref("Missing"))["content"],
            "application/scim+json": {"schema": ref("Invalid")},
        },
    },
    "422": {"description": "No.", **content(ref("Invalid"))},
    "5XX": {"description": "Down.", "content": {"text/plain": {}}},
}
GET = {**operation(operationId="getThing"), "responses": RESPONSES}
OTHER = {"type": "object", "properties": {"other": {"type": "string"}}}
SCHEMAS = {"Thing": THING, "Invalid": INVALID, "Missing": MISSING, "Other": OTHER}
API = document({"/thing": {"get": GET}}, SCHEMAS)


def raised(made: Any, origin: Origin, status: int, body: object) -> Any:
    """The error that a call ends with when the server answers so."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    origin.answer(Answer(status, data))
    with (
        made.Client(base_url=origin.url, max_retries=0) as client,
        pytest.raises(made.ApiStatusError) as caught,
    ):
        client.things.get_thing()
    return caught.value


@pytest.mark.parametrize(
    ("status", "model", "body"),
    [
        (404, "Missing", {"resource": "thing"}),
        (422, "Invalid", {"detail": [{"loc": ["query", "q"], "msg": "Too long"}]}),
    ],
)
def test_the_body_is_the_model_of_its_status(
    package: Generate, origin: Origin, status: int, model: str, body: Any
) -> None:
    made = package(API)
    error = raised(made, origin, status, body)
    assert isinstance(error.body, getattr(made.models, model))
    assert error.body.model_dump(mode="json") == body


def test_the_body_is_the_model_of_its_media_type(package: Generate, origin: Origin) -> None:
    made = package(API)
    headers = {"content-type": "application/scim+json; charset=utf-8"}
    origin.answer(Answer(410, b'{"detail": []}', headers))
    with made.Client(base_url=origin.url) as client, pytest.raises(made.ApiStatusError) as caught:
        client.things.get_thing()
    assert isinstance(caught.value.body, made.models.Invalid)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"detail": "Not the declared body"}),
        (404, b"<html>"),
        (404, b""),
        (409, {"resource": "thing"}),
        (500, b"down"),
        (418, {"resource": "thing"}),
    ],
)
def test_a_body_that_is_not_declared_or_does_not_fit_is_none(
    package: Generate, origin: Origin, status: int, body: object
) -> None:
    assert raised(package(API), origin, status, body).body is None


@pytest.mark.parametrize(
    ("status", "model", "body"),
    [
        (404, "Missing", {"resource": "thing"}),
        (409, None, None),
        (422, "Invalid", {"detail": [{"loc": ["id"], "msg": "Too long"}]}),
    ],
)
def test_a_handler_returns_the_declared_body_of_an_error(
    package: Generate, status: int, model: str | None, body: Any
) -> None:
    made = package(API)

    class Things(made.server.UnimplementedThings):
        async def get_thing(self, *, context: Any) -> Any:
            value = model and getattr(made.models, model)(**body)
            return made.server.Reply(value, status=status)

    with (
        Server(made.server.create_app(things=Things())) as server,
        made.Client(base_url=server.url, max_retries=0) as client,
        pytest.raises(made.ApiStatusError) as caught,
    ):
        client.things.get_thing()
    assert caught.value.status == status
    said = caught.value.body
    assert (said and said.model_dump(mode="json")) == body


# A handler of a status in each class, and the lines of those with other bodies.
HANDLERS = """
from {package} import models
from {package}.server import Context, Reply, UnimplementedThings

class NotFound(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> models.Thing | Reply[models.Missing]:
        return Reply(models.Missing(resource="thing"), status=404)

class Conflict(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> Reply[None]:
        return Reply(None, status=409)

class Invalid(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> Reply[models.Thing | models.Invalid]:
        return Reply(models.Invalid(), status=422)

class Down(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> models.Thing | Reply[str]:
        return Reply("down", status=503)

class Stored(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> Reply[models.Thing]:
        return Reply(b"stored")

class Undeclared(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> Reply[models.Other]:
        return Reply(models.Other(), status=404)

class WithoutReply(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> models.Missing:
        return models.Missing(resource="thing")

class Number(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> Reply[int]:
        return Reply(1, status=503)

class Nothing(UnimplementedThings):
    async def get_thing(self, *, context: Context) -> None:
        return None
"""
WRONG_HANDLERS = {
    number
    for number, line in enumerate(HANDLERS.splitlines(), 1)
    if "-> Reply[models.Other]" in line
    or "-> models.Missing:" in line
    or "-> Reply[int]" in line
    or "-> None:" in line
}


SAID = [
    # RFC 9457
    ({"type": "https://a.test/credit", "title": "No credit.", "detail": "30 is less than 50."},
     None, "30 is less than 50.", []),
    ({"type": "about:blank", "title": "Not Found", "status": 404}, None, "Not Found", []),
    ({"title": "Invalid", "errors": [{"detail": "must be positive", "pointer": "#/age"}]},
     None, "Invalid", [{"detail": "must be positive", "pointer": "#/age"}]),
    # FastAPI
    ({"detail": "Item not found"}, None, "Item not found", []),
    ({"detail": [{"loc": ["body", "name"], "msg": "Field required", "type": "missing"},
                 {"loc": ["body", "age"], "msg": "Wrong", "type": "int"}]},
     None, "body.name: Field required (and 1 more)",
     [{"loc": ["body", "name"], "msg": "Field required", "type": "missing"},
      {"loc": ["body", "age"], "msg": "Wrong", "type": "int"}]),
    # An object in `error`
    ({"error": {"code": "card_declined", "message": "Your card was declined.", "type": "card"}},
     "card_declined", "Your card was declined.", []),
    ({"error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}},
     None, "Requested entity was not found.", []),
    ({"error": {"type": "index_not_found_exception", "reason": "no such index"}, "status": 404},
     None, "no such index", []),
    # A text in `error`
    ({"error": "Record not found"}, None, "Record not found", []),
    ({"error": "invalid_grant", "error_description": "The code is used."},
     "invalid_grant", "The code is used.", []),
    ({"status": 404, "error": "Not Found", "code": "object_not_found"},
     "object_not_found", "Not Found", []),
    # `message`, with and without a code
    ({"message": "Bad credentials", "documentation_url": "https://a.test"},
     None, "Bad credentials", []),
    ({"code": 20404, "message": "The resource was not found", "status": 404},
     "20404", "The resource was not found", []),
    ({"message": "Validation Failed", "errors": [{"field": "name", "code": "missing_field"}]},
     None, "Validation Failed", [{"field": "name", "code": "missing_field"}]),
    # Lists in `errors`
    ({"errors": [{"code": "E1", "message": "Too long"}, {"message": "Too short"}]},
     None, "Too long (and 1 more)",
     [{"code": "E1", "message": "Too long"}, {"message": "Too short"}]),
    ({"errors": ["Too long"]}, None, "Too long", ["Too long"]),
    ({"errors": {"name": ["can't be blank", "is short"]}},
     None, "name: can't be blank (and 1 more)", []),
    # Django REST framework
    ({"name": ["This field is required."]}, None, "name: This field is required.", []),
    # Nothing that is known
    ({"colour": "red", "count": 1}, None, "the response has the status 404", []),
    ([1, 2], None, "the response has the status 404", []),
    ({"detail": {"deep": {}}, "code": True}, None, "the response has the status 404", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "message", "details"), SAID)
def test_an_error_says_what_its_body_says(
    package: Generate, origin: Origin, body: Any, code: str | None, message: str, details: Any
) -> None:
    error = raised(package(API), origin, 404, body)
    assert (error.code, error.message, list(error.details)) == (code, message, details)
    assert str(error) == f"{'404 ' + code if code else '404'}: {message}"


def test_type_param_and_request_id_are_found(package: Generate, origin: Origin) -> None:
    said = {"type": "card", "param": "number", "request_id": "req_1", "message": "No."}
    error = raised(package(API), origin, 404, {"error": said})
    assert (error.type, error.param, error.request_id) == ("card", "number", "req_1")


def test_a_long_message_is_cut(package: Generate, origin: Origin) -> None:
    assert len(raised(package(API), origin, 404, {"detail": "x" * 10_000}).message) == 500
