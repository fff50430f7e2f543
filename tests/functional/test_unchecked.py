"""A response that breaks a wrong document: its value on the error, and clients that take it."""

from __future__ import annotations

import asyncio
import copy
import datetime
import json
import logging
import math
import pickle
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
LINE: Json = {"type": "object", "required": ["sku"], "properties": {"sku": TEXT, "n": NUMBER}}
CARD: Json = {
    "type": "object",
    "required": ["type", "card"],
    "properties": {"type": {"const": "card"}, "card": TEXT},
    "additionalProperties": False,
}
BANK: Json = {
    "type": "object",
    "required": ["type", "iban"],
    "properties": {"type": {"const": "bank"}, "iban": TEXT},
}
ORDER: Json = {
    "type": "object",
    "required": ["id", "count"],
    "properties": {
        "id": TEXT,
        "count": NUMBER,
        "at": {"type": "string", "format": "date-time"},
        "sentOn": {"type": "string", "format": "date"},
        "lines": {"type": "array", "items": ref("Line")},
        "by": {"type": "object", "additionalProperties": ref("Line")},
        "first": {"anyOf": [ref("Line"), {"type": "null"}]},
        "source": {"oneOf": [ref("Card"), ref("Bank")], "discriminator": {"propertyName": "type"}},
    },
}
PAGE: Json = {
    "type": "object",
    "required": ["data", "more"],
    "properties": {
        "data": {"type": "array", "items": ref("Order")},
        "more": {"type": "boolean"},
        "next": {"type": ["string", "null"]},
    },
}
PAGES: Json = {
    "cursor": "cursor",
    "limit": None,
    "items": "/data",
    "next": "/next",
    "more": "/more",
    "id": "/id",
}
LINES: Json = {"content": {"application/jsonl": {"itemSchema": ref("Line")}}}
PATHS: Json = {
    "/order": {"get": operation(ref("Order"), operationId="getOrder")},
    "/orders": {
        "get": operation(
            ref("Page"),
            operationId="listOrders",
            parameters=[{"name": "cursor", "in": "query", "schema": TEXT}],
            **{"x-contract-pagination": PAGES},
        )
    },
    "/health": {"get": operation(TEXT, operationId="health")},
    "/lines": {
        "get": {
            "operationId": "watch",
            "tags": ["things"],
            "responses": {"200": {"description": "Done.", **LINES}},
        }
    },
    "/keep": {
        "post": operation(
            operationId="keep", requestBody={"required": True, **content(ref("Order"))}
        )
    },
}
SCHEMAS: Json = {"Order": ORDER, "Line": LINE, "Page": PAGE, "Card": CARD, "Bank": BANK}
# As declared, but for what the name says.
SOUND: Json = {"id": "a", "count": 5}
BROKEN: dict[str, Json] = {
    "a wrong type": {**SOUND, "count": "five"},
    "a number as a text": {**SOUND, "count": "5"},
    "a missing member": {"id": "a"},
    "a wrong date": {**SOUND, "at": "yesterday", "sentOn": "2026-01-02"},
    "a wrong item": {**SOUND, "lines": [{"sku": "a"}, {"sku": 1, "new": {"b": 2}}, "none"]},
    "a wrong value in a map": {**SOUND, "by": {"a": {"sku": "a"}, "b": {"sku": None}}},
    "a wrong nullable": {**SOUND, "first": {"n": 1}},
    "a wrong alternative": {**SOUND, "source": {"type": "card", "card": 4, "new": 1}},
    "an object as a tag": {**SOUND, "source": {"type": {}, "card": "4"}},
    "an unknown tag": {**SOUND, "count": None, "source": {"type": "cash", "n": 4}},
    "a list": {**SOUND, "lines": {"sku": "a"}},
}


def api() -> Json:
    return {**document(PATHS, SCHEMAS), "openapi": "3.2.0"}


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(api())


