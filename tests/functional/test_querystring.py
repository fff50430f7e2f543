"""Parameters that are a whole query string (OpenAPI 3.2): client, stub, and other readers."""

from __future__ import annotations

import asyncio
import json
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, quote, unquote

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, document, operation, ref
from tests.functional.origin import Answer, Origin
from tests.serving import Server

INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
FILTER = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1},
        "name": TEXT,
        "tags": {"type": "array", "items": TEXT},
        "marks": {"type": "array", "items": TEXT},
        "deep": {"type": "object", "properties": {"a": INTEGER}},
    },
}
SELECTOR = {
    "type": "object",
    "required": ["numbers"],
    "properties": {
        "numbers": {"type": "array", "items": INTEGER},
        "flag": {"type": ["boolean", "null"]},
    },
}
FORM = {
    "application/x-www-form-urlencoded": {
        "schema": ref("Filter"),
        "encoding": {"marks": {"style": "form", "explode": False}},
    }
}
CONTENTS: Json = {
    "form": FORM,
    "json": {"application/json": {"schema": ref("Selector")}},
    "path": {"application/jsonpath": {"schema": TEXT}},
}


def api(required: bool = True, **members: Any) -> Json:
    """A document with an operation for each media type."""
    paths = {
        f"/{name}": {
            "get": operation(
                ref("Thing"),
                operationId=f"get_{name}",
                tags=["things"],
                parameters=[
                    {"name": "q", "in": "querystring", "required": required, "content": content}
                ],
            )
        }
        for name, content in CONTENTS.items()
    }
    schemas = {"Thing": THING, "Filter": FILTER, "Selector": SELECTOR}
    return {**document(paths, schemas, **members), "openapi": "3.2.0"}


CALLS: list[tuple[str, Any, str]] = [
    ("form", {"size": 3}, "size=3"),
    (
        "form",
        {"size": 3, "name": "a b&c=ü", "tags": ["x", "y"], "marks": ["m", "n"], "deep": {"a": 1}},
        "size=3&name=a%20b%26c%3D%C3%BC&tags=x&tags=y&marks=m,n&deep=%7B%22a%22%3A1%7D",
    ),
    # The examples of the specification (OpenAPI 3.2.0, 4.12.3).
    (
        "json",
        {"numbers": [1, 2], "flag": None},
        "%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D",
    ),
    ("path", "$.a.b[1:1]", "%24.a.b%5B1%3A1%5D"),
    ("path", "a&b=c+d ü", quote("a&b=c+d ü", safe="")),
]


def app(made: ModuleType, taken: list[Any], **options: Any) -> Any:
    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_form(self, *, q: Any, context: Any) -> Any:
            taken.append(q)
            return made.models.Thing(id="a")

        get_json = get_path = get_form

    options.setdefault("refuse_unknown_query", True)
    return made.server.create_app(things=Things(), **options)


def plain(value: Any) -> Any:
    if isinstance(value, str) or value is None:
        return value
    return json.loads(value.model_dump_json(by_alias=True, exclude_unset=True))


@pytest.mark.parametrize(("name", "value", "query"), CALLS)
def test_the_client_sends_the_value_as_the_whole_query(
    package: Generate, origin: Origin, name: str, value: Any, query: str
) -> None:
    origin.answer(Answer(body=b'{"id": "a"}'))
    made = package(api())
    with made.Client(base_url=origin.url) as client:
        getattr(client.things, f"get_{name}")(q=value)

    async def call() -> None:
        async with made.AsyncClient(base_url=origin.url) as client:
            await getattr(client.things, f"get_{name}")(q=value)

    asyncio.run(call())
    assert [asked.target for asked in origin.asked] == [f"/{name}?{query}"] * 2
    # As other programs read it.
    if name == "form":
        assert parse_qs(query)["name"] == ["a b&c=ü"] if "name" in value else True
    else:
        read = unquote(query)
        assert (json.loads(read) if name == "json" else read) == value


