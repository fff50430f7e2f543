"""The arguments of a list that choose a page, in calls of the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.checks.lists.pages import page_matches_request
from specwright.conformance.checks.lists.whole_lists import has_all
from specwright.conformance.checks.responses.checked_response import CheckedResponse
from specwright.conformance.contract.calls import ABSENT, OperationCall
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.page_arguments import from_start, page_argument
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract

NUMBER = {"type": "integer"}
BODY = {
    "allOf": [
        {"properties": {"text": {"type": "string"}, "offset": NUMBER}},
        {"properties": {"paging": {"$ref": "#/components/schemas/Paging"}}},
    ]
}


def call(path: Path, body: Any, **declared: Any) -> tuple[Contract, OperationCall, Any]:
    page = {**dict.fromkeys(("cursor", "limit", "next", "more", "id")), "items": "", **declared}
    post = {
        "requestBody": {"content": {"application/json": {"schema": BODY}}},
        "responses": {"200": {"description": "Some."}},
        PAGINATION.name: page,
    }
    file = path / "openapi.json"
    paging = {"properties": {"after": {"type": "string"}, "size": NUMBER}}
    file.write_text(
        json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": "S", "version": "1"},
                "paths": {"/things": {"post": post}},
                "components": {"schemas": {"Paging": paging}},
            }
        )
    )
    contract = Contract(load(file))
    [operation] = contract.operations.values()
    read = operation.get(PAGINATION)
    assert isinstance(read, PaginationContract)
    return contract, OperationCall(operation, {}, body), read


CURSOR = {"cursor": "/paging/after", "limit": "/paging/size"}


@pytest.mark.parametrize(
    ("declared", "body", "first"),
    [
        (CURSOR, {"paging": {"after": "x", "size": 2}}, {"paging": {"size": 2}}),
        (CURSOR, {"text": "x"}, {"text": "x"}),
        (CURSOR, ABSENT, ABSENT),
        ({"offset": "/offset"}, {"text": "x", "offset": 4}, {"text": "x", "offset": 0}),
        ({"page": "/offset", "first_page": 1}, {"offset": 4}, {"offset": 1}),
        ({"offset": "/offset"}, {"text": "x"}, {"text": "x"}),
    ],
)
def test_a_list_is_read_from_its_start(
    tmp_path: Path, declared: Any, body: Any, first: Any
) -> None:
    _, sent, page = call(tmp_path, body, **declared)
    assert from_start(sent, page).body == first


@pytest.mark.parametrize(
    ("body", "is_whole"),
    [
        ({"paging": {"after": "x", "size": 2}}, True),
        ({"paging": {"size": 2}, "text": "x"}, False),
        ({"paging": {"size": 2, "sort": "id"}}, False),
        ({"offset": 4}, False),
        ({}, True),
        (ABSENT, True),
        ([], False),
    ],
)
def test_a_body_with_other_members_may_choose_items(
    tmp_path: Path, body: Any, *, is_whole: bool
) -> None:
    _, sent, _ = call(tmp_path, body, **CURSOR)
    assert has_all(sent) == is_whole


@pytest.mark.parametrize(
    ("size", "media_type", "is_wrong"),
    [
        (1, "application/json", True),
        (2, "application/json", False),
        # A server may ignore what is not JSON.
        (1, "application/x-unknown", False),
        ("1", "application/json", False),
    ],
)
def test_a_page_has_the_size_that_its_request_asks_for(
    tmp_path: Path, size: Any, media_type: str, *, is_wrong: bool
) -> None:
    contract, sent, _ = call(tmp_path, {}, **CURSOR)
    body = json.dumps({"paging": {"size": size}}).encode()
    request = HttpRequest("POST", "http://h.test/things", (("Content-Type", media_type),), body)
    response = HttpResponse(200, (("Content-Type", "application/json"),), b"[1, 2]")
    place = sent.operation.pointer
    exchange = Exchange(0, "scenarios", MAIN, place, request, response, None, 0, 0)
    checked = CheckedResponse(contract, Record(), exchange, sent.operation, response, None)
    found = [violation.rule for violation in page_matches_request.find(checked)]
    assert found == (["page-size"] if is_wrong else [])


def test_a_member_is_found_through_references_and_parts(tmp_path: Path) -> None:
    contract, sent, _ = call(tmp_path, {}, **CURSOR)
    found = page_argument(contract, sent.operation, Text("/paging/size"))
    assert found is not None
    assert (found.place, found.schema) == ("/components/schemas/Paging/properties/size", NUMBER)
    assert found.given(sent, 3).body == {"paging": {"size": 3}}
    assert page_argument(contract, sent.operation, Text("/paging/sort")) is None
    assert page_argument(contract, sent.operation, Text("size")) is None
