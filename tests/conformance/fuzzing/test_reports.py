"""Which failed checks are violations, and which of them prove nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.conformance.contract import Contract
from specwright.conformance.exchange import Exchange, Request, Response
from specwright.conformance.fuzzing.reports import Report, Traffic, violation
from specwright.conformance.fuzzing.validity import Verdict
from specwright.conformance.routes import Routes
from specwright.conformance.target import MAIN
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.upgrade import upgrade
from tests.conformance.fuzzing.widgets import DOCUMENT

BASE = "http://127.0.0.1:1/v1"
DELETE = "/paths/~1widgets~1{id}/delete"


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "widgets.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return upgrade(load(path))


def exchange(number: int, method: str, sent_at: float, status: int | None = 200) -> Exchange:
    """A request that is answered after a second."""
    response = None if status is None else Response(status, (), b"{}")
    request = Request(method, f"{BASE}/widgets/w1", ())
    return Exchange(number, "fuzzing", MAIN, DELETE, request, response, None, sent_at, 1.0)


def blamed(document: Document, check: str, *exchanges: Exchange) -> str | None:
    """The part of the document that the first exchange and the last one break."""
    operation = Routes(Contract(document), BASE).find("/widgets/{id}", "DELETE")
    assert operation is not None
    report = Report(check, exchanges[-1], operation, exchanges[0], Verdict())
    found = violation(report, Traffic(document, exchanges))
    return None if found is None else found.pointer


@pytest.mark.parametrize(
    ("between", "is_proof"),
    [
        (exchange(2, "GET", 11), True),
        (exchange(2, "POST", 11), False),
        (exchange(2, "POST", 11, None), False),
        (exchange(2, "POST", 11, 409), True),
        # Its answer came before the resource was deleted, or it was sent after the proof.
        (exchange(2, "POST", 8), True),
        (exchange(2, "POST", 9.5), False),
        (exchange(2, "POST", 13.5), False),
        (exchange(2, "POST", 14.5), True),
    ],
    ids=["read", "write", "unanswered", "refused", "before", "into it", "out of it", "after"],
)
def test_what_others_change_meanwhile_is_no_proof(
    document: Document, between: Exchange, is_proof: bool
) -> None:
    cause, proof = exchange(1, "DELETE", 10, 204), exchange(3, "GET", 13)
    found = blamed(document, "use_after_free", cause, between, proof)
    assert found == (DELETE if is_proof else None)


@pytest.mark.parametrize(
    ("check", "status", "is_proof"),
    [
        ("use_after_free", 200, True),
        ("use_after_free", 204, True),
        ("use_after_free", 202, False),
        ("use_after_free", 404, False),
        ("use_after_free", None, False),
        ("ensure_resource_availability", 201, True),
        ("ensure_resource_availability", 202, False),
    ],
)
def test_a_cause_tells_only_by_its_status(
    document: Document, check: str, status: int | None, is_proof: bool
) -> None:
    cause, proof = exchange(1, "DELETE", 10, status), exchange(2, "GET", 13)
    assert blamed(document, check, cause, proof) == (DELETE if is_proof else None)
