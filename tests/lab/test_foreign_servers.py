"""The comparison of the failures of two tools on one server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.foreign_servers import resent
from lab.foreign_servers.adoption import Run, section
from lab.foreign_servers.comparison import Failure, Other, of_schemathesis, of_specwright, others
from lab.foreign_servers.outcomes import SPECWRIGHT
from lab.foreign_servers.runs import authorization, reports_of
from lab.foreign_servers.servers import SERVERS

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


@pytest.mark.parametrize(
    ("key", "has_user", "options"),
    [
        ("", False, ()),
        ("admin:secret", True, ("--auth", "admin:secret")),
        # Tokens may have colons, too.
        ("*:*.secret", False, ("--header", "Authorization: Bearer *:*.secret")),
    ],
)
def test_schemathesis_sends_users_and_tokens(
    key: str, has_user: bool, options: tuple[str, ...]
) -> None:
    assert authorization(key, has_user=has_user) == options


def test_findings_are_drawn_by_a_seed_from_all_reports(tmp_path: Path) -> None:
    for server in SERVERS[:2]:
        reports = reports_of(server, tmp_path, SPECWRIGHT)
        reports.mkdir()
        findings = [{"message": f"{server.name} {number}"} for number in range(20)]
        (reports / "report.json").write_text(json.dumps({"findings": findings}))
    first, again, other = (resent.drawn(tmp_path, seed, 10) for seed in (1, 1, 2))
    assert first == again != other
    assert {name for name, _ in first} == {server.name for server in SERVERS[:2]}
    assert all(finding["message"].startswith(name) for name, finding in first)
    assert len(resent.drawn(tmp_path, 1, 100)) == 40


def test_the_page_counts_the_verdicts_on_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = '[[findings]]\nserver = "{}"\nfinding = "b"\ncurl = "c | d"\nverdict = "{}"\n'
    kept = tmp_path / "resent.toml"
    kept.write_text(row.format("B", "true") + row.format("A", "false") + row.format("B", "true"))
    monkeypatch.setattr(resent, "READ", kept)
    text = resent.section()
    assert "## 3 findings" in text
    assert "about A, B, with the seed 39" in text
    assert "true (2), false (1)" in text
    assert "| A | b | c \\| d | **false** |\n" in text


def test_findings_that_are_new_in_later_runs_are_listed() -> None:
    first = Run(1, 1, 12.4, {"error": 5, "info": 2}, 0, ["an error"])
    calm = Run(2, 0, 11.0, {"info": 2}, 5, [])
    other = Run(2, 1, 11.0, {"warning": 1}, 5, ["GET /items: a status"])
    page = section({"Kinto": [first, calm], "Glances": [first, other]}, "today")
    assert "| Kinto | 1 | 1 | 12 | 5 | 0 | 2 | 0 |\n| Kinto | 2 | 0 | 11 | 0 | 0 | 2 | 5 |" in page
    assert page.endswith("New in later runs:\n\n- Glances, seed 2: GET /items: a status\n")
    assert "New in later runs" not in section({"Kinto": [first, calm]}, "today")
