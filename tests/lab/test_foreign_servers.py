"""The comparison of the failures of two tools on one server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.foreign_servers.comparison import Failure, Other, of_schemathesis, of_specwright, others

ACCEPTED = "Schema-violating request accepted"
STATUS = "Undocumented status code"
PRICE = "Invalid data was accepted\nInvalid component: in body - price: Incorrect type"


def theirs(check: str, status: int, message: str = "", operation: str = "POST /items") -> Failure:
    return Failure(check, operation, status, message, "POST http://x/items {}")


@pytest.mark.parametrize(
    ("reported", "found"),
    [
        (theirs(STATUS, 418), Failure("undeclared-status", "POST /items", 418, "")),
        (theirs(STATUS, 400), Failure("unreadable-refusal", "POST /items", 400, "")),
        (theirs(STATUS, 404), Failure("undeclared-refusal", "POST /items", 404, "")),
        (theirs("Server error", 500), Failure("server-error", "POST /items", 503, "")),
        (theirs(ACCEPTED, 201, PRICE), Failure("coercion", "POST /items", 201, 'price = "1"')),
        (theirs(ACCEPTED, 201, "a body"), Failure("invalid-accepted", "POST /items", 201, "")),
        # Any method of a path shows it.
        (theirs("Allow header mismatch", 405), Failure("allow-header", "PUT /items", 405, "")),
    ],
)
def test_failures_of_one_fault_are_equal(reported: Failure, found: Failure) -> None:
    assert others([reported], [found]) == []


@pytest.mark.parametrize(
    "found",
    [
        Failure("undeclared-status", "POST /items", 409, ""),
        Failure("undeclared-status", "GET /items", 418, ""),
        Failure("response-schema", "POST /items", 418, ""),
    ],
)
def test_another_status_operation_or_rule_is_another_failure(found: Failure) -> None:
    assert [other.check for other in others([theirs(STATUS, 418)], [found])] == [STATUS]


def test_what_only_one_reports_is_listed_once_per_place() -> None:
    failures = [theirs(ACCEPTED, 201, PRICE)] * 3 + [theirs(STATUS, 418, "Received: 418")]
    elsewhere = [Failure("invalid-accepted", "POST /items", 201, "POST /items accepted name = 1")]
    said = "Invalid data was accepted Invalid component: in body - price: Incorrect type"
    assert others(failures, elsewhere) == [
        Other(ACCEPTED, "POST /items", "price", 3, f"POST http://x/items {{}}: 201: {said}"),
        Other(STATUS, "POST /items", "418", 1, "POST http://x/items {}: 418: Received: 418"),
    ]


@pytest.mark.parametrize(
    ("media_type", "about"),
    [
        ("multipart/form-data", "400 (multipart/form-data without a boundary)"),
        ("multipart/form-data; boundary=a", "400"),
        ("text/plain", "400"),
    ],
)
def test_a_body_without_its_boundary_is_a_failure_of_its_own(media_type: str, about: str) -> None:
    failures = [replace(theirs(STATUS, 400), media_type=kind) for kind in (media_type, "", "")]
    assert {other.about: other.times for other in others(failures, [])} == (
        {about: 3} if about == "400" else {about: 1, "400": 2}
    )


def test_failures_are_read_from_the_reports_of_both() -> None:
    result = {
        "failures": [
            {"rule": "server-error", "operation": "GET /a", "message": "m", "requests": []},
            {"rule": "coercion", "message": "n", "requests": [{"status": 200}, {"status": 404}]},
        ]
    }
    assert of_specwright(result) == [
        Failure("server-error", "GET /a", None, "m"),
        Failure("coercion", "", 200, "n"),
        Failure("coercion", "", 404, "n"),
    ]
    failed = {"title": "Server error", "operation": "GET /a", "message": ""}
    recorder: dict[str, Any] = {
        "cases": {"1": {"value": {"body": {"a": None}}}, "2": {}},
        "interactions": {
            "1": {
                "request": {
                    "method": "POST",
                    "uri": "http://x/a",
                    "headers": {"content-type": ["text/plain"]},
                },
                "response": {"status_code": 500},
            }
        },
        "checks": {
            "1": [{"failure_info": {"failure": failed}}, {"failure_info": None}],
            "2": [{"failure_info": {"failure": failed}}],
        },
    }
    assert of_schemathesis([{"ScenarioFinished": {"recorder": recorder}}, {"Other": {}}]) == [
        Failure("Server error", "GET /a", 500, "", 'POST http://x/a {"a": null}', "text/plain"),
        Failure("Server error", "GET /a", None, "", "None None"),
    ]