@pytest.mark.parametrize(("name", "value", "query"), CALLS)
def test_the_stub_reads_what_clients_send(
    package: Generate, name: str, value: Any, query: str
) -> None:
    made, taken = package(api()), list[Any]()
    with Server(app(made, taken)) as server:
        with made.Client(base_url=server.url) as client:
            getattr(client.things, f"get_{name}")(q=value)
        assert server.send("GET", f"/{name}?{query}").status == 200
        # Browsers write a space in forms so.
        if name == "form":
            assert server.send("GET", f"/form?{query.replace('%20', '+')}").status == 200
    assert [*map(plain, taken)] == [value] * len(taken)
    if name != "path":
        model = {"form": made.models.Filter, "json": made.models.Selector}[name]
        assert isinstance(taken[0], model)


@pytest.mark.parametrize(
    ("target", "param"),
    [
        ("/form", "q.size"),
        ("/form?name=x", "q.size"),
        ("/form?size=0", "q.size"),
        ("/form?size=x", "q.size"),
        ("/form?size=1&size=2", "q"),
        ("/form?size=1&deep=%7B", "q"),
        ("/json", "q"),
        ("/json?numbers=1", "q"),
        ("/json?%7B%22numbers%22%3A5%7D", "q.numbers"),
        ("/json?%7B%22numbers%22%3A%5BNaN%5D%7D", "q"),
    ],
)
def test_the_stub_refuses_what_the_schema_does_not_allow(
    package: Generate, target: str, param: str
) -> None:
    taken: list[Any] = []
    with Server(app(package(api()), taken)) as server:
        refused = server.send("GET", target)
    assert (refused.status, taken) == (400, [])
    assert param in refused.body.decode()


def test_a_value_that_may_be_left_out_is_none(package: Generate, origin: Origin) -> None:
    made, taken = package(api(required=False)), list[Any]()
    with Server(app(made, taken)) as server:
        for target in ("/form", "/form?", "/json", "/path?"):
            assert server.send("GET", target).status == 200
        with made.Client(base_url=server.url) as client:
            client.things.get_form()
    assert taken == [None] * 5


def test_the_client_checks_the_value(package: Generate) -> None:
    made = package(api())
    with made.Client(base_url="http://127.0.0.1:1") as client:
        for value in ({}, {"size": 0}, "text", None):
            with pytest.raises(made.InvalidArgumentError, match=r"^q"):
                client.things.get_form(q=value)


def test_a_model_is_an_argument(package: Generate, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"id": "a"}'))
    made = package(api())
    with made.Client(base_url=origin.url) as client:
        client.things.get_form(q=made.models.Filter(size=2, tags=["a"]))
        client.things.get_form(q={"size": 2}, request_options={"extra_query": {"size": 5, "z": 1}})
    assert [asked.target for asked in origin.asked] == [
        "/form?size=2&tags=a",
        "/form?size=5&z=1",
    ]


def test_a_key_in_the_query_is_no_part_of_the_value(package: Generate) -> None:
    key = {"type": "apiKey", "in": "query", "name": "api key"}
    data = api(components={"securitySchemes": {"key": key}}, security=[{"key": []}])
    data["components"]["schemas"] = {"Thing": THING, "Filter": FILTER, "Selector": SELECTOR}
    made, taken = package(data), list[Any]()

    async def authenticate(given: str, request: Any) -> object:
        return given

    with Server(app(made, taken, authenticate=authenticate)) as server:
        with made.Client("k&1", base_url=server.url) as client:
            client.things.get_json(q={"numbers": [1]})
            client.things.get_form(q={"size": 1})
        assert server.send("GET", "/json?api+key=k&%7B%22numbers%22%3A%5B%5D%7D").status == 200
    assert [*map(plain, taken)] == [{"numbers": [1]}, {"size": 1}, {"numbers": []}]
