"""Declared statuses that no test can reach, and the given reasons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.outcome.coverage import why_not
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT

FINAL = {
    "getEsim 400": "no part of the request can be malformed",
    "getBalance 400": "no part of the request can be malformed",
    "getPlan 402": "the operation declares no charge",
    "listOrders 404": "the path has no variable, so nothing can be missing",
    "getPlan 409": "none of its codes applies to the operation",
    "createWebhookEndpoint 422": "none of its codes applies to the operation",
    "createOrder 500": "a correct server never returns it",
    "createOrder 503": "needs an unavailable server",
}
# What a request can bring about.
OPEN = (
    "createOrder 400",
    "createOrder 402",
    "createOrder 409",
    "createOrder 422",
    "createOrder 429",
    "createTopup 409",
    "createWebhookEndpoint 409",
    "getPlan 403",
    "getPlan 404",
    "listOrders 400",
)


@pytest.fixture(scope="module")
def contract(root: Path) -> Contract:
    return Contract(load(root / "spec" / "openapi.json"))


@pytest.mark.parametrize("name", FINAL)
def test_a_status_that_no_test_can_reach_has_a_reason(contract: Contract, name: str) -> None:
    operation, _, status = name.partition(" ")
    found = why_not(contract, contract.by_id[operation], status)
    assert (found.text, found.is_final) == (FINAL[name], True)


@pytest.mark.parametrize("name", OPEN)
def test_a_status_that_a_request_can_bring_about_stays_open(contract: Contract, name: str) -> None:
    operation, _, status = name.partition(" ")
    assert not why_not(contract, contract.by_id[operation], status).is_final


def test_a_status_stays_open_while_one_of_its_codes_may_be_for_any_operation(
    tmp_path: Path,
) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    path, reasons = tmp_path / "shop.json", []
    for codes in ({}, {"locked": {"status": 409, "type": "state"}}):
        document["x-contract-error"]["codes"] |= codes
        path.write_text(json.dumps(document), "utf-8")
        shop = Contract(load(path))
        reasons.append(why_not(shop, shop.by_id["getCredit"], "409"))
    assert [reason.is_final for reason in reasons] == [True, False]
