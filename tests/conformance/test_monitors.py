"""The findings of monitors on single responses, and the cases without a finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.report.redaction import REDACTED
from tests.conformance.shop import DOCUMENT

HEADERS = {
    "Cost": {"required": True, "schema": {"type": "integer", "minimum": 0}},
    "Note": {"schema": {"type": "string", "maxLength": 8}},
}
FAILURES = {
    "broken": {"status": 500, "type": "state", "condition": "internal_error"},
    "closed": {"status": 503, "type": "state"},
}
UNDECLARED = ("401", "403", "404", "410", "500", "501", "default")


@pytest.fixture
def contract(tmp_path: Path) -> Contract:
    """The shop without declarations of these statuses, with those of headers and failures."""
    document = json.loads(DOCUMENT.read_text("utf-8"))
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "responses" in operation:
                for status in UNDECLARED:
                    operation["responses"].pop(status, None)
    document["paths"]["/hooks/{hook_id}"]["delete"]["responses"]["204"]["headers"] = HEADERS
    document["paths"]["/hooks"]["get"]["responses"]["429"] = {"description": "Too many requests."}
    document["paths"]["/credit"]["get"]["responses"]["200"]["content"] = {"text/*": {}}
    document["x-contract-error"]["codes"] |= FAILURES
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


def blamed(
    contract: Contract,
    name: str,
    status: int,
    role: str = MAIN,
    body: str = "",
    query: str = "",
    **headers: str,
) -> list[tuple[str, str]]:
    """The rules and messages about one answer."""
    record = Record()
    record.monitors = (Monitors(contract, record),)
    operation = contract.by_id[name]
    url = f"http://127.0.0.1{operation.site.key}{query}"
    request = HttpRequest(operation.method, url, ())
    sent = {"Request-Id": "1", **headers}
    response = HttpResponse(status, tuple(sent.items()), body.encode())
    record.add(Exchange(0, "scenarios", role, operation.pointer, request, response, None, 0, 0))
    return [(violation.rule, violation.text) for violation in record.violations]


@pytest.mark.parametrize("status", [500, 501])
def test_a_failure_is_said_once_and_names_the_operation(contract: Contract, status: int) -> None:
    assert blamed(contract, "listItems", status) == [
        ("server-error", f"GET /items: answered {status}")
    ]


@pytest.mark.parametrize(
    ("status", "code", "is_failure"),
    [
        (503, "closed", False),
        (500, "broken", True),
        (500, "closed", True),
        (503, "broken", True),
        (503, "unheard_of", True),
    ],
)
def test_a_failure_that_is_declared_with_its_code_is_none_of_the_server(
    contract: Contract, status: int, code: str, is_failure: bool
) -> None:
    found = blamed(contract, "listItems", status, body=json.dumps({"code": code}))
    assert ("server-error" in {rule for rule, _ in found}) == is_failure


@pytest.mark.parametrize(
    ("declared", "status", "is_failure"),
    [("501", 501, False), ("5XX", 501, True), ("500", 500, True), ("501", 503, True)],
)
def test_an_operation_may_declare_that_it_is_not_implemented(
    contract: Contract, tmp_path: Path, declared: str, status: int, is_failure: bool
) -> None:
    document = contract.document.data
    document["paths"]["/items"]["get"]["responses"][declared] = {"description": "Not here."}
    path = tmp_path / "declared.json"
    path.write_text(json.dumps(document), "utf-8")
    rules = {rule for rule, _ in blamed(Contract(load(path)), "listItems", status)}
    assert ("server-error" in rules) == is_failure


@pytest.mark.parametrize(("message", "is_wrong"), [("Sorry.", False), ("", True), (None, True)])
def test_an_error_says_something_to_people(
    contract: Contract, message: str | None, is_wrong: bool
) -> None:
    body = json.dumps({"type": "state", "code": "changed", "message": message})
    found = blamed(contract, "createOrder", 422, body=body)
    said = "POST /orders: 'changed' without a human-readable message"
    assert [text for rule, text in found if rule == "error-code"] == [said] * is_wrong


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Cost": "3"}, []),
        ({"Cost": "3", "Note": "3"}, []),
        ({}, ["no Cost"]),
        ({"Cost": "three"}, ["the value of Cost is invalid"]),
        (
            {"Cost": "-3", "Note": "n" * 9},
            [f"the value of {header} is invalid" for header in HEADERS],
        ),
    ],
    ids=["right", "text of digits", "none", "no number", "two"],
)
def test_headers_are_held_to_their_declaration(
    contract: Contract, headers: dict[str, str], said: list[str]
) -> None:
    found = blamed(contract, "deleteHook", 204, **{"RateLimit": '"all";r=1;t=1', **headers})
    assert found == [("response-header", f"DELETE /hooks/{{hook_id}}: {each}") for each in said]


@pytest.mark.parametrize(
    ("schema", "text", "is_right"),
    [
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2}, "a, b", True),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2}, "a", False),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "a,c", False),
        ({"type": "array", "items": {"type": "integer"}}, "1,2", True),
        ({"type": "array", "items": {"type": "integer"}}, "1,b", False),
        ({"type": "object", "required": ["a"]}, "a,1", True),
        (
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            "a=1",
            True,
        ),
        ({"type": "object", "required": ["a"]}, "b=1", False),
    ],
)
def test_lists_and_objects_in_headers_are_read(
    tmp_path: Path, schema: dict[str, Any], text: str, is_right: bool
) -> None:
    headers = {"X-It": {"required": True, "schema": schema}}
    declared = {"204": {"description": "Done.", "headers": headers}}
    file = tmp_path / "openapi.json"
    info = {"title": "Headers", "version": "1"}
    paths = {"/a": {"get": {"operationId": "getA", "responses": declared}}}
    file.write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}))
    blame = blamed(Contract(upgrade(load(file))), "getA", 204, **{"X-It": text})
    assert blame == (
        [] if is_right else [("response-header", "GET /a: the value of X-It is invalid")]
    )


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(("id_", "is_wrong"), [("1", False), ("2", True), (None, False)])
def test_an_error_repeats_the_id_of_its_request(
    contract: Contract, status: int, id_: str | None, is_wrong: bool
) -> None:
    body = json.dumps({"request_id": id_} if id_ else {})
    found = blamed(contract, "createOrder", status, body=body)
    said = "POST /orders: the id in the body differs from Request-Id"
    assert (("request-id", said) in found) == is_wrong


@pytest.mark.parametrize(
    ("after", "is_wrong"),
    [("1", False), ("60", False), ("0", True), ("61", True), ("-1", True), ("soon", True)],
)
def test_a_limit_says_how_long_to_wait_within_its_window(
    contract: Contract, after: str, is_wrong: bool
) -> None:
    headers = {"RateLimit": '"all";r=0;t=1', "Retry-After": after}
    found = blamed(contract, "listHooks", 429, **headers)
    said = "GET /hooks: Retry-After is not between 1 and 60 seconds"
    assert (("rate-limit-headers", said) in found) == is_wrong


@pytest.mark.parametrize(
    ("given", "is_declared"),
    [
        ("text/plain", True),
        ("TEXT/Html; charset=utf-8", True),
        ("textual/plain", False),
        ("application/json", False),
        ("", False),
    ],
)
def test_a_range_of_media_types_holds_those_of_one_type(
    contract: Contract, given: str, is_declared: bool
) -> None:
    headers = {"RateLimit": '"all";r=1;t=1', "Content-Type": given}
    found = [rule for rule, _ in blamed(contract, "getCredit", 200, **headers)]
    assert found == ([] if is_declared else ["undeclared-media-type"])


@pytest.mark.parametrize(
    ("limit", "seconds", "rules"),
    [
        (0.5, 0.51, ["response-time"]),
        (0.5, 0.5, []),
        (None, 29.0, []),
    ],
)
def test_an_answer_may_take_as_long_as_it_may(
    contract: Contract, limit: float | None, seconds: float, rules: list[str]
) -> None:
    record = Record()
    operation = contract.by_id["listHooks"]
    request = HttpRequest("GET", "http://127.0.0.1/hooks", ())
    exchange = Exchange(
        0,
        "scenarios",
        MAIN,
        operation.pointer,
        request,
        HttpResponse(429, (), b""),
        None,
        0,
        seconds,
    )
    said = [violation.rule for violation in Monitors(contract, record, limit)(exchange)]
    assert [each for each in said if each == "response-time"] == rules
    assert ("response-time" in record.checked) == (limit is not None)


@pytest.mark.parametrize(
    ("name", "query", "items", "rule"),
    [
        ("listOrders", "?limit=2", [{"id": "1"}, {"id": "2"}], ""),
        ("listOrders", "?limit=1", [{"id": "1"}, {"id": "2"}], "page-size"),
        ("listItems", "?colour=red", [{"colour": "red"}], ""),
        ("listItems", "?colour=red", [{"colour": "red"}, {"colour": "blue"}], "filter"),
    ],
)
def test_a_page_has_what_was_asked_for(
    contract: Contract, name: str, query: str, items: list[dict[str, str]], rule: str
) -> None:
    found = blamed(contract, name, 200, body=json.dumps({"data": items}), query=query)
    assert {found_rule for found_rule, _ in found} & {"page-size", "filter"} == {rule} - {""}


@pytest.mark.parametrize(("size", "is_wrong"), [(1, False), (REDACTED, False), ("one", True)])
def test_a_value_that_was_removed_from_a_recording_breaks_nothing(
    contract: Contract, size: object, is_wrong: bool
) -> None:
    body = json.dumps({"data": [{"id": "1", "colour": "red", "size": size}]})
    found = blamed(contract, "listItems", 200, body=body, **{"Content-Type": "application/json"})
    assert ("response-schema" in {rule for rule, _ in found}) == is_wrong
