"""Bugs of the shops, found by the scenarios that look for them, and by nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.shops.declarations import declared
from lab.shops.serving import SHOPS
from specwright.conformance.checks.access.isolation import isolation
from specwright.conformance.checks.access.permission import permission
from specwright.conformance.checks.idempotency.idempotency import idempotency
from specwright.conformance.checks.lifecycle.locations import located, parents
from specwright.conformance.checks.lifecycle.read_after_write import written
from specwright.conformance.checks.lifecycle.transitions import transitions
from specwright.conformance.checks.lists.collections import collections
from specwright.conformance.checks.lists.sorting import sorting
from specwright.conformance.checks.requests.explore import explore, renew
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT, UNSCOPED
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from tests.serving import Server

# Rules that the tests of this page see broken.
PROVEN = {"change-keeps", "isolation-open", "location", "parent", "transition"}

# A catalogue is open to both managers, and the frameworks' documents lack some answers.
NOT_OF_BUGS = {"isolation-open", "response-schema", "undeclared-status"}

# The same bugs in the others are for the night.
ONE_OF_SHOPS = [
    pytest.param(shop, marks=[] if shop == "fastapi" else pytest.mark.exhaustive) for shop in SHOPS
]
Scenario = Callable[[Driver], None]
FOUND: dict[str, tuple[Scenario, str]] = {
    "change-is-not-stored": (written, "written-is-read"),
    "change-resets-others": (written, "change-keeps"),
    "sort-is-ignored": (sorting, "order"),
    "upload-is-lost": (written, "written-is-read"),
    "location-of-another": (located, "location"),
    "review-of-another-product": (parents, "parent"),
    "key-for-another-body": (idempotency, "idempotency-changed"),
    "paid-twice": (transitions, "transition"),
    "unpaid-is-shipped": (transitions, "transition"),
    "customer-creates-products": (permission, "permission"),
    "order-of-others": (isolation, "isolation"),
    "list-of-others": (isolation, "isolation"),
    "change-of-others": (isolation, "isolation"),
}


def found(place: Path, shop: str, bug: str, *scenarios: Scenario) -> set[str]:
    """The rules that scenarios find broken, after everything was reached."""
    app, document = SHOPS[shop](bug)
    path = place / "openapi.json"
    path.write_text(json.dumps(declared(document, shop)), "utf-8")
    contract = Contract(load(path))
    spelled = "{0}:test-{0}" if shop == "django" else "test-{0}"
    users = {MAIN: "alice", OTHER_TENANT: "bob", UNSCOPED: "carol"}
    keys = {role: spelled.format(user) for role, user in users.items()}
    credential, record = Credential.of(contract.document), Record()
    record.monitors = (Monitors(contract, record),)
    with Server(app) as server, TargetServer(server.url, credential, record, keys) as target:
        driver = Driver(contract, target, "scenarios")
        explore(driver)
        operations = driver.contract.operations
        assert [each.name for at, each in operations.items() if at not in driver.successes] == []
        for scenario in scenarios:
            scenario(driver)
        return {failure.rule for failure in record.failures.values()}


def anew(driver: Driver) -> None:
    """Make everything again, so that lists are those of a parent that is new."""
    operations = driver.contract.operations.values()
    for operation in [operation for operation in operations if operation.method == "POST"]:
        driver.first_success(operation)
    renew(driver)
    for operation in [operation for operation in operations if operation.is_safe]:
        driver.first_success(operation)


@pytest.mark.parametrize("shop", SHOPS)
def test_nothing_is_found_in_a_shop_without_a_bug(shop: str, tmp_path: Path) -> None:
    scenarios = (
        anew,
        sorting,
        collections,
        written,
        located,
        parents,
        isolation,
        permission,
        idempotency,
        transitions,
    )
    assert found(tmp_path, shop, "none", *scenarios) <= NOT_OF_BUGS


@pytest.mark.parametrize("shop", ONE_OF_SHOPS)
@pytest.mark.parametrize("bug", FOUND)
def test_a_bug_is_found(shop: str, bug: str, tmp_path: Path) -> None:
    scenario, rule = FOUND[bug]
    assert found(tmp_path, shop, bug, scenario) - NOT_OF_BUGS == {rule}


def test_what_is_open_to_all_is_said(tmp_path: Path) -> None:
    assert "isolation-open" in found(tmp_path, "django", "none", isolation)
