"""Which values of requests, answers and deliveries are hidden, wherever their schemas have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.bench.target import MAIN
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import hidden
from specwright.conformance.recording.exchange import Exchange, Request, Response
from specwright.document.sources.load import load

TEXT = {"type": "string"}
SECRET = {**TEXT, "x-contract-sensitive": True}
HOLDER = {"type": "object", "properties": {"id": TEXT, "code": SECRET}}
HELD = {"id": "visible", "code": "K2-0001"}
OPERATION, WEBHOOK = "/paths/~1things/post", "/webhooks/thing/post"


def content(schema: object) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def contract(tmp_path: Path, **schemas: object) -> Contract:
    """A document with the schemas of a request, an answer and a delivery."""
    described = {name: schemas.get(name, TEXT) for name in ("request", "answer", "delivery")}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {
            "/things": {
                "post": {
                    "requestBody": content(described["request"]),
                    "responses": {"2XX": {"description": "…", **content(described["answer"])}},
                }
            }
        },
        "webhooks": {"thing": {"post": {"requestBody": content(described["delivery"])}}},
        "components": {"schemas": {"Holder": HOLDER}},
    }
    path = tmp_path / "things.json"
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


def exchange(operation: str, sent: object, answered: object = None) -> Exchange:
    request = Request("POST", "http://127.0.0.1/things", (), json.dumps(sent).encode())
    response = Response(201, (), json.dumps(answered).encode())
    return Exchange(1, "scenarios", MAIN, operation, request, response, None, 0, 0)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#/components/schemas/Holder"}, HELD),
        ({"type": "array", "items": HOLDER}, [{}, HELD]),
        ({"type": "array", "prefixItems": [TEXT, HOLDER]}, ["visible", HELD]),
        ({"type": "object", "additionalProperties": HOLDER}, {"one": HELD}),
        ({"type": "object", "patternProperties": {"^o": HOLDER}}, {"one": HELD}),
        ({"oneOf": [{"type": "null"}, HOLDER]}, HELD),
        ({"anyOf": [{"type": "null"}, HOLDER]}, HELD),
        ({"allOf": [HOLDER, {"type": "object"}]}, HELD),
        ({"properties": {"all": {**HOLDER, "x-contract-sensitive": True}}}, {"all": HELD}),
        (
            {"properties": {"pin": {"$ref": "#/components/schemas/Holder/properties/code"}}},
            {"pin": "K2-0001"},
        ),
        ({"properties": {"clé": SECRET}}, {"clé": "K2-0001"}),
    ],
    ids=[
        *("reference", "items", "prefix", "map", "pattern", "oneOf", "anyOf", "allOf"),
        *("all of an object", "reference to a property", "name with an accent"),
    ],
)
def test_a_value_is_hidden_wherever_it_stands(
    tmp_path: Path, schema: object, value: object
) -> None:
    found = hidden(contract(tmp_path, answer=schema), [exchange(OPERATION, None, value)])
    assert "K2-0001" in found


def test_numbers_are_hidden_and_what_is_too_short_to_be_searched_for_is_not(
    tmp_path: Path,
) -> None:
    value = {"pin": 450013, "flag": True, "digit": "7", "three": "abc", "four": "abcd"}
    holder = {"properties": dict.fromkeys(value, SECRET)}
    found = hidden(contract(tmp_path, answer=holder), [exchange(OPERATION, None, value)])
    assert found == {"450013", "abcd"}


@pytest.mark.parametrize(("name", "place"), [("request", OPERATION), ("delivery", WEBHOOK)])
def test_what_is_sent_is_hidden_as_what_is_answered(tmp_path: Path, name: str, place: str) -> None:
    described = contract(tmp_path, **{name: HOLDER})
    assert hidden(described, [exchange(place, HELD)]) == {"K2-0001"}
    other = WEBHOOK if place == OPERATION else OPERATION
    assert hidden(described, [exchange(other, HELD)]) == set()
