"""What a single answer is blamed for, and what it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.conformance.contract import Contract
from specwright.conformance.exchange import Exchange, Request, Response
from specwright.conformance.monitors import Monitors
from specwright.conformance.record import Record
from specwright.conformance.target import MAIN, NOBODY, OTHER
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT

UNDECLARED = ("401", "403", "404", "410", "500", "501", "default")


@pytest.fixture
def contract(tmp_path: Path) -> Contract:
    """The shop, in which errors of these statuses are declared nowhere."""
    document = json.loads(DOCUMENT.read_text("utf-8"))
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "responses" in operation:
                for status in UNDECLARED:
                    operation["responses"].pop(status, None)
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


def blamed(contract: Contract, name: str, status: int, role: str = MAIN) -> list[tuple[str, str]]:
    """The rules and messages about one answer, but for those about its body and its headers."""
    record = Record()
    record.monitors = (Monitors(contract, record),)
    operation = contract.by_id[name]
    request = Request(operation.method, f"http://127.0.0.1{operation.site.key}", ())
    response = Response(status, (("Request-Id", "1"),), b"")
    record.add(Exchange(0, "scenarios", role, operation.pointer, request, response, None, 0, 0))
    return [(each.rule, each.message) for each in record.violations]


@pytest.mark.parametrize("status", [500, 501])
def test_a_failure_is_said_once_and_names_the_operation(contract: Contract, status: int) -> None:
    assert blamed(contract, "listItems", status) == [
        ("server-error", f"listItems: answered {status}")
    ]


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_not_there_needs_no_declaration(contract: Contract, status: int) -> None:
    assert blamed(contract, "getOrder", status) == []
    assert [rule for rule, _ in blamed(contract, "listItems", status)] == ["undeclared-status"]


@pytest.mark.parametrize(("role", "status"), [(NOBODY, 401), (NOBODY, 403), (OTHER, 403)])
def test_a_refusal_of_others_needs_no_declaration(
    contract: Contract, role: str, status: int
) -> None:
    assert blamed(contract, "listItems", status, role) == []
    assert [rule for rule, _ in blamed(contract, "listItems", status)] == ["undeclared-status"]