def written(value: object) -> Answer:
    return Answer(body=json.dumps(value).encode())


def raised(made: ModuleType, origin: Origin, call: Callable[[Any], object]) -> Any:
    with (
        made.Client(base_url=origin.url, max_retries=0) as client,
        pytest.raises(made.InvalidResponseError) as caught,
    ):
        call(client)
    return caught.value


@pytest.mark.parametrize("name", BROKEN)
def test_the_error_has_the_value(made: ModuleType, origin: Origin, name: str) -> None:
    origin.answer(written(BROKEN[name]))
    error = raised(made, origin, lambda client: client.things.get_order())
    for each in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert each.value == BROKEN[name]


@pytest.mark.parametrize(
    ("body", "media_type", "value"),
    [
        (b"<html>", "text/html", "<html>"),
        (b"{broken", "application/json", b"{broken"),
        (b"\xff\x00", "application/octet-stream", b"\xff\x00"),
        (b'{"id": 5}', "text/plain", {"id": 5}),
        (b'\xef\xbb\xbf{"id": 5}', "application/json", {"id": 5}),
        (b'{"id": Infinity}', "application/json", {"id": math.inf}),
        (b"", "application/json", None),
    ],
)
def test_the_value_of_an_error_is_what_the_body_can_be_read_as(
    made: ModuleType, origin: Origin, body: bytes, media_type: str, value: object
) -> None:
    origin.answer(Answer(body=body, headers={"content-type": media_type}))
    assert raised(made, origin, lambda client: client.things.get_order()).value == value


def unchecked(made: ModuleType, origin: Origin) -> Any:
    return made.Client(base_url=origin.url, max_retries=0).with_options(check_responses=False)


@pytest.mark.parametrize("name", BROKEN)
def test_a_client_without_checks_returns_a_model_as_far_as_it_fits(
    made: ModuleType, origin: Origin, name: str
) -> None:
    origin.answer(written(BROKEN[name]))
    order = unchecked(made, origin).things.get_order()
    assert type(order) is made.models.Order
    assert order.id == "a"
    texts = {"a wrong type": "five", "a number as a text": "5", "a missing member": None}
    nulls = {"an unknown tag": None}
    assert order.count == {**texts, **nulls}.get(name, 5)
    assert ("count" in order.model_fields_set) is ("count" in BROKEN[name])


def test_what_fits_has_its_type_beside_what_does_not(made: ModuleType, origin: Origin) -> None:
    line = made.models.Line
    cases: dict[str, Callable[[Any], bool]] = {
        "a wrong date": lambda order: (
            order.at == "yesterday" and order.sent_on == datetime.date(2026, 1, 2)
        ),
        "a wrong item": lambda order: (
            [type(item) for item in order.lines] == [line, line, str]
            and order.lines[1].sku == 1
            and order.lines[1].new == {"b": 2}
        ),
        "a wrong value in a map": lambda order: (
            [type(item) for item in order.by.values()] == [line, line] and order.by["b"].sku is None
        ),
        "a wrong nullable": lambda order: type(order.first) is line and order.first.sku is None,
        "a wrong alternative": lambda order: (
            type(order.source) is made.models.Card
            and (order.source.card, order.source.new) == (4, 1)
        ),
        "a list": lambda order: order.lines == {"sku": "a"},
    }
    for name, holds in cases.items():
        origin.script = [written(BROKEN[name])]
        assert holds(unchecked(made, origin).things.get_order()), name


@pytest.mark.parametrize("value", [None, 5, "text", [], [{"id": 5}], {"a": 1}])
def test_another_value_than_a_text_comes_as_it_is(
    made: ModuleType, origin: Origin, value: object
) -> None:
    origin.answer(written(value))
    assert unchecked(made, origin).things.health() == value


