"""Texts that are not Unicode, places of errors, and media types that are not the declared ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin
from tests.serving import Server

TEXT: Json = {"type": "string"}
# A half of a pair in UTF-16, which has no encoding in UTF-8 (RFC 3629, 3).
LONE = "secret\ud800"


def parameter(name: str, place: str, schema: Json = TEXT) -> Json:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


NODE: Json = {"type": "object", "properties": {"id": TEXT, "any": {}, "under": ref("Node")}}
API = document(
    {
        "/things/{id}": {
            "post": operation(
                ref("Node"),
                operationId="keep",
                parameters=[
                    parameter("id", "path"),
                    parameter("q", "query"),
                    parameter("free", "query", {}),
                    parameter("X-Name", "header"),
                    parameter("crumb", "cookie"),
                ],
                requestBody={"required": False, **content(ref("Node"))},
            )
        },
    },
    {"Node": NODE},
)


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(API)


def keep(client: Any, id: str = "a", **arguments: Any) -> object:
    return client.things.keep(id, **arguments)


def raised(made: ModuleType, origin: Origin, call: Callable[[Any], object]) -> Exception:
    with (
        made.Client(base_url=origin.url, max_retries=0) as client,
        pytest.raises(made.ApiError) as caught,
    ):
        call(client)
    assert "secret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"id": LONE}, "id"),
        ({"q": LONE}, "q"),
        ({"free": LONE}, "free"),
        ({"x_name": LONE}, "X-Name"),
        ({"crumb": LONE}, "crumb"),
        ({"body": {"id": LONE}}, "body.id"),
        ({"body": {"any": ["a", {"b": LONE}]}}, "body.any.1.b"),
        ({"body": {"under": {"under": {"id": LONE}}}}, "body.under.under.id"),
        ({"body": {"new": {LONE: 1}}}, "body.new"),
        ({"request_options": {"extra_query": {"more": LONE}}}, "extra_query.more"),
        ({"body": {}, "request_options": {"extra_body": {"more": LONE}}}, "body.more"),
    ],
)
def test_a_lone_surrogate_is_named_with_its_place(
    made: ModuleType, origin: Origin, arguments: dict[str, Any], place: str
) -> None:
    origin.answer(Answer())
    error = raised(made, origin, partial(keep, **arguments))
    assert isinstance(error, made.InvalidArgumentError)
    assert str(error).startswith(f"{place}: ")
    assert "surrogate" in str(error)
    assert str(error).isascii()
    assert not origin.asked


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        (b"\xff", "bytes that are not UTF-8"),
        (object(), "object"),
        ({"a": {1, 2}}, "set"),
    ],
)
def test_a_value_that_is_not_json_is_named_with_its_place(
    made: ModuleType, origin: Origin, wrong: Any, cause: str
) -> None:
    origin.answer(Answer())
    changed = made.models.Node()
    changed.any = wrong
    for body, place in (({"any": [wrong]}, "body.any.0"), ({"under": changed}, "body.under.any")):
        if cause == "set" and body.get("under"):
            continue
        error = raised(made, origin, partial(keep, body=body))
        assert isinstance(error, made.InvalidArgumentError)
        assert str(error).startswith(place)
        assert cause in str(error)


def test_a_member_of_a_model_that_was_changed_is_named(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer())
    changed = made.models.Node()
    changed.id = 5
    error = raised(made, origin, partial(keep, body={"under": changed}))
    assert str(error).startswith("body.under.id: Input should be a valid string")


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"under": value}
    return value


@pytest.mark.parametrize("levels", [199, 250, 5000])
def test_a_place_that_is_deep_is_short_in_a_message(
    made: ModuleType, origin: Origin, levels: int
) -> None:
    origin.answer(Answer())
    deep = nested(levels)
    innermost = deep
    while innermost:
        innermost = innermost["under"]
    innermost["id"] = 5
    for body in (deep, {"any": deep}):
        if levels == 199 and "any" in body:
            continue
        error = raised(made, origin, partial(keep, body=body))
        assert isinstance(error, made.InvalidArgumentError)
        assert len(str(error)) < 500
    assert not origin.asked


def test_a_message_has_at_most_twenty_places(made: ModuleType, origin: Origin) -> None:
    body = json.dumps({"under": {"id": 1}, **{f"n{n}": float("inf") for n in range(1000)}})
    origin.answer(Answer(body=body.encode()))
    error = raised(made, origin, keep)
    assert str(error).count("Input should") == 20
    assert "and 981 more" in str(error)


def test_json_after_a_byte_order_mark_is_read(package: Generate, origin: Origin) -> None:
    made = package(
        document({"/thing": {"get": operation(ref("Thing"), operationId="read")}}, {"Thing": THING})
    )
    origin.answer(Answer(body=b'\xef\xbb\xbf{"id":"a"}'))
    with made.Client(base_url=origin.url) as client:
        assert client.things.read().id == "a"
        assert client.request("GET", "/thing").value == {"id": "a"}


def declared_as(media_type: str, schema: Json) -> Json:
    response = {"description": "Done.", "content": {media_type: {"schema": schema}}}
    read = {"tags": ["things"], "operationId": "read", "responses": {"200": response}}
    return document({"/thing": {"get": read}}, {"Thing": THING})


@pytest.mark.parametrize(
    ("media_type", "schema", "sent", "value"),
    [
        ("text/plain", TEXT, b'"1.0.0"', "1.0.0"),
        ("text/plain", TEXT, b'\xef\xbb\xbf"1.0.0"', "1.0.0"),
        ("text/plain", TEXT, b'{"a": 1}', '{"a": 1}'),
        ("text/plain", TEXT, b"no json", "no json"),
        ("application/octet-stream", {"type": "string", "format": "binary"}, b'"a"', b'"a"'),
        ("application/x-www-form-urlencoded", ref("Thing"), b'{"id": "a"}', {"id": "a"}),
        ("application/xml", ref("Thing"), b'{"id": "a"}', {"id": "a"}),
    ],
)
@pytest.mark.parametrize("came", ["application/json", "application/vnd.some+json; charset=utf-8"])
def test_json_in_place_of_the_declared_media_type_is_read_as_json(
    package: Generate,
    origin: Origin,
    media_type: str,
    schema: Json,
    sent: bytes,
    value: Any,
    came: str,
) -> None:
    made = package(declared_as(media_type, schema))
    origin.answer(Answer(body=sent, headers={"content-type": came}))
    with made.Client(base_url=origin.url) as client:
        read = client.things.read()
    assert (read.model_dump(exclude_unset=True) if isinstance(value, dict) else read) == value


def test_text_that_is_declared_as_json_is_not_read_as_json(
    package: Generate, origin: Origin
) -> None:
    made = package(declared_as("text/plain", TEXT))
    origin.answer(Answer(body=b'"1.0.0"', headers={"content-type": "text/plain"}))
    with made.Client(base_url=origin.url) as client:
        assert client.things.read() == '"1.0.0"'


class Seen(list[Any]):
    """What a handler was called with."""


def serving(made: ModuleType, seen: Seen, **options: Any) -> Server:
    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def keep(self, **arguments: Any) -> Any:
            seen.append(arguments)
            return made.models.Node()

    return Server(made.server.create_app(things=Things(), **options))


@pytest.mark.parametrize(
    ("path", "headers", "place"),
    [
        ("/things/%ff", {}, "path.id"),
        ("/things/a%C3", {}, "path.id"),
        ("/things/%ED%A0%80", {}, "path.id"),
        ("/things/a?q=%ff", {}, "query.q"),
        ("/things/a?free=%C0%AF", {}, "query.free"),
        ("/things/a", {"Cookie": "crumb=%ff"}, "cookie.crumb"),
    ],
)
def test_the_stub_refuses_what_is_not_utf_8(
    made: ModuleType, path: str, headers: dict[str, str], place: str
) -> None:
    seen = Seen()
    with serving(made, seen) as server:
        answer = server.send("POST", path, None, **headers)
    assert (answer.status, answer.json["param"]) == (400, place)
    assert "not UTF-8" in answer.json["detail"]
    assert not seen


def test_the_stub_ignores_what_is_not_utf_8_in_parameters_of_others(made: ModuleType) -> None:
    seen = Seen()
    with serving(made, seen) as server:
        path = "/things/%C3%A9%2Fe?utm=%ff&%ff=1&q=%E2%82%AC"
        assert server.send("POST", path, None, Cookie="other=%ff; %ff=a").status == 200
    assert (seen[0]["id"], seen[0]["q"]) == ("é/e", "€")
    with serving(made, seen, refuse_unknown_query=True) as server:
        answer = server.send("POST", "/things/a?%ff=1", None)
    assert (answer.status, answer.json["param"]) == (400, "query.\\udcff")


UNSAFE = ["%2e%2e", ".", "a%00b", "a%2F..%2Fb", "..%5Cb"]


@pytest.mark.parametrize("path", UNSAFE)
def test_paths_that_are_unsafe_as_names_of_files_are_refused_on_request(
    made: ModuleType, path: str
) -> None:
    seen = Seen()
    with serving(made, seen) as server:
        assert server.send("POST", f"/things/{path}", None).status == 200
    with serving(made, seen, refuse_unsafe_paths=True) as server:
        answer = server.send("POST", f"/things/{path}", None)
        assert (answer.status, answer.json["param"]) == (400, "path.id")
        for safe in ("a.b", "..a", "%20", "~"):
            assert server.send("POST", f"/things/{safe}", None).status == 200
    assert len(seen) == 5
