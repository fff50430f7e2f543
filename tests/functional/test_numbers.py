"""Numbers that JSON does not have (RFC 8259, 6): neither sent nor read, in any member."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin
from tests.serving import Server

NUMBER: Json = {"type": "number"}
# Members by name, with values in which X stands for a number, and the place of that number.
MEMBERS: dict[str, tuple[Json, str, str]] = {
    "any": ({}, "X", "any"),
    "deep": ({}, '{"a": [1, {"b": X}]}', "deep.a.1.b"),
    "number": (NUMBER, "X", "number"),
    "nullable": ({"type": ["number", "null"]}, "X", "nullable"),
    "numbers": ({"type": "array", "items": NUMBER}, "[1, X]", "numbers.1"),
    "items": ({"type": "array"}, "[1, X]", "items.1"),
    "lists": ({"type": "array", "items": {"type": "array", "items": {}}}, "[[], [X]]", "lists.1.0"),
    "object": ({"type": "object"}, '{"a": X}', "object.a"),
    "map": ({"type": "object", "additionalProperties": NUMBER}, '{"a": X}', "map.a"),
    "maps": (
        {"type": "object", "additionalProperties": {"type": "object"}},
        '{"a": {"b": X}}',
        "maps.a.b",
    ),
    "mixed": ({"enum": [1.5, "a"]}, "X", "mixed"),
    "model": (ref("Open"), '{"more": X}', "model.more"),
    "one": ({"anyOf": [{"type": "string"}, ref("Open")]}, '{"more": X}', "one"),
}
OPEN: Json = {"type": "object", "properties": {"id": {"type": "string"}}}
VALUE: Json = {
    "type": "object",
    "properties": {name: schema for name, (schema, _, _) in MEMBERS.items()},
}
NOT_JSON = ("NaN", "Infinity", "-Infinity")
WRITTEN = (*NOT_JSON, "1e400", "-1E+999", f"1{'0' * 400}.0")


def api(schema: Json) -> Json:
    sent = operation(
        ref("Value"),
        operationId="keep",
        requestBody={"required": True, **content(ref("Value"))},
    )
    return document({"/value": {"post": sent}}, {"Value": schema, "Open": OPEN})


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(api(VALUE))


def keep(client: Any, **members: Any) -> object:
    return client.things.keep(**members)


def value_of(member: str, number: str) -> Any:
    """A value of a member with a number, as Python writes and reads it."""
    return json.loads(MEMBERS[member][1].replace("X", number))


def raised(made: ModuleType, origin: Origin, call: Callable[[Any], object]) -> Exception:
    with (
        made.Client(base_url=origin.url, max_retries=0) as client,
        pytest.raises(made.ApiError) as caught,
    ):
        call(client)
    return caught.value


@pytest.mark.parametrize("member", MEMBERS)
def test_a_number_that_json_does_not_have_is_not_sent(
    made: ModuleType, origin: Origin, member: str
) -> None:
    origin.answer(Answer())
    for number in NOT_JSON:
        wrong = {member: value_of(member, number)}
        error = raised(made, origin, partial(keep, **wrong))
        assert isinstance(error, made.InvalidArgumentError)
        assert MEMBERS[member][2] in str(error)
    assert not origin.asked


@pytest.mark.parametrize("member", MEMBERS)
def test_the_largest_number_is_sent_and_read(made: ModuleType, origin: Origin, member: str) -> None:
    largest = "1.5" if member == "mixed" else "1.7976931348623157e308"
    value = {member: value_of(member, largest)}
    origin.answer(Answer(body=json.dumps(value).encode()))
    with made.Client(base_url=origin.url) as client:
        read = client.things.keep(**value)
    assert json.loads(origin.asked[-1].body) == value
    assert json.loads(codecs(made)["Value"].dump(read)) == value


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, {"a": [math.nan]}])
def test_a_model_that_was_changed_is_not_sent_with_such_a_number(
    made: ModuleType, origin: Origin, wrong: Any
) -> None:
    nested = made.models.Open()
    nested.more = wrong
    origin.answer(Answer())
    error = raised(made, origin, partial(keep, model=nested))
    assert "body.model.more" in str(error)
    assert not origin.asked


@pytest.mark.parametrize("member", MEMBERS)
def test_a_number_that_json_does_not_have_is_not_read(
    made: ModuleType, origin: Origin, member: str
) -> None:
    for written in WRITTEN:
        text = MEMBERS[member][1].replace("X", written)
        origin.script = [Answer(body=f'{{"{member}": {text}}}'.encode())]
        error = raised(made, origin, keep)
        assert isinstance(error, made.InvalidResponseError)
        assert MEMBERS[member][2] in str(error)


@pytest.mark.parametrize("written", WRITTEN, ids=range(len(WRITTEN)))
def test_a_member_that_is_newer_than_the_package_has_no_such_number(
    made: ModuleType, origin: Origin, written: str
) -> None:
    origin.answer(Answer(body=f'{{"new": {{"deep": [{written}]}}}}'.encode()))
    error = raised(made, origin, keep)
    assert isinstance(error, made.InvalidResponseError)
    assert "body.new.deep.0" in str(error)


@pytest.mark.parametrize("written", WRITTEN, ids=range(len(WRITTEN)))
def test_a_response_without_a_model_has_no_such_number(
    package: Generate, origin: Origin, written: str
) -> None:
    read = operation({}, operationId="read")
    bare = {**read, "responses": {"200": {"description": "Done."}}}
    origin.answer(Answer(body=f"[{written}]".encode()))
    for declared in (read, bare):
        made = package(document({"/value": {"get": declared}}))
        for call in (
            lambda client: client.things.read(),
            lambda client: client.request("GET", "/value"),
        ):
            assert isinstance(raised(made, origin, call), made.InvalidResponseError)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_body_without_a_model_has_no_such_number(
    made: ModuleType, origin: Origin, number: float
) -> None:
    origin.answer(Answer())
    for call, place in (
        (lambda client: client.request("POST", "/value", body={"a": [number]}), "body.a.0"),
        (lambda client: keep(client, request_options={"extra_body": {"a": number}}), "body.a"),
    ):
        error = raised(made, origin, call)
        assert isinstance(error, made.InvalidArgumentError)
        assert place in str(error)
    assert not origin.asked


def serving(made: ModuleType, returned: Any = None) -> Server:
    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def keep(self, *, body: Any, context: Any) -> Any:
            return returned

    return Server(made.server.create_app(things=Things()))


@pytest.mark.parametrize("member", MEMBERS)
def test_the_stub_reads_no_such_number_either(made: ModuleType, member: str) -> None:
    with serving(made) as server:
        for written in WRITTEN:
            text = MEMBERS[member][1].replace("X", written)
            assert server.post("/value", f'{{"{member}": {text}}}').status == 400


@pytest.mark.parametrize("member", MEMBERS)
def test_the_stub_sends_no_such_number(made: ModuleType, member: str) -> None:
    value = made.models.Value.model_construct(**{member: value_of(member, "-Infinity")})
    with serving(made, value) as server:
        assert server.post("/value", "{}").status == 500


SETS: dict[str, Any] = {
    "any": {1, 2},
    "deep": {"a": {1}},
    "items": {1, 2},
    "numbers": {1.5},
    "texts": frozenset({"a"}),
    "patterns": {"a"},
    "kinds": {"a"},
    "unique": {"a", "b"},
    "limited": {1},
    "alias": {"a"},
    "either": {"a"},
}
LISTS: dict[str, Json] = {
    "any": {},
    "deep": {},
    "items": {"type": "array"},
    "numbers": {"type": "array", "items": NUMBER},
    "texts": {"type": "array", "items": {"type": "string"}},
    "patterns": {"type": "array", "items": {"type": "string", "pattern": "^a"}},
    "kinds": {"type": "array", "items": {"enum": ["a", "b"]}},
    "unique": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "limited": {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
    "alias": ref("Alias"),
    "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
}


@pytest.mark.parametrize("member", SETS)
def test_a_set_is_no_list(package: Generate, origin: Origin, member: str) -> None:
    listed = api({"type": "object", "properties": LISTS})
    listed["components"]["schemas"]["Alias"] = {"type": "array", "items": {"type": "string"}}
    made = package(listed)
    origin.answer(Answer())
    error = raised(made, origin, partial(keep, **{member: SETS[member]}))
    assert isinstance(error, made.InvalidArgumentError)
    assert f"body.{member}" in str(error)
    assert not origin.asked
    if member not in ("any", "deep"):
        with made.Client(base_url=origin.url) as client:
            for kind in (list, tuple):
                client.things.keep(**{member: kind(SETS[member])})
                assert json.loads(origin.asked[-1].body) == {member: [*kind(SETS[member])]}


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_long_list_of_numbers_is_searched(
    made: ModuleType, origin: Origin, kind: Callable[[list[float]], Any]
) -> None:
    origin.answer(Answer())
    for wrong in ([math.nan], [math.inf, -math.inf]):
        error = raised(made, origin, partial(keep, any=kind([0.5] * 50 + wrong)))
        assert "body.any.50: Input should be a finite number" in str(error)
    assert not origin.asked
    # Their sum is infinite.
    large = [1.7e308] * 50
    with made.Client(base_url=origin.url) as client:
        client.things.keep(any=kind(large))
    assert json.loads(origin.asked[-1].body) == {"any": large}


def test_the_asynchronous_client_refuses_the_same(made: ModuleType, origin: Origin) -> None:
    async def attempt() -> None:
        async with made.AsyncClient(base_url=origin.url) as client:
            with pytest.raises(made.InvalidArgumentError, match=r"body\.any: "):
                await client.things.keep(any=math.nan)

    origin.answer(Answer())
    asyncio.run(attempt())
    assert not origin.asked
