"""A document becomes a server stub: implement its Protocols, and it speaks the contract."""

from __future__ import annotations

import inspect
import json
from types import ModuleType
from typing import Any

import pytest
from pydantic_core import to_json

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.serving import Server

NAME = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
SIZE = {"name": "size", "in": "query", "schema": {"type": "integer", "minimum": 1, "default": 5}}
SECURED: Json = {
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "security": [{"key": []}],
}


def with_answer(declared: Json, status: str) -> Json:
    answers = {**declared["responses"], status: {"description": "Also."}}
    return {**declared, "responses": answers}


def api(**members: Any) -> Json:
    created = {"responses": {"201": {"description": "Made.", **content(ref("Thing"))}}}
    return document(
        {
            "/things": {
                "get": operation(
                    {"type": "array", "items": ref("Thing")},
                    operationId="listThings",
                    parameters=[SIZE],
                ),
                "post": {
                    **operation(operationId="makeThing"),
                    **created,
                    "requestBody": {"required": True, **content(ref("Thing"))},
                },
            },
            "/things/{id}": {
                "get": with_answer(
                    operation(ref("Thing"), operationId="getThing", parameters=[NAME]),
                    "404",
                ),
                "delete": operation(operationId="dropThing", parameters=[NAME]),
            },
        },
        {"Thing": {**THING, "additionalProperties": False}},
        **members,
    )


