"""What a finding shows of the requests that prove it."""

from __future__ import annotations

from specwright.conformance.bench.target import MAIN
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange, Request, Response
from specwright.conformance.recording.record import Record, Violation
from specwright.conformance.results.evidence import findings
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT

LIST = "/paths/~1orders/get"


def exchange(number: int, response: Response | None) -> Exchange:
    request = Request("GET", f"http://127.0.0.1/v1/orders?page={number}", ())
    failure = None if response is not None else "ReadTimeout"
    return Exchange(number, "scenarios", MAIN, LIST, request, response, failure, 0, 0)


def test_the_proof_is_shown_and_what_came_just_before_it() -> None:
    answered = [exchange(number, Response(200, (), b"{}")) for number in range(1, 9)]
    sent = (*answered, exchange(9, None))
    record = Record()
    record.violate(Violation("pagination", LIST, "items were shown twice", sent))
    (finding,) = findings(Contract(load(DOCUMENT)), record)
    shown = [each.text for each in finding.evidence[1::2]]
    assert [text.rpartition("=")[2].rstrip("'") for text in shown] == ["6", "7", "8", "9"]
    assert finding.evidence[-1].text == "ReadTimeout"


def test_what_is_said_twice_is_shown_once_and_numbered() -> None:
    record = Record()
    for message, number in (("first", 1), ("second", 2), ("first", 3)):
        record.violate(Violation("order", LIST, message, (exchange(number, None),)))
    found = list(findings(Contract(load(DOCUMENT)), record))
    assert [each.message for each in found] == ["first", "second"]
    assert [each.evidence[0].text for each in found] == ["F1", "F2"]
    assert found[0].evidence[1].label == "request 1, scenarios"
