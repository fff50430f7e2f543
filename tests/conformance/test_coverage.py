"""The parts of a contract that count as reached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.outcome.coverage import (
    Item,
    coverage,
    share,
    skipped_rules,
    unreached,
)
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load

GET = "/paths/~1things/get"
TEXT = {"type": "string"}
LIST = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": {"enum": ["a", "b"]}, "note": TEXT}},
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1"},
    "paths": {
        "/things": {
            "get": {
                "operationId": "list",
                "parameters": [
                    {"name": "page", "in": "query", "schema": TEXT},
                    {"name": "Trace", "in": "header", "schema": TEXT},
                    {"name": "session", "in": "cookie", "schema": TEXT},
                ],
                "responses": {
                    "200": {"description": "…", "content": {"application/json": {"schema": LIST}}},
                    **{status: {"description": "…"} for status in ("404", "4XX", "default")},
                },
            }
        }
    },
}


@pytest.fixture
def contract(tmp_path: Path) -> Contract:
    path = tmp_path / "things.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return Contract(load(path))


def items(
    contract: Contract, status: int, query: str = "", body: bytes = b"", **headers: str
) -> list[Item]:
    """The coverage after one answer."""
    request = HttpRequest("GET", f"http://127.0.0.1/things{query}", tuple(headers.items()))
    response = HttpResponse(status, (), body)
    record = Record()
    record.add(Exchange(0, "scenarios", MAIN, GET, request, response, None, 0, 0))
    return coverage(contract, record)


def reached(kind: str, found: list[Item]) -> set[str]:
    assert all(each.reason for each in found if not each.reached)
    return {each.name.split(" ", 2)[2] for each in found if each.kind == kind and each.reached}


@pytest.mark.parametrize(
    ("status", "declared"), [(200, "200"), (404, "404"), (409, "4XX"), (500, "default")]
)
def test_an_answer_reaches_the_closest_declaration(
    contract: Contract, status: int, declared: str
) -> None:
    assert reached("status", items(contract, status)) == {declared}


@pytest.mark.parametrize(
    ("query", "headers", "given"),
    [
        ("", {}, set()),
        ("?page=", {}, {"page"}),
        ("?pages=1", {"Cookie": "a=b; no-session=c"}, set()),
        ("?page=1", {"trace": "t", "Cookie": "a=b; session=c"}, {"page", "Trace", "session"}),
    ],
)
def test_a_parameter_is_reached_by_a_request_that_has_it(
    contract: Contract, query: str, headers: dict[str, str], given: set[str]
) -> None:
    assert reached("parameter", items(contract, 200, query, **headers)) == given
    assert reached("parameter", items(contract, 404, query, **headers)) == set()


@pytest.mark.parametrize(
    ("body", "properties", "values"),
    [
        (b"", set(), set()),
        (b"{}", set(), set()),
        (b"[]", set(), set()),
        (b'[{"name": "a"}, {"name": "c"}, 5]', {"name"}, {"name=a"}),
        (b'[{"name": "a"}, {"name": "b", "note": "n"}]', {"name", "note"}, {"name=a", "name=b"}),
    ],
)
def test_what_items_of_a_list_have_is_reached(
    contract: Contract, body: bytes, properties: set[str], values: set[str]
) -> None:
    found = items(contract, 200, body=body)
    for kind, names in (("property", properties), ("enum value", values)):
        assert reached(kind, found) == {f"200 [].{name}" for name in names}


def test_a_share_is_rounded_down() -> None:
    reached, missed = (Item("rule", "r", "", count) for count in (1, 0))
    assert [share(each) for each in ([], [missed], [reached], [reached, reached, missed])] == [
        *(0, 0, 100, 66)
    ]


def test_below_a_member_that_no_body_had_nothing_is_listed(tmp_path: Path) -> None:
    """Schemas that refer to each other, as in Telegram's API, have more paths than atoms exist."""
    names = "abcdef"
    refers = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    schemas = {name: {"type": "object", "properties": refers} for name in names}
    answer = {"description": "…", "content": {"application/json": {"schema": refers["a"]}}}
    document = {
        **DOCUMENT,
        "paths": {"/things": {"get": {"operationId": "list", "responses": {"200": answer}}}},
        "components": {"schemas": schemas},
    }
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(document), "utf-8")
    found = [
        item
        for item in items(Contract(load(path)), 200, body=b'{"b": {"c": {}}}')
        if item.kind == "property"
    ]
    assert len(found) == 3 * len(names)
    assert reached("property", found) == {"200 b", "200 b.c"}


def test_what_a_direction_lacks_is_not_counted(tmp_path: Path) -> None:
    """No caller sends what is `readOnly`, and no server what is `writeOnly`."""
    marked = {"allOf": [{"$ref": "#/components/schemas/Secret"}]}
    thing = {
        "type": "object",
        "properties": {"id": {"readOnly": True}, "pin": marked, "note": TEXT},
    }
    content = {"content": {"application/json": {"schema": thing}}}
    operation = {
        "operationId": "list",
        "requestBody": content,
        "responses": {"200": {"description": "…", **content}},
    }
    document = {
        **DOCUMENT,
        "paths": {"/things": {"get": operation}},
        "components": {"schemas": {"Secret": {"type": "string", "writeOnly": True}}},
    }
    path = tmp_path / "directions.json"
    path.write_text(json.dumps(document), "utf-8")
    found = items(Contract(load(path)), 200, body=b'{"id": 1, "pin": "1234"}')
    names = {item.name.split(" ", 2)[2] for item in found if item.kind == "property"}
    assert names == {"request pin", "request note", "200 id", "200 note"}


def test_parts_that_no_exchange_had_are_counted(contract: Contract) -> None:
    found = items(contract, 200, "?page=1", b'[{"name": "a"}]')
    assert list(unreached(found)) == [
        # Of four, one is out of reach.
        "2 of 3 statuses",
        "2 of 3 parameters",
        "1 of 2 properties",
        "1 of 2 enum values",
    ]
    assert list(unreached([Item("status", "GET /a 500", "", 0, "why", is_out_of_reach=True)])) == []


def test_rules_that_something_prevented_are_grouped_by_the_reason(contract: Contract) -> None:
    record = Record()
    for rule, reason in (("isolation", "no key"), ("reset", "no success"), ("cursor", "no key")):
        record.skip(rule, GET, reason)
    # Others are not required by the contract.
    rules = {reason: set(names) for reason, names in skipped_rules(coverage(contract, record))}
    assert rules == {"no key": {"isolation", "cursor"}, "no success": {"reset"}}
    assert skipped_rules(coverage(contract, record))[0][0] == "no key"
