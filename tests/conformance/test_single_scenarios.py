"""Scenarios by themselves: their findings, the evidence, and the omissions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
from fastapi import FastAPI, Header, HTTPException

from specwright.conformance.checks.idempotency.idempotency import idempotency
from specwright.conformance.checks.lifecycle.deletion import deleted
from specwright.conformance.checks.lifecycle.locations import located
from specwright.conformance.checks.lifecycle.reset import restored
from specwright.conformance.checks.limits.balance import exhausted
from specwright.conformance.checks.lists.collections import collections
from specwright.conformance.checks.lists.lists import lists
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.checks.robustness.malformed_requests import robustness
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from tests.conformance import shop
from tests.conformance.fastapi_apps import driver_of
from tests.conformance.notes import COLOURS, notes_driver
from tests.conformance.shop_faults import shop_with
from tests.conformance.test_scenarios import ANNA, contract, written

ADD, REMOVE = "/paths/~1notes/post", "/paths/~1notes~1{id}/delete"
Scenario = Callable[[Driver], None]


def checked(place: Path, scenario: Scenario, bug: str, *before: str) -> Driver:
    """Run a scenario after calls of some operations, so that it has the resources it needs."""
    with notes_driver(place, bug) as driver:
        for name in before:
            assert driver.first_success(driver.contract.by_id[name]) is not None
        scenario(driver)
        return driver


def messages(driver: Driver) -> list[tuple[str, str]]:
    """The rule and the message of each violation, which all have their proof."""
    for violation in driver.target.record.violations:
        assert set(violation.exchanges) <= set(driver.target.record.exchanges)
    return [(violation.rule, violation.text) for violation in driver.target.record.violations]


@pytest.mark.parametrize(
    ("scenario", "bug", "found"),
    [
        (lists, "", []),
        (lists, "busy", []),
        (lists, "forgets", [("filter", "GET /notes: matching items are missing")]),
        (lists, "refuses a filter", [("filter", "GET /notes: answered 400")]),
        (
            lists,
            "asks nothing",
            [("requires-one-of", "GET /search: answered 200 without 'nothing_asked'")],
        ),
        (deleted, "", []),
        (
            deleted,
            "removes nothing",
            [
                ("deleted-is-gone", "GET /notes/{id}: answered 200 after DELETE /notes/{id}"),
                ("deleted-is-gone", "DELETE /notes/{id}: answered 204 after DELETE /notes/{id}"),
            ],
        ),
    ],
)
def test_a_scenario_makes_what_it_needs_and_finds_the_bug(
    tmp_path: Path, scenario: Scenario, bug: str, found: list[tuple[str, str]]
) -> None:
    assert messages(checked(tmp_path, scenario, bug)) == found


def test_all_that_is_left_of_a_deleted_resource_is_one_cause(tmp_path: Path) -> None:
    driver = checked(tmp_path, deleted, "removes nothing")
    assert [violation.cause for violation in driver.target.record.violations] == [
        "answered with success after DELETE /notes/{id}"
    ] * 2


@pytest.mark.parametrize("bug", ["forgets", "refuses a filter"])
def test_a_filter_is_shown_beside_the_whole_list(tmp_path: Path, bug: str) -> None:
    [found] = checked(tmp_path, lists, bug).target.record.violations
    asked = [exchange.request.url.rpartition("/")[2] for exchange in found.exchanges]
    assert asked == ["notes", f"notes?colour={COLOURS[0]}"]


def test_a_list_that_never_comes_is_said(tmp_path: Path) -> None:
    skips = checked(tmp_path, lists, "").target.record.skips
    assert ("pagination", "/paths/~1lost/get", "the operation never succeeded") in {
        (skip.rule, skip.pointer, skip.reason) for skip in skips
    }


def test_where_nothing_can_be_made_nothing_is_removed_and_it_is_said(tmp_path: Path) -> None:
    record = checked(tmp_path, deleted, "makes nothing").target.record
    assert record.violations == []
    assert [(skip.rule, skip.pointer, skip.reason) for skip in record.skips] == [
        ("deleted-is-gone", REMOVE, "the operation never succeeded")
    ]


BODIES = (
    "a body that is not JSON",
    "a body that is not UTF-8",
    "a body of 5,000 nested lists",
    "a body of another media type",
    "a body that is too large",
)
NOT_THERE = "PUT /notes is not in the document and returned 404, not 405"
WANTED = ("bad_json", "bad_json", None, "bad_media_type", "too_large")


@pytest.mark.parametrize(
    ("bug", "found"),
    [
        ("", []),
        ("busy", []),
        (
            "takes all",
            [
                (
                    "media-type-accepted" if "media" in how else "invalid-accepted",
                    f"POST /notes accepted {how}: 201",
                )
                for how in BODIES
            ],
        ),
        (
            "one code",
            [
                ("error-code", f"POST /notes: {how} is not refused with '{code}': 400")
                for how, code in zip(BODIES, WANTED, strict=True)
                if code is not None
            ],
        ),
        ("methods are not found", [("method-not-allowed", NOT_THERE)]),
        (
            "names no methods",
            [("allow-header", "PUT /notes: 405 with no Allow header, which lacks GET, POST")],
        ),
    ],
)
def test_broken_bodies_and_methods_that_are_not_there(
    tmp_path: Path, bug: str, found: list[tuple[str, str]]
) -> None:
    driver = checked(tmp_path, robustness, bug, "listNotes", "addNote")
    assert messages(driver) == found
    assert driver.target.record.checked["server-error"] == {ADD}
    assert driver.target.record.checked["method-not-allowed"] == {"/paths/~1notes"}


def test_any_operation_of_a_path_tells_of_its_methods_or_it_is_said(tmp_path: Path) -> None:
    record = checked(tmp_path, robustness, "methods are not found", "addNote").target.record
    assert [violation.text for violation in record.violations] == [NOT_THERE]
    assert {skip.pointer for skip in record.skips if skip.rule == "method-not-allowed"} == {
        f"/paths/~1{path}" for path in ("notes~1{id}", "search", "lost")
    }


@pytest.mark.parametrize(
    ("bug", "rules"),
    [
        ("", set()),
        ("tags of any length", {"invalid-accepted"}),
        ("one code", {"error-code"}),
        # By the code of its own, and not by one of the form of requests.
        ("short links", {"valid-refused"}),
        ("no whole number has a point", {"whole-number"}),
    ],
)
def test_a_member_that_no_example_has_is_tried_from_a_sample(
    tmp_path: Path, bug: str, rules: set[str]
) -> None:
    assert {rule for rule, _ in messages(checked(tmp_path, validation, bug, "addNote"))} == rules


def test_a_whole_number_in_a_parameter_has_no_point(tmp_path: Path) -> None:
    driver = checked(tmp_path, validation, "", "listNotes")
    assert messages(driver) == []
    asked = {
        exchange.request.url.rpartition("most=")[2] for exchange in driver.target.record.exchanges
    }
    assert {"0", "1"} <= asked
    assert "1.0" not in asked


def test_a_parameter_that_may_be_missing_is_tried_with_a_usual_value(tmp_path: Path) -> None:
    app = FastAPI()

    @app.get("/things")
    def things(x_version: Annotated[str | None, Header()] = None) -> dict[str, str]:
        # As the document does not say.
        if x_version is not None and x_version.count(".") != 2:
            raise HTTPException(400)
        return {}

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        assert messages(driver) == []
        validation(driver)
        said = "GET /things: status 400 is not declared (declared: 200, 422)"
        assert set(messages(driver)) == {("undeclared-status", said)}


def test_another_text_under_a_key_is_no_longer_than_the_first(tmp_path: Path) -> None:
    document = json.loads(shop.DOCUMENT.read_text("utf-8"))
    content = document["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]
    content["examples"]["fresh"]["value"]["note"] = "pasta"
    document["components"]["schemas"]["OrderCreate"]["properties"]["note"]["maxLength"] = 5
    short = written(tmp_path, document)
    with (
        shop.serving(shop_with("any payload").app()) as url,
        TargetServer(url, Credential.of(short.document), Record(), {MAIN: ANNA}) as target,
    ):
        idempotency(Driver(short, target, "scenarios"))
    assert [violation.text for violation in target.record.violations] == [
        f"POST /orders: another '{name}' under the same key was accepted"
        for name in ("item_id", "quantity", "note")
    ]


def test_a_balance_that_a_reset_restores_is_spent_until_a_charge_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shop, "CREDIT", 100)
    with (
        shop.serving(shop.Shop().app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), {MAIN: ANNA}) as target,
    ):
        driver = Driver(contract(), target, "scenarios")
        order = contract().by_id["createOrder"]
        assert driver.first_success(order) is not None
        exhausted(driver)
    asked = [
        exchange.response
        for exchange in target.record.exchanges
        if exchange.operation == order.pointer
    ]
    assert asked[-1] is not None
    assert asked[-1].at("/code") == "unpaid"


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("", []),
        (
            "asks for the rest",
            ["POST /orders: the required amount in the refusal is 1, not 2"],
        ),
        ("shows another balance", ["POST /orders: the balance in the refusal is 2, not 1"]),
    ],
)
def test_a_refusal_tells_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, bug: str, said: list[str]
) -> None:
    # Orders of 2 leave 1 of it.
    monkeypatch.setattr(shop, "CREDIT", 35)
    with (
        shop.serving(shop_with(bug).app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), {MAIN: ANNA}) as target,
    ):
        driver = Driver(contract(), target, "scenarios")
        assert driver.first_success(contract().by_id["createOrder"]) is not None
        exhausted(driver)
    assert [violation.text for violation in target.record.violations] == said


def test_a_reset_of_another_partner_hides_nothing_that_is_missing() -> None:
    with (
        shop.serving(shop_with("forgets large orders").app()) as url,
        TargetServer(
            url,
            Credential.of(contract().document),
            Record(),
            dict(zip((MAIN, OTHER_TENANT), shop.KEYS, strict=False)),
        ) as target,
    ):
        driver = Driver(contract(), target, "scenarios")
        listing, order, reset = (
            contract().by_id[each] for each in ("listOrders", "createOrder", "reset")
        )
        assert driver.first_success(listing) is not None
        first = driver.first_success(order)
        assert first is not None
        driver.send(driver.with_fresh_key(first[0].with_member("/quantity", 5)))
        driver.probe(next(driver.candidates(reset)), OTHER_TENANT)
        collections(driver)
    found = [violation.text for violation in target.record.violations]
    assert found == ["GET /orders: a created resource is not in the list"]


def test_a_reset_is_left_to_the_steps_that_are_about_it(tmp_path: Path) -> None:
    document = json.loads(shop.DOCUMENT.read_text("utf-8"))
    # As if it made something.
    done = document["paths"]["/reset"]["post"]["responses"]["200"]
    done["links"] = {"credit": {"operationId": "getCredit"}}
    linked = written(tmp_path, document)
    with (
        shop.serving(shop.Shop().app()) as url,
        TargetServer(url, Credential.of(linked.document), Record(), {MAIN: ANNA}) as target,
    ):
        driver, reset = Driver(linked, target, "scenarios"), linked.by_id["reset"]

        def resets() -> list[int]:
            found = target.record.exchanges
            return [each.number for each in found if each.operation == reset.pointer]

        explore(driver)
        assert resets() == []
        assert driver.first_success(reset) is not None
        located(driver)
        assert len(resets()) == 1
        restored(driver)
        order = linked.by_id["createOrder"].pointer
        later = target.record.exchanges[resets()[-1] :]
        assert order in {exchange.operation for exchange in later}