def implementation(package: ModuleType) -> Any:
    """Things in memory, built on the generated base, which leaves `dropThing` out."""

    class Things(package.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def list_things(self, *, size: int, context: Any) -> Any:
            return [package.models.Thing(id="a", size=size)]

        async def make_thing(self, *, body: Any, context: Any) -> Any:
            return body

        async def get_thing(self, *, id: str, context: Any) -> Any:
            if id != "a":
                status = 410 if id == "gone" else 404
                raise package.server.Problem("no_such_thing", "There is none.", status=status)
            return package.server.Reply(
                package.models.Thing(id=str(context.principal)), headers={"X-Found": "yes"}
            )

    return Things()


def test_an_implementation_answers_what_its_handlers_return(package: Generate) -> None:
    made = package(api())
    with Server(made.server.create_app(things=implementation(made), unimplemented="501")) as server:
        assert server.send("GET", "/things").json == [{"id": "a", "size": 5}]
        assert server.send("GET", "/things?size=7").json == [{"id": "a", "size": 7}]
        answer = server.post("/things", {"id": "b", "size": 1})
        assert (answer.status, answer.json) == (201, {"id": "b", "size": 1})
        found = server.send("GET", "/things/a")
        assert (found.json, found.headers["X-Found"]) == ({"id": "None"}, "yes")


def test_the_generated_client_calls_the_generated_server(package: Generate) -> None:
    made = package(api())
    with (
        Server(made.server.create_app(things=implementation(made), unimplemented="501")) as server,
        made.Client(base_url=server.url) as client,
    ):
        assert client.things.make_thing(id="b").id == "b"
        with pytest.raises(made.NotFoundError) as raised:
            client.things.get_thing("z")
        assert raised.value.status == 404


def test_errors_of_the_stub_are_problem_details(package: Generate) -> None:
    made = package(api())
    with Server(made.server.create_app(things=implementation(made), unimplemented="501")) as server:
        for answer, status, code in (
            (server.send("GET", "/nothing"), 404, "route_not_found"),
            (server.send("PUT", "/things"), 405, "method_not_allowed"),
            (server.send("GET", "/things?size=0"), 400, "out_of_range"),
            (server.post("/things", "{"), 400, "invalid_json"),
            (server.post("/things", {"id": "b", "colour": 1}), 400, "unknown_field"),
            (server.send("DELETE", "/things/a"), 501, "not_implemented"),
            (server.send("GET", "/things/z"), 404, "no_such_thing"),
            (server.send("GET", "/things/gone"), 410, "no_such_thing"),
        ):
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert (answer.status, answer.json["code"]) == (status, code)


def test_a_group_that_is_left_out_is_not_implemented(package: Generate) -> None:
    with Server(package(api()).server.create_app(unimplemented="501")) as server:
        assert server.send("GET", "/things").status == 501


def test_an_implementation_that_lacks_handlers_does_not_start(package: Generate) -> None:
    made = package(api())

    class Half:
        async def list_things(self, *, size: int, context: Any) -> Any: ...

        async def get_thing(self, *, name: str, context: Any) -> Any: ...

    with pytest.raises(made.server.ImplementationError) as raised:
        made.server.create_app(things=Half())
    assert str(raised.value).splitlines()[1:-1] == [
        "Things.get_thing does not take 'id'",
        "Things.get_thing requires 'name', which the operation does not have",
        "Things.make_thing is not implemented (POST /things)",
        "Things.drop_thing is not implemented (DELETE /things/{id})",
    ]


def test_a_secured_api_cannot_be_left_open_by_accident(package: Generate) -> None:
    made = package(api(**SECURED))
    with pytest.raises(TypeError, match="authenticate"):
        made.server.create_app()

    async def authenticate(credential: str, request: Any) -> str | None:
        return credential.upper() if credential.startswith("k") else None

    app = made.server.create_app(
        things=implementation(made), authenticate=authenticate, unimplemented="501"
    )
    with Server(app) as server:
        assert server.send("GET", "/things/a", key=None).json["code"] == "missing_credentials"
        assert server.send("GET", "/things/a", X_Key="x").json["code"] == "invalid_credentials"
        assert server.send("GET", "/things/a", X_Key="kim").json == {"id": "KIM"}


def test_hooks_are_offered_only_where_the_contract_declares_them(package: Generate) -> None:
    plain = inspect.signature(package(api()).server.create_app).parameters
    assert list(plain) == ["things", "options"]
    limited = api(
        **{
            "x-contract-rate-limit": {
                "classes": {"all": {"limit": 1, "window_seconds": 60, "scope": "key"}}
            }
        }
    )
    assert "rate_limiter" in inspect.signature(package(limited).server.create_app).parameters


def test_groups_may_be_called_like_what_the_stub_uses(package: Generate) -> None:
    names = ["options", "context", "reply", "authenticate", "problem", "policy", "protocol"]
    paths = {
        f"/{name}": {"get": {**operation(operationId=f"get_{name}"), "tags": [name]}}
        for name in names
    }
    server_module = package(document(paths)).server
    with Server(server_module.create_app(unimplemented="501")) as server:
        for name in names:
            assert server.send("GET", f"/{name}").status == 501


def test_content_that_is_not_json_is_bytes(package: Generate) -> None:
    image = {"image/png": {"schema": {"type": "string", "format": "binary"}}}
    paths = {
        "/image": {
            "put": {
                **operation(operationId="putImage"),
                "requestBody": {"required": True, "content": image},
                "responses": {"200": {"description": "The image.", "content": image}},
            }
        }
    }
    made = package(document(paths))

    class Things:
        async def put_image(self, *, body: bytes, context: Any) -> Any:
            return made.server.Reply(body[::-1], headers={"Content-Type": "image/png"})

    with Server(made.server.create_app(things=Things())) as server:
        answer = server.send("PUT", "/image", b"\x01\x02", Content_Type="image/png")
        assert (answer.status, answer.body) == (200, b"\x02\x01")
        assert answer.headers["Content-Type"] == "image/png"
        assert server.send("PUT", "/image", b"{}", Content_Type="text/plain").status == 415


def test_an_answer_may_have_one_of_several_declared_forms(package: Generate) -> None:
    answers = {
        "200": {"description": "There.", **content(ref("Thing"))},
        "202": {"description": "Later."},
    }
    paths = {"/thing": {"get": {**operation(operationId="getThing"), "responses": answers}}}
    made = package(document(paths, {"Thing": THING}))

    class Things:
        later = False

        async def get_thing(self, *, context: Any) -> Any:
            reply = made.server.Reply
            return reply(None, status=202) if self.later else made.models.Thing(id="a")

    things = Things()
    with Server(made.server.create_app(things=things)) as server:
        assert server.send("GET", "/thing").json == {"id": "a"}
        things.later = True
        answer = server.send("GET", "/thing")
        assert (answer.status, answer.body) == (202, b"")


def test_a_property_may_have_a_code_of_its_own(package: Generate) -> None:
    address = {
        "type": "string",
        "maxLength": 20,
        "pattern": "^https://",
        "x-contract-invalid": {"code": "bad_address"},
    }
    link = {"type": "object", "properties": {"to": address, "back": ref("Link")}}
    hook = {
        "type": "object",
        "required": ["url"],
        "properties": {"url": address, "links": {"type": "array", "items": ref("Link")}},
    }
    declared = {
        "schema": "#/components/schemas/Error",
        "code": "/code",
        "message": "/message",
        "param": "/param",
        "codes": {
            code: {"status": 400, "type": "invalid"} for code in ("bad_address", "invalid_value")
        },
    }
    body = {"required": True, **content(ref("Hook"))}
    refused = {"description": "Refused.", **content(ref("Error"))}
    create = operation(operationId="makeHook", requestBody=body)
    create["responses"]["400"] = refused
    texts = {name: {"type": "string"} for name in ("code", "message", "param")}
    made = package(
        document(
            {"/hooks": {"post": create}},
            {"Hook": hook, "Link": link, "Error": {"type": "object", "properties": texts}},
            **{"x-contract-error": declared},
        )
    )
    with Server(made.server.create_app(unimplemented="501")) as server:
        for sent, code, param in (
            ({"url": "http://a"}, "bad_address", "url"),
            ({"url": 5}, "bad_address", "url"),
            ({"url": "https://" + "a" * 20}, "invalid_length", "url"),
            ({}, "missing_field", "url"),
            ({"url": "https://a", "links": [{}, {"to": "x"}]}, "bad_address", "links.1.to"),
            ({"url": "https://a", "links": 5}, "invalid_value", "links"),
        ):
            answer = server.post("/hooks", sent)
            assert answer.status == 400
            assert (answer.json["code"], answer.json["param"]) == (code, param)


def test_client_and_server_agree_about_what_travels_and_what_is_left_out(
    package: Generate,
) -> None:
    word = {"type": ["string", "null"]}
    words = {"type": "array", "items": word}
    point = {"type": "object", "properties": {"x": word, "y": word}}
    either = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    nested = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "to": {"type": "object", "properties": {"flag": {"type": "boolean"}}},
            "all": {"type": "array", "items": {"type": "number"}},
        },
    }
    as_json = {"content": {"application/json": {"schema": nested}}}
    named: dict[str, tuple[str, Any, Json]] = {
        "q": ("query", words, {}),
        "q_joined": ("query", words, {"explode": False}),
        "q_deep": ("query", point, {"style": "deepObject"}),
        "q_nested": ("query", nested, {"style": "deepObject"}),
        "q_list": ("query", words, {"style": "deepObject"}),
        "q_either": ("query", either, {}),
        "q_json": ("query", None, as_json),
        "q_open": ("query", {"type": "string"}, {"allowReserved": True}),
        "X-Json": ("header", None, as_json),
        "c_json": ("cookie", None, as_json),
        "c_plain": ("cookie", word, {"style": "cookie"}),
        "X-H": ("header", words, {}),
        "c": ("cookie", {"type": "string"}, {}),
        "c_words": ("cookie", words, {}),
        "c_joined": ("cookie", words, {"explode": False}),
        "c_point": ("cookie", point, {}),
    }
    parameters = [
        {"name": name, "in": place, **({} if schema is None else {"schema": schema}), **more}
        for name, (place, schema, more) in named.items()
    ]
    echo = operation({"type": "object"}, operationId="echo", parameters=parameters)
    made = package({**document({"/echo": {"get": echo}}), "openapi": "3.2.0"})

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def echo(self, *, context: Any, **sent: Any) -> Any:
            read = {name: value for name, value in sent.items() if value is not None}
            return made.server.Reply(to_json(read, exclude_none=True))

    cases: list[tuple[Json, Json]] = [
        ({"q": ["a", None, "b&c"]}, {"q": ["a", "b&c"]}),
        ({"q": [None], "q_joined": [], "q_deep": {"x": None}}, {}),
        ({"q_joined": ["a", None, "b"]}, {"q_joined": ["a", "b"]}),
        ({"q_deep": {"x": "1 2"}}, {"q_deep": {"x": "1 2"}}),
        ({"q_deep": {"x": "1", "new": "2"}}, {"q_deep": {"x": "1", "new": "2"}}),
        *(
            ({"q_nested": each}, {"q_nested": each})
            for each in ({"n": 5, "to": {"flag": True}}, {"all": [1.5, 2]})
        ),
        ({"q_list": ["a", "b,c"]}, {"q_list": ["a", "b,c"]}),
        *(({"q_either": each}, {"q_either": each}) for each in ("a", ["a", "b"])),
        *(
            ({name: {"n": 5, "all": [1, 2]}}, {name: {"n": 5, "all": [1, 2]}})
            for name in ("q_json", "x_json", "c_json")
        ),
        ({"q_open": "https://a/?b=c&d"}, {"q_open": "https://a/?b=c&d"}),
        ({"c_plain": "a=b%20c"}, {"c_plain": "a=b%20c"}),
        ({"x_h": ["a", None, "b"]}, {"x_h": ["a", "b"]}),
        ({"c": 'a; b=c, "d" é\\'}, {"c": 'a; b=c, "d" é\\'}),
        ({"c": None, "q": None, "x_h": None}, {}),
        ({"c_words": ["a;b", None, "c"]}, {"c_words": ["a;b", "c"]}),
        ({"c_joined": ["a", "b"]}, {"c_joined": ["a", "b"]}),
        ({"c_point": {"x": "1;2", "y": None}, "c": "s"}, {"c_point": {"x": "1;2"}, "c": "s"}),
    ]
    with (
        Server(made.server.create_app(things=Things())) as server,
        made.Client(base_url=server.url) as client,
    ):
        for sent, received in cases:
            raw = client.with_raw_response(client.things.echo, **sent)
            assert json.loads(raw.content) == received, sent