MEMBERS = st.sampled_from([*ORDER["properties"], "sku", "type", "n", "card", "data", "new"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a", "card"])
VALUES = st.recursive(
    LEAVES, lambda under: st.lists(under, max_size=3) | st.dictionaries(MEMBERS, under, max_size=6)
)


@given(value=VALUES, model=st.sampled_from(["Order", "Page", "Line", "Card", "Bank"]))
def test_every_json_value_is_read(package: Generate, value: Any, model: str) -> None:
    package_ = package(api())
    room = import_module(f"{package_.__name__}._runtime.client.unchecked")
    errors: list[ValidationError] = []
    read = room.unchecked(codecs(package_), model, report=errors.append).read
    data = json.dumps(value).encode()
    kind = getattr(package_.models, model)
    assert isinstance(read(data), kind if isinstance(value, dict) else type(value))
    if not errors:
        assert read(data) == codecs(package_)[model].read(data)


def test_what_is_not_json_is_an_error_without_checks_too(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(body=b"<html>", headers={"content-type": "text/html"}))
    with pytest.raises(made.InvalidResponseError) as caught:
        unchecked(made, origin).things.get_order()
    assert caught.value.value == "<html>"


def test_pages_and_items_are_read_without_checks(made: ModuleType, origin: Origin) -> None:
    origin.answer(
        written({"data": [SOUND, {"id": 1}], "more": True, "next": "b"}),
        written({"data": [SOUND], "more": False}),
    )
    client = unchecked(made, origin)
    assert [order.id for order in client.things.list_orders()] == ["a", 1, "a"]
    lines = b'{"sku": "a"}\n{"sku": 1}\n'
    origin.script = [Answer(body=lines, headers={"content-type": "application/jsonl"})]
    assert [line.sku for line in client.things.watch()] == ["a", 1]


def test_one_call_without_checks_promises_no_type(made: ModuleType, origin: Origin) -> None:
    origin.answer(written({"ok": True}))
    with made.Client(base_url=origin.url) as client:
        response = client.with_unchecked_response(client.things.health)
        assert (response.status, response.value) == (200, {"ok": True})
        with pytest.raises(made.InvalidResponseError):
            client.things.health()

    async def attempt() -> object:
        async with made.AsyncClient(base_url=origin.url) as client:
            return (await client.with_unchecked_response(client.things.health)).value

    assert asyncio.run(attempt()) == {"ok": True}


def test_each_operation_is_logged_once(
    made: ModuleType, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    origin.answer(written({"id": "secret", "count": "secret"}))
    client = unchecked(made, origin)
    with caplog.at_level(logging.WARNING, made.__name__):
        for _ in range(3):
            client.things.get_order()
            client.with_options(timeout=5).things.get_order()
        client.things.health()
    messages = [record.getMessage() for record in caplog.records]
    assert [message.partition(":")[0] for message in messages] == ["getOrder", "health"]
    assert "body.count: Input should be a valid integer" in messages[0]
    assert "secret" not in "".join(messages)


def test_a_sound_response_is_logged_nowhere(
    made: ModuleType, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    origin.answer(written(SOUND))
    with caplog.at_level(logging.WARNING, made.__name__):
        assert unchecked(made, origin).things.get_order() == made.models.Order(**SOUND)
    assert not caplog.records


def test_arguments_are_checked_all_the_same(made: ModuleType, origin: Origin) -> None:
    origin.answer(written({"id": "a", "count": "five"}))
    client = unchecked(made, origin)
    order = client.things.get_order()
    for members in ({"id": 5, "count": 5}, {"first": order}):
        with pytest.raises(made.InvalidArgumentError):
            client.things.keep(**{**SOUND, **members})


@pytest.mark.parametrize("value", [0, 1, None, "no"])
def test_the_option_is_true_or_false(made: ModuleType, origin: Origin, value: object) -> None:
    client = made.Client(base_url=origin.url)
    with pytest.raises(made.InvalidArgumentError, match="check_responses must be True or False"):
        client.with_options(check_responses=value)
