"""Values of requests, responses and deliveries that are hidden by their schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import hidden
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.document.sources.load import load

TEXT = {"type": "string"}
SECRET = {**TEXT, "x-contract-sensitive": True}
HOLDER = {"type": "object", "properties": {"id": TEXT, "code": SECRET}}
HELD = {"id": "visible", "code": "K2-0001"}
OPERATION, WEBHOOK = "/paths/~1things/post", "/webhooks/thing/post"


def content(schema: object) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def contract(tmp_path: Path, **schemas: object) -> Contract:
    """A document with the schemas of a request, an answer, a delivery, and a tree."""
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
        "components": {
            "schemas": {
                "Holder": {**HOLDER, "$dynamicAnchor": "holder"},
                "Tree": schemas.get("Tree", TEXT),
            }
        },
    }
    path = tmp_path / "things.json"
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


def exchange(operation: str, sent: object, answered: object = None) -> Exchange:
    request = HttpRequest("POST", "http://127.0.0.1/things", (), json.dumps(sent).encode())
    response = HttpResponse(201, (), json.dumps(answered).encode())
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
        ({"if": {"required": ["id"]}, "then": HOLDER}, HELD),
        ({"if": {"required": ["name"]}, "else": HOLDER}, HELD),
        ({"if": HOLDER}, HELD),
        ({"dependentSchemas": {"id": HOLDER}}, HELD),
        ({"unevaluatedProperties": HOLDER}, {"one": HELD}),
        ({"prefixItems": [TEXT], "unevaluatedItems": HOLDER}, ["visible", HELD]),
        ({"contains": HOLDER}, ["visible", HELD]),
        ({"$dynamicRef": "#holder"}, HELD),
        ({"contentMediaType": "application/json", "contentSchema": HOLDER}, json.dumps(HELD)),
        ({"propertyNames": SECRET}, {"K2-0001": 1}),
        ({"additionalProperties": SECRET}, {"one": "K2-0001"}),
        ({"patternProperties": {"^o": SECRET}}, {"one": "K2-0001"}),
        ({"items": SECRET}, ["K2-0001"]),
        ({"properties": {"pin": {"allOf": [SECRET]}}}, {"pin": "K2-0001"}),
        ({"properties": {"pin": {"anyOf": [{"type": "null"}, SECRET]}}}, {"pin": "K2-0001"}),
    ],
    ids=[
        *("reference", "items", "prefix", "map", "pattern", "oneOf", "anyOf", "allOf"),
        *("all of an object", "reference to a property", "name with an accent"),
        *("then", "else", "if", "dependentSchemas", "unevaluated property", "unevaluated item"),
        *("contains", "dynamic reference", "content of a text", "name", "member of a map"),
        *("property by pattern", "item", "part of a property", "alternative of a property"),
    ],
)
def test_a_value_is_hidden_wherever_it_stands(
    tmp_path: Path, schema: object, value: object
) -> None:
    found = hidden(contract(tmp_path, answer=schema), [exchange(OPERATION, None, value)])
    assert "K2-0001" in found


def test_what_other_properties_hold_is_not_hidden(tmp_path: Path) -> None:
    schema = {
        "properties": {"id": TEXT},
        "patternProperties": {"^note": TEXT},
        "additionalProperties": SECRET,
    }
    value = {"id": "visible", "note_1": "legible", "pin": "K2-0001"}
    found = hidden(contract(tmp_path, answer=schema), [exchange(OPERATION, None, value)])
    assert found == {"K2-0001"}


@pytest.mark.parametrize(("by_pattern", "other"), [(TEXT, SECRET), (SECRET, TEXT)])
def test_a_pattern_that_nothing_can_decide_leaves_nothing_visible(
    tmp_path: Path, by_pattern: object, other: object
) -> None:
    schema = {"patternProperties": {"(?=o)": by_pattern}, "additionalProperties": other}
    found = hidden(contract(tmp_path, answer=schema), [exchange(OPERATION, None, {"o": "K2-0001"})])
    assert found == {"K2-0001"}


def test_values_are_hidden_at_any_depth(tmp_path: Path) -> None:
    tree = {"properties": {"inner": {"$ref": "#/components/schemas/Tree"}, "code": SECRET}}
    value: Any = {"code": "K2-0001"}
    for _ in range(500):
        value = {"inner": value}
    described = contract(tmp_path, answer={"$ref": "#/components/schemas/Tree"}, Tree=tree)
    assert hidden(described, [exchange(OPERATION, None, value)]) == {"K2-0001"}


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
