"""The judge of findings: what is explained passes, everything else is told."""

from __future__ import annotations

import base64
import json

from .fuzz.findings import CHECK, operations, read
from .fuzz.page import EXPLAINED


def finished(check: str, method: str, path: str, status: int, code: str) -> str:
    content = base64.b64encode(json.dumps({"error": {"code": code}}).encode()).decode()
    response = {"status_code": status, "content": {"$base64": content}}
    recorder = {
        "cases": {"a": {"value": {"method": method, "path": path}}},
        "interactions": {"a": {"request": {"uri": "/x"}, "response": response}},
        "checks": {"a": [{"name": check, "status": "success" if status < 300 else "failure"}]},
    }
    return json.dumps({"ScenarioFinished": {"recorder": recorder}})


END = '{"EngineFinished": {}}'


def test_every_operation_must_be_reached_and_every_finding_explained() -> None:
    fine = [finished(CHECK, *each.split(" ", 1), 200, "") for each in sorted(operations())]
    wrong = finished(CHECK, "GET", "/orders", 400, "invalid_cursor")
    run = read([*fine, wrong, END])
    assert run.troubles("test") == []
    assert run.explained == {("GET /orders", "invalid_cursor"): 1}
    assert run.requests == 17
    for bad in (
        finished(CHECK, "GET", "/orders", 400, "missing_country_or_coverage"),
        finished(CHECK, "GET", "/orders", 500, "internal_error"),
        finished("negative_data_rejection", "GET", "/orders", 400, "invalid_cursor"),
        '{"NonFatalError": {}}',
    ):
        assert len(read([*fine, bad, END]).troubles("test")) == 1
    assert read(fine).troubles("test") == ["the run did not come to its end"]


def test_a_live_key_need_not_reset_the_sandbox() -> None:
    reset = "POST /sandbox/reset"
    others = sorted(operations() - {reset})
    run = read([*(finished(CHECK, *each.split(" ", 1), 200, "") for each in others), END])
    assert run.troubles("live") == []
    assert run.troubles("test") == [f"{reset} was never answered with 2xx"]


def test_what_is_explained_is_of_the_contract() -> None:
    assert {operation for operation, _ in EXPLAINED} <= operations()