def test_the_last_segment_of_a_path_may_be_an_object_of_the_style_matrix(
    package: Generate,
) -> None:
    numbers = {"type": "object", "additionalProperties": {"type": "integer"}}
    words = {"type": "array", "items": {"type": "string"}}
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "style": "matrix",
            "explode": explode,
            **more,
        }
        for name, explode, more in (
            ("list", True, {"schema": words}),
            ("joined", False, {"schema": numbers}),
            ("map", True, {"schema": numbers}),
        )
    ]
    echo = operation({"type": "object"}, operationId="echo", parameters=parameters)
    made = package(document({"/m/{list}/{joined}/{map}": {"get": echo}}))

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def echo(self, *, context: Any, **sent: Any) -> Any:
            return made.server.Reply(to_json(sent))

    sent = {"list_": ["a;b", "c"], "joined": {"x,": 1, "y": 2}, "map_": {"x": 1, "y/z": 2}}
    with (
        Server(made.server.create_app(things=Things())) as server,
        made.Client(base_url=server.url) as client,
    ):
        raw = client.with_raw_response(client.things.echo, *sent.values())
        assert list(json.loads(raw.content).values()) == list(sent.values())


@pytest.mark.parametrize("place", ["query", "cookie"])
def test_an_object_of_any_shape_leaves_what_belongs_to_others(
    package: Generate, place: str
) -> None:
    words = {"type": "object", "additionalProperties": {"type": "string"}}
    page = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schemas: Json = {"more": words, "page": page, "id": {"type": "string"}}
    parameters = [{"name": name, "in": place, "schema": schema} for name, schema in schemas.items()]
    if place == "query":
        where = {"name": "where", "in": place, "style": "deepObject", "schema": words}
        parameters.append(where)
    echo = operation({"type": "object"}, operationId="echo", parameters=parameters)
    made = package(document({"/echo": {"get": echo}}))

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def echo(self, *, context: Any, **sent: Any) -> Any:
            return made.server.Reply(to_json(sent, exclude_none=True))

    sent: Json = {"more": {"a": "1", "b": "2"}, "page": {"size": 3}, "id": "4"}
    if place == "query":
        sent["where"] = {"c": "5"}
    with (
        Server(made.server.create_app(things=Things())) as server,
        made.Client(base_url=server.url) as client,
    ):
        raw = client.with_raw_response(client.things.echo, **sent)
        assert json.loads(raw.content) == sent
