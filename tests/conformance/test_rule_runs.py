"""A rule counts as tried only at the operations where it was tried."""

from __future__ import annotations

from specwright.conformance.checks.table import DESCRIPTIONS as RULES
from specwright.conformance.contract.contract import Contract
from specwright.conformance.outcome.rule_runs import rule_runs, run_time
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT

LIST, CREATE = "/paths/~1orders/get", "/paths/~1orders/post"


def exchange(sent_at: float, seconds: float) -> Exchange:
    request, response = HttpRequest("GET", "http://127.0.0.1/", ()), HttpResponse(200, (), b"")
    return Exchange(0, "scenarios", "main", LIST, request, response, None, sent_at, seconds)


def test_a_trial_is_of_the_operation_that_a_place_belongs_to() -> None:
    record = Record()
    record.check("undeclared-status", LIST)
    record.check("response-schema", f"{LIST}/responses/200/content/application~1json/schema")
    record.check("method-not-allowed", "/paths/~1orders")
    record.check("error-code", "/components/responses/Error")
    record.skip("filter", LIST, "the list was empty")
    record.skip("undeclared-status", LIST, "this comes too late")
    for each in (exchange(100.0, 1.0), exchange(101.0, 2.0)):
        record.add(each)
    found = {
        (rule_run.rule, rule_run.subject): rule_run
        for rule_run in rule_runs(Contract(load(DOCUMENT)), record)
    }
    assert {rule for rule, _ in found} == {str(rule.id) for rule in RULES}
    tried = {key for key, each in found.items() if not each.skipped}
    method = next(subject for rule, subject in tried if rule == "method-not-allowed")
    assert method in ("GET /orders", "POST /orders")
    assert tried - {("method-not-allowed", method)} == {
        ("undeclared-status", "GET /orders"),
        ("response-schema", "GET /orders"),
        ("error-code", ""),
    }
    assert found["filter", "GET /orders"].skipped == "the list was empty"
    assert found["signature", ""].skipped == "nothing in the contract or run requires it"
    listed = [each.seconds for each in found.values() if each.subject == "GET /orders"]
    assert round(sum(listed), 6) == 3.0


def test_a_clock_runs_from_the_first_request_to_the_last_answer() -> None:
    record = Record()
    assert run_time(record) is None
    for each in (exchange(100.0, 5.0), exchange(101.0, 1.0)):
        record.add(each)
    found = run_time(record)
    assert found is not None
    assert (found.started, found.seconds) == (100.0, 5.0)
