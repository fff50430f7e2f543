"""Calls that depend on the version of a resource, in both clients (RFC 9110, 13)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.functional.conftest import Generate
from tests.functional.documents import THING, content, document, operation, ref
from tests.functional.origin import Answer, Origin
from tests.functional.test_client import Caller, caller, thing
from tests.serving import Server

__all__ = ["caller"]


def read(options: dict[str, Any]) -> Any:
    return lambda client: client.things.get("a", request_options=options)


@pytest.mark.parametrize(
    ("options", "header", "text"),
    [
        ({"if_match": '"v1"'}, "if-match", '"v1"'),
        ({"if_match": "*"}, "if-match", "*"),
        ({"if_none_match": 'W/"v1"'}, "if-none-match", 'W/"v1"'),
        ({"if_match": '"v1"', "extra_headers": {"IF-MATCH": '"v0"'}}, "if-match", '"v1"'),
    ],
)
def test_a_condition_is_one_header(
    caller: Caller, origin: Origin, options: dict[str, Any], header: str, text: str
) -> None:
    origin.answer(thing())
    caller(read({**options, "max_retries": 0}), headers={"X-Team": "travel"})
    (asked,) = origin.asked
    assert [value for name, value in asked.fields if name.lower() == header] == [text]
    assert asked.headers["x-team"] == "travel"


@pytest.mark.parametrize("option", ["if_match", "if_none_match"])
@pytest.mark.parametrize("value", [None, "", '"a\nb"', 5, ' "a"'])
def test_a_missing_version_is_not_sent(
    caller: Caller, origin: Origin, option: str, value: object
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match=f"{option} must be the ETag"):
        caller(read({option: value}))
    assert origin.asked == []


def test_a_raw_response_has_the_version(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"id": "a"}', headers={"ETAG": '"v1"'}), thing())
    assert caller(lambda client: client.with_raw_response(client.things.get, "a")).etag == '"v1"'
    assert caller(lambda client: client.with_raw_response(client.things.get, "a")).etag is None


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (HTTPStatus.NOT_MODIFIED, "NotModifiedError"),
        (HTTPStatus.PRECONDITION_FAILED, "PreconditionFailedError"),
        (HTTPStatus.PRECONDITION_REQUIRED, "PreconditionRequiredError"),
    ],
)
def test_a_condition_that_is_not_met_has_an_error(
    caller: Caller, origin: Origin, status: HTTPStatus, name: str
) -> None:
    origin.answer(Answer(status, b""))
    with pytest.raises(getattr(caller.module, name)) as caught:
        caller(read({"if_none_match": '"v1"'}), max_retries=2)
    assert caught.value.status == status
    assert len(origin.asked) == 1


def test_an_update_does_not_overwrite_another_one(package: Generate) -> None:
    """A server that keeps versions, and two writers."""
    things = {"version": 1, "size": 1}

    async def get(request: Request) -> Response:
        tag = f'"v{things["version"]}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        return JSONResponse({"id": "a", "size": things["size"]}, headers={"etag": tag})

    async def put(request: Request) -> Response:
        if "if-match" not in request.headers:
            return Response(status_code=428)
        if request.headers["if-match"] != f'"v{things["version"]}"':
            return Response(status_code=412)
        things.update(version=things["version"] + 1, size=(await request.json())["size"])
        return JSONResponse({"id": "a", "size": things["size"]})

    path = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    api = document(
        paths={
            "/things/{id}": {
                "parameters": [path],
                "get": operation(ref("Thing"), operationId="getThing"),
                "put": operation(
                    ref("Thing"),
                    operationId="putThing",
                    requestBody={"required": True, **content(ref("Change"))},
                ),
            }
        },
        schemas={
            "Thing": THING,
            "Change": {"type": "object", "properties": {"size": {"type": "integer"}}},
        },
    )
    module = package(api, short_method_names=True)
    app = Starlette(routes=[Route("/things/a", get), Route("/things/a", put, methods=["PUT"])])
    with Server(app) as server, module.Client(base_url=server.url) as client:
        raw = client.with_raw_response(client.things.get, "a")
        assert raw.etag is not None
        with pytest.raises(module.NotModifiedError):
            client.things.get("a", request_options={"if_none_match": raw.etag})
        client.things.put("a", size=2, request_options={"if_match": raw.etag})
        with pytest.raises(module.PreconditionFailedError):
            client.things.put("a", size=2, request_options={"if_match": raw.etag})
        with pytest.raises(module.PreconditionRequiredError):
            client.things.put("a", size=2)
        assert client.things.get("a", request_options={"if_none_match": raw.etag}).size == 2
