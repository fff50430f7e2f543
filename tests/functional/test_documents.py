"""Documents with other habits than ours get the same client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, document, operation, ref
from tests.functional.origin import Answer, Origin

OPTIONS = {"max_retries": 0}


def test_names_of_a_page_may_be_any_names(package: Generate, origin: Origin) -> None:
    made = package(
        document(
            paths={
                "/things": {
                    "get": operation(
                        ref("Things"),
                        operationId="findThings",
                        parameters=[
                            {"name": "page[after]", "in": "query", "schema": {"type": "string"}}
                        ],
                        **{
                            "x-contract-pagination": {
                                "cursor": "page[after]",
                                "limit": None,
                                "items": "/result/Found-Things",
                                "next": "/nextCursor",
                                "more": None,
                                "id": "/id",
                            }
                        },
                    )
                }
            },
            schemas={
                "Things": {
                    "type": "object",
                    "properties": {
                        "result": {
                            "type": "object",
                            "properties": {
                                "Found-Things": {"type": "array", "items": ref("Thing")}
                            },
                        },
                        "nextCursor": {"type": "string"},
                    },
                },
                "Thing": THING,
            },
        )
    )
    pages = [
        {"result": {"Found-Things": [{"id": "a"}, {"id": "b"}]}, "nextCursor": "n"},
        {"result": {"Found-Things": [{"id": "c"}]}},
    ]
    origin.answer(*(Answer(body=json.dumps(page).encode()) for page in pages))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        assert [thing.id for thing in client.things.find_things()] == ["a", "b", "c"]
    assert origin.asked[1].target == "/things?page%5Bafter%5D=n"


@pytest.mark.parametrize("schema", [{}, True, None, {"description": "anything"}])
def test_an_answer_may_be_any_json(package: Generate, origin: Origin, schema: Any) -> None:
    answer = {} if schema is None else {"schema": schema}
    get = operation(operationId="getIt")
    get["responses"] = {"200": {"description": "It.", "content": {"application/json": answer}}}
    made = package(document(paths={"/it": {"get": get}}))
    origin.answer(Answer(body=b'{"a": [1, null]}'))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        assert client.things.get_it() == {"a": [1, None]}


def test_an_answer_may_be_no_json_at_all(package: Generate, origin: Origin) -> None:
    get = operation(operationId="getIt")
    get["responses"] = {"200": {"description": "It.", "content": {"image/png": {}}}}
    made = package(document(paths={"/it": {"get": get}}))
    origin.answer(Answer(body=b"\x89PNG", headers={"content-type": "image/png"}))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        assert client.things.get_it() == b"\x89PNG"


def test_a_body_may_be_any_bytes(package: Generate, origin: Origin) -> None:
    put = operation(
        operationId="putIt",
        requestBody={"required": True, "content": {"application/octet-stream": {}}},
    )
    made = package(document(paths={"/it": {"put": put}}))
    origin.answer(Answer(204, b""))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        client.things.put_it(body=b"\x00\xff")
    assert origin.asked[0].body == b"\x00\xff"
    assert origin.asked[0].headers["content-type"] == "application/octet-stream"


def test_a_document_of_3_0_is_read_as_3_1(package: Generate, origin: Origin) -> None:
    thing = {
        "type": "object",
        "properties": {"size": {"type": "integer", "nullable": True, "minimum": 0}},
    }
    made = package(
        document(paths={"/it": {"get": operation(thing, operationId="getIt")}})
        | {"openapi": "3.0.3"}
    )
    origin.answer(Answer(body=b'{"size": null}'))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        assert client.things.get_it().size is None


@pytest.mark.parametrize(
    ("style", "explode", "schema", "value", "query"),
    [
        ("form", True, "array", ["a", "b c"], "p=a&p=b%20c"),
        ("form", False, "array", ["a", "b,c"], "p=a,b%2Cc"),
        ("spaceDelimited", False, "array", ["a", "b"], "p=a%20b"),
        ("pipeDelimited", False, "array", ["a", "b"], "p=a%7Cb"),
        ("form", True, "object", {"x": "1", "y": "2"}, "x=1&y=2"),
        ("form", False, "object", {"x": "1", "y": "2"}, "p=x,1,y,2"),
        ("deepObject", True, "object", {"x": "1", "y z": "2"}, "p%5Bx%5D=1&p%5By%20z%5D=2"),
        ("deepObject", True, "array", ["a", "b"], "p%5B%5D=a&p%5B%5D=b"),
        ("form", True, "either", "a", "p=a"),
        ("form", True, "either", ["a", "b"], "p=a&p=b"),
        ("form", True, "boolean", True, "p=true"),
        ("form", True, "number", 1.5, "p=1.5"),
        ("form", True, "number", 2.0, "p=2"),
        ("form", True, "number", 1e20, "p=1e%2B20"),
    ],
)
def test_styles_of_parameters(
    package: Generate,
    origin: Origin,
    style: str,
    explode: bool,
    schema: str,
    value: Any,
    query: str,
) -> None:
    types = {
        "array": {"type": "array", "items": {"type": "string"}},
        "object": {"type": "object", "additionalProperties": {"type": "string"}},
        "either": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    }
    parameter = {
        "name": "p",
        "in": "query",
        "style": style,
        "explode": explode,
        "schema": types.get(schema, {"type": schema}),
    }
    made = package(
        document(paths={"/it": {"get": operation(operationId="getIt", parameters=[parameter])}})
    )
    origin.answer(Answer(204, b""))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        client.things.get_it(p=value)
    assert origin.asked[0].target == f"/it?{query}"


def test_headers_and_cookies_are_parameters(package: Generate, origin: Origin) -> None:
    made = package(
        document(
            paths={
                "/it": {
                    "get": operation(
                        operationId="getIt",
                        parameters=[
                            {
                                "name": "X-Trace",
                                "in": "header",
                                "required": True,
                                "schema": {"type": "integer"},
                            },
                            {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                            {"name": "Accept", "in": "header", "schema": {"type": "string"}},
                        ],
                    )
                }
            }
        )
    )
    origin.answer(Answer(204, b""))
    with made.Client(base_url=origin.url, **OPTIONS) as client:
        client.things.get_it(x_trace=7, session="s")
    assert origin.asked[0].headers["x-trace"] == "7"
    assert origin.asked[0].headers["cookie"] == "session=s"


def test_a_deprecated_operation_warns_who_calls_it(package: Generate, origin: Origin) -> None:
    made = package(
        document(paths={"/it": {"get": operation(operationId="getIt", deprecated=True)}})
    )
    origin.answer(Answer(204, b""))
    with (
        made.Client(base_url=origin.url, **OPTIONS) as client,
        pytest.warns(DeprecationWarning, match="will be removed"),
    ):
        client.things.get_it()


def test_an_operation_may_have_a_method_of_its_own(package: Generate) -> None:
    copy = operation(ref("Thing"), operationId="copyThing")
    made = package(
        document({"/thing": {"additionalOperations": {"COPY": copy}}}, {"Thing": THING})
        | {"openapi": "3.2.0"}
    )
    reply = made.testing.response({"id": "a"})
    transport = made.testing.FakeTransport(lambda request: reply)
    with made.Client(transport=transport, **OPTIONS) as client:
        assert client.things.copy_thing().id == "a"
    assert transport.requests[0].method == "COPY"


@pytest.mark.parametrize("media_type", ["*/*", "application/*"])
def test_a_range_of_media_types_is_taken_for_json(package: Generate, media_type: str) -> None:
    post = operation(operationId="makeThing")
    post["requestBody"] = {"required": True, "content": {media_type: {"schema": ref("Thing")}}}
    post["responses"] = {
        "200": {"description": "It.", "content": {media_type: {"schema": ref("Thing")}}}
    }
    made = package(document({"/things": {"post": post}}, {"Thing": THING}))
    transport = made.testing.FakeTransport(lambda request: made.testing.response({"id": "a"}))
    with made.Client(transport=transport, **OPTIONS) as client:
        assert client.things.make_thing(id="a").id == "a"
    assert ("content-type", "application/json") in transport.requests[0].headers
