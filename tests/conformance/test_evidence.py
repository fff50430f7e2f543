"""The evidence of a finding: the requests that prove it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.monitors import Monitors
from specwright.conformance.outcome.evidence import judged
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.document.sources.load import load
from specwright.http_messages import RequestMessage
from specwright.json_values import mapping
from specwright.pointer import resolve
from specwright.report.wording import details
from tests.conformance.shop import DOCUMENT

LIST = "/paths/~1orders/get"


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Contract(load(DOCUMENT))


def exchange(number: int, response: HttpResponse | None) -> Exchange:
    request = HttpRequest("GET", f"http://127.0.0.1/v1/orders?page={number}", ())
    failure = None if response is not None else "ReadTimeout"
    return Exchange(number, "scenarios", MAIN, LIST, request, response, failure, 0, 0)


def test_the_proof_is_shown_and_what_came_just_before_it() -> None:
    answered = [exchange(number, HttpResponse(200, (), b"{}")) for number in range(1, 9)]
    sent = (*answered, exchange(9, None))
    record = Record()
    record.violate(Violation("pagination", LIST, "items were returned twice", sent))
    (finding,) = judged(Contract(load(DOCUMENT)), record).findings
    shown = [evidence.text for evidence in finding.evidence[1::2]]
    assert [text.partition("page=")[2][0] for text in shown] == ["6", "7", "8", "9"]
    written = [
        evidence.http.as_json() if evidence.http else {} for evidence in finding.evidence[-3:]
    ]
    assert [each.get("url", each.get("status")) for each in written] == [
        200,
        "http://127.0.0.1/v1/orders?page=9",
        None,
    ]
    assert finding.evidence[-1].text == "ReadTimeout"


def answered(number: int, pointer: str, status: int) -> Exchange:
    request = HttpRequest("GET", f"http://127.0.0.1/v1/{number}", ())
    response = HttpResponse(status, (), b"{}")
    return Exchange(number, "fuzzing", MAIN, pointer, request, response, None, 0, 0)


def test_one_cause_of_many_operations_is_one_finding_with_all_of_them(contract: Contract) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    for number, pointer in enumerate((*contract.operations, *contract.operations), 1):
        record.add(answered(number, pointer, 500))
    found = judged(contract, record).findings
    (finding,) = (each for each in found if each.rule == "server-error")
    assert finding.message == f"answered 500: {len(contract.operations)} operations"
    assert finding.operations == tuple(operation.name for operation in contract.operations.values())
    assert [occurrence.pointer for occurrence in finding.occurrences] == list(contract.operations)
    assert len({occurrence.id for occurrence in finding.occurrences}) == len(contract.operations)
    for occurrence in finding.occurrences:
        assert occurrence.message == f"{occurrence.operation}: answered 500"
        assert occurrence.evidence[0].label == "failure"
    assert finding.evidence == finding.occurrences[0].evidence


def failed(number: int, query: str) -> Exchange:
    exchange = answered(number, LIST, 500)
    url = f"http://127.0.0.1/v1/orders?{query}"
    return replace(exchange, request=replace(exchange.request, url=url))


def test_each_parameter_at_which_a_server_fails_has_a_request_of_its_own(
    contract: Contract,
) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    queries = ("limit=1&cursor=a", "limit=2", "limit=3&other=1", "cursor=b&other=2", "cursor=c")
    for number, query in enumerate(queries, 1):
        record.add(failed(number, query))
    found = judged(contract, record).findings
    (finding,) = (each for each in found if each.rule == "server-error")
    assert finding.message == "answered 500: 2 places in GET /orders"
    urls = [occurrence.evidence[-2].http for occurrence in finding.occurrences]
    assert [url.url.partition("?")[2] for url in urls if isinstance(url, RequestMessage)] == [
        *("limit=2", "cursor=b&other=2"),
    ]
    said = [line.strip() for line in details(finding)]
    also = said[said.index("also:") + 1 :]
    second = finding.occurrences[1]
    assert also == [
        f"{second.id} GET /orders: answered 500: curl --request GET "
        "'http://127.0.0.1/v1/orders?cursor=b&other=2' --header Accept:"
    ]
    assert [*details(replace(finding, evidence=()))] == []


def test_a_failure_without_inputs_is_one_of_all_requests(contract: Contract) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    for number, query in enumerate(("cursor=a", "other=1", "limit=1"), 1):
        record.add(failed(number, query))
    failures = [each for each in record.failures.values() if each.rule == "server-error"]
    assert [each.exchanges[0].number for each in failures] == [2]


def test_a_member_of_a_body_is_an_input(contract: Contract) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    create = contract.by_id["createOrder"]
    schema = resolve(contract.document.data, contract.body_schema(create) or "")
    name = next(iter(mapping(mapping(contract.document.follow(schema))["properties"])))
    for number, body in enumerate(({name: 1, "x": 1}, {"y": 1}, [[]]), 1):
        exchange = answered(number, create.pointer, 500)
        request = replace(exchange.request, method="POST", body=json.dumps(body).encode())
        record.add(replace(exchange, request=request))
        inputs = [each.inputs for each in record.failures.values() if each.rule == "server-error"]
        assert inputs == [[{name}], [set()], [set()]][number - 1]


def test_another_status_is_another_cause_even_at_the_same_operation(contract: Contract) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    for number, status in enumerate((500, 500, 501), 1):
        record.add(answered(number, LIST, status))
    found = [finding.message for finding in judged(contract, record).findings]
    said = [f"GET /orders: answered {status}" for status in (500, 501)]
    assert [each for each in found if each in said] == said


def test_a_cause_has_one_fingerprint_whatever_operations_have_it(contract: Contract) -> None:
    prints = set()
    for pointers in (contract.operations, [LIST]):
        record = Record()
        for number, pointer in enumerate(pointers, 1):
            name = contract.operations[pointer].name
            shown = (answered(number, pointer, 500),)
            words = "answered 500"
            record.violate(Violation("server-error", pointer, words, shown, words, name))
        (finding,) = judged(contract, record).findings
        prints.add(finding.fingerprint)
    assert len(prints) == 1


def test_values_differ_and_the_cause_does_not(contract: Contract) -> None:
    record = Record()
    for number, value in enumerate(("-1", "-7"), 1):
        message = f"POST /orders accepted price = {value}"
        shown = (answered(number, LIST, 201),)
        record.violate(Violation("invalid-accepted", LIST, message, shown, cause="too small"))
    (finding,) = judged(contract, record).findings
    assert (finding.message, finding.cause) == ("POST /orders accepted price = -1", "too small")
    assert len(finding.occurrences) == 1


def test_a_method_beside_the_operations_is_named_with_its_path(contract: Contract) -> None:
    item = contract.operations[LIST].item
    proof = replace(answered(1, LIST, 200), operation=None)
    record = Record()
    record.violate(Violation("method-not-allowed", item, "GET /orders: answered 200", (proof,)))
    (finding,) = judged(contract, record).findings
    assert finding.operations == ("GET /orders",)


def test_what_is_said_twice_is_shown_once_and_numbered() -> None:
    record = Record()
    for message, number in (("first", 1), ("second", 2), ("first", 3)):
        record.violate(Violation("order", LIST, message, (exchange(number, None),)))
    found = judged(Contract(load(DOCUMENT)), record).findings
    assert [finding.message for finding in found] == ["first", "second"]
    assert [finding.evidence[0].text for finding in found] == ["F1", "F2"]
    assert found[0].evidence[1].label == "request 1, scenarios"
