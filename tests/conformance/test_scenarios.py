"""A run finds the mistakes of an implementation, and does not report correct behaviour."""

from __future__ import annotations

import json
from copy import copy
from functools import cache
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from specwright.commands.test import exit_code
from specwright.conformance.checks.idempotency.idempotency import idempotency
from specwright.conformance.checks.lifecycle.reset import finish
from specwright.conformance.checks.limits.capacity import capacity
from specwright.conformance.checks.limits.rate_limits import rate_limits, windows
from specwright.conformance.checks.lists.lists import lists
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.scenario import Scenario
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIMITED, MAIN, OTHER_TENANT, SUSPENDED, strangers
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.outcome import coverage
from specwright.conformance.outcome.evidence import Standards
from specwright.conformance.outcome.report import run_report
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record, Violation
from specwright.conformance.run import (
    STEPS,
    Run,
    RunProfile,
    begin,
)
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.errors import Location
from specwright.policy import Settings, Waiver
from tests.conformance.shop import DOCUMENT, ITEMS, KEYS, Refused, Shop, serving
from tests.conformance.shop_faults import shop_with

# What the shop does wrong -> the rule that says so.
BUGS = {
    "always a replay": "idempotency-replay",
    "announces more": "pagination",
    "another request id": "request-id",
    "any cursor": "cursor",
    "any key": "credentials-ignored",
    "any limit": "page-size",
    "any media type": "media-type-accepted",
    "any parcel is called": "isolation",
    "any parcel": "isolation",
    "any payload": "idempotency-changed",
    "any reference": "invalid-accepted",
    "any size": "invalid-accepted",
    "anybody removes hooks": "isolation",
    "asks in other words": "requires-one-of",
    "asks nothing": "requires-one-of",
    "beginning of a key": "credentials-ignored",
    "body before the key": "precedence",
    "breaks without a body": "server-error",
    "charges replays": "conservation",
    "charges twice": "conservation",
    "credit before": "conservation",
    "deletes nothing": "deleted-is-gone",
    "everybody's hooks": "isolation",
    "everything is there": "created-is-found",
    "failure keeps the key": "idempotency-failure",
    "filter by prefix": "filter",
    "filter forgets": "filter",
    "filter lets all through": "filter",
    "filter without case": "filter",
    "forgets large orders": "created-is-found",
    "four is the most": "valid-refused",
    "free orders": "conservation",
    "html": "undeclared-media-type",
    "keeps its place": "capacity",
    "keeps the price": "conservation",
    "key in another header": "credentials-ignored",
    "key in any letters": "credentials-ignored",
    "key in the query": "credentials-ignored",
    "keys without case": "idempotency-scope",
    "last parameter": "invalid-accepted",
    "list differs": "list-agrees",
    "lists everybody's": "isolation",
    "long labels": "invalid-accepted",
    "long notes": "invalid-accepted",
    "marks what others made": "idempotency-scope",
    "mistakes are free": "rate-limit",
    "no allow": "allow-header",
    "no authentication": "credentials-ignored",
    "no defaults": "idempotency-replay",
    "no idempotency": "idempotency-replay",
    "no quantity": "response-schema",
    "no rate header": "rate-limit-headers",
    "no request id": "request-id",
    "nothing is a thing": "unknown-route",
    "numbers are texts": "coercion",
    "offset": "pagination",
    "old version": "moment",
    "oldest first": "order",
    "one hook": "capacity",
    "one method allowed": "allow-header",
    "one request id": "request-id",
    "one scope": "idempotency-scope",
    "one too many": "page-size",
    "one unmarked scope": "idempotency-scope",
    "only Latin": "valid-refused",
    "overflow": "server-error",
    "page of nothing": "page-size",
    "parcels of any order": "isolation",
    "price of one": "consistency",
    "quantity breaks": "server-error",
    "removed hooks count": "capacity",
    "replay is 200": "idempotency-replay",
    "requests left over": "rate-limit-headers",
    "reset keeps credit": "reset",
    "reset keeps orders": "reset",
    "reset keeps references": "reset",
    "reset leaves no credit": "reset",
    "reset of everybody": "reset",
    "reset removes hooks": "reset",
    "secret again": "shown-once",
    "shows everybody's": "isolation",
    "size is text": "response-schema",
    "skips": "pagination",
    "slashes": "unknown-route",
    "small pages": "page-size",
    "tells what is there": "isolation",
    "three hooks": "capacity",
    "time of another place": "moment",
    "two modes": "consistency",
    "undeclared type": "error-code",
    "unknown members": "invalid-accepted",
    "unlisted code": "error-code",
    "unmarked replay": "idempotency-replay",
    "usual page of all": "page-size",
    "wrong capacity code": "capacity",
    "wrong code": "error-code",
    "wrong status": "error-code",
    "wrong type": "error-code",
}
ANNA = next(iter(KEYS))
# Of the class of all requests, where it is to be used up.
LIMIT = 80
DELETE = "/paths/~1hooks~1{hook_id}/delete"


@cache
def contract() -> Contract:
    return Contract(load(DOCUMENT))


def run(bug: str = "", rule: str = "", **others: str) -> Run:
    """All scenarios, or those until a rule is found broken."""
    anna, bert, *_ = KEYS
    keys = {MAIN: anna, OTHER_TENANT: bert, **strangers(anna), **others}
    with (
        serving(shop_with(bug).app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), keys) as target,
    ):
        begun = begin(contract(), target, RunProfile.QUICK, 0)
        driver = Driver(contract(), target, "scenarios")
        for scenario in STEPS:
            found = {failure.rule for failure in begun.record.failures.values()}
            if isinstance(scenario, Scenario) and rule not in found:
                scenario(driver)
        return begun


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_found_by_its_rule(bug: str) -> None:
    found = {failure.rule for failure in run(bug, BUGS[bug]).record.failures.values()}
    assert BUGS[bug] in found


def test_a_reset_that_does_not_succeed_is_not_blamed_for_what_is_left() -> None:
    found = {failure.rule for failure in run("reset fails without credit").record.failures.values()}
    assert "server-error" in found
    assert "reset" not in found


class Late(Shop):
    """Charges for a request of an earlier step once it has been reset for the first time."""

    is_late = True

    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        answer = super().reset(request, partner, body)
        if self.is_late:
            self.is_late = False
            self.spent[partner] += 1
        return answer


def test_a_request_that_was_still_on_its_way_is_no_fault_of_a_reset() -> None:
    with (
        serving(Late().app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), {MAIN: ANNA}) as target,
    ):
        finish(Driver(contract(), target, "scenarios"))
    assert target.record.violations == []


class Busy(Shop):
    """Keeps the key of a request that names no item, but answers the first of them in general."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code: str | None = code
        self.kept: set[str] = set()

    def create_order(self, request: Request, partner: str, body: bytes) -> Response:
        value = json.loads(body)
        is_new = (partner, value["reference"]) not in self.replies
        if value["reference"] in self.kept:
            raise Refused("changed")
        if is_new and value["item_id"] not in [item["id"] for item in ITEMS]:
            code, self.code = self.code, None
            if code is not None:
                raise Refused(code)
            self.kept.add(value["reference"])
        return super().create_order(request, partner, body)


@pytest.mark.parametrize("code", ["slow_down", "bad_key"])
def test_only_a_refusal_of_the_request_itself_shows_that_keys_of_failures_are_kept(
    code: str,
) -> None:
    shop, keys = Busy(code), {MAIN: ANNA}
    with (
        serving(shop.app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), keys) as target,
    ):
        idempotency(Driver(contract(), target, "scenarios"))
    assert shop.code is None
    assert [failure.rule for failure in target.record.failures.values()] == ["idempotency-failure"]


@pytest.mark.parametrize(("bug", "rules"), [("", []), ("offset", ["pagination"])])
def test_what_comes_after_the_first_of_two_pages_moves_the_second(
    bug: str, rules: list[str]
) -> None:
    with (
        serving(shop_with(bug).app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), {MAIN: ANNA}) as target,
    ):
        driver = Driver(contract(), target, "scenarios")
        for _ in range(3):
            driver.first_success(contract().by_id["createOrder"])
        lists(driver)
    assert [failure.rule for failure in target.record.failures.values()] == rules


def test_requests_at_once_that_each_take_effect_are_found() -> None:
    rule = "idempotency-concurrent"
    assert rule in {
        failure.rule for failure in run("no idempotency", rule).record.failures.values()
    }


@pytest.mark.parametrize(("bug", "rules"), [("", set()), ("keys together", {"rate-limit-scope"})])
def test_a_limit_that_another_key_uses_up_is_found(bug: str, rules: set[str]) -> None:
    main, _, limited = KEYS
    with (
        serving(shop_with(bug).app()) as url,
        TargetServer(
            url, Credential.of(contract().document), Record(), {MAIN: main, LIMITED: limited}
        ) as target,
    ):
        begun = begin(contract(), target, RunProfile.QUICK, 0)
        driver = Driver(contract(), target, "scenarios")
        for scenario in (explore, windows):
            scenario(driver)
        assert {failure.rule for failure in begun.record.failures.values()} == rules


def test_a_limit_that_was_used_up_before_is_not_blamed() -> None:
    main, _, spent = KEYS
    shop = Shop()
    shop.asked[spent] = shop.requests
    with (
        serving(shop.app()) as url,
        TargetServer(
            url, Credential.of(contract().document), Record(), {MAIN: main, LIMITED: spent}
        ) as target,
    ):
        driver = Driver(contract(), target, "scenarios")
        for scenario in (explore, windows):
            scenario(driver)
    assert target.record.failures == {}
    assert [skip.reason for skip in target.record.skips if skip.rule == "rate-limit-scope"] == [
        "no response gives the remaining quota"
    ]


def written(place: Path, document: object) -> Contract:
    path = place / "shop.json"
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


@pytest.mark.parametrize(("bug", "rules"), [("", set()), ("keeps its place", {"capacity"})])
def test_the_only_place_that_there_is_can_be_used_again(
    tmp_path: Path, bug: str, rules: set[str]
) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    document["paths"]["/hooks"]["post"]["x-contract-capacity"]["limit"] = 1
    single, (main, *_) = written(tmp_path, document), KEYS
    with (
        serving(shop_with(bug, most=1).app()) as url,
        TargetServer(url, Credential.of(single.document), Record(), {MAIN: main}) as target,
    ):
        begun = begin(single, target, RunProfile.QUICK, 0)
        capacity(Driver(single, target, "scenarios"))
    assert {failure.rule for failure in begun.record.failures.values()} == rules


@pytest.mark.parametrize(
    ("served", "said"),
    [
        (LIMIT, None),
        (LIMIT + 1, "more than 80 requests of the class 'all' within 60 seconds were served"),
        (LIMIT + 1_000, "more than 80 requests of the class 'all' within 60 seconds were served"),
    ],
)
def test_a_limit_beyond_which_requests_are_served_is_found(
    tmp_path: Path, served: int, said: str | None
) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    document["x-contract-rate-limit"]["classes"]["all"]["limit"] = LIMIT
    limited, (main, _, spent) = written(tmp_path, document), KEYS
    with (
        serving(Shop(requests=served).app()) as url,
        TargetServer(
            url, Credential.of(limited.document), Record(), {MAIN: main, LIMITED: spent}
        ) as target,
    ):
        begun = begin(limited, target, RunProfile.QUICK, 0)
        driver = Driver(limited, target, "scenarios")
        for scenario in (explore, rate_limits):
            scenario(driver)
    assert [failure.text for failure in begun.record.failures.values()] == ([said] if said else [])
    assert "rate-limit" in begun.record.checked


class Stingy(Shop):
    """Refuses the last of the requests that it says are left."""

    def _left(self, request: Request) -> int:
        return super()._left(request) or -1


def test_a_limit_that_is_not_kept_to_the_last_request_is_found(tmp_path: Path) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    document["x-contract-rate-limit"]["classes"]["all"]["limit"] = LIMIT
    limited, (main, _, spent) = written(tmp_path, document), KEYS
    with (
        serving(Stingy(requests=LIMIT).app()) as url,
        TargetServer(
            url, Credential.of(limited.document), Record(), {MAIN: main, LIMITED: spent}
        ) as target,
    ):
        driver = Driver(limited, target, "scenarios")
        for scenario in (explore, rate_limits):
            scenario(driver)
    said = "fewer than 80 requests of the class 'all' within 60 seconds were served"
    assert [failure.text for failure in target.record.failures.values()] == [said]


@pytest.mark.parametrize(("index", "status"), [(0, 200), (-1, 401)])
def test_a_key_that_may_do_nothing_is_found_not_to_be_forbidden(index: int, status: int) -> None:
    key = [*KEYS, "test-key-of-nobody"][index]
    found = {failure.text for failure in run(**{SUSPENDED: key}).record.failures.values()}
    assert f"GET /orders: answered {status} to a key without permissions" in found


def test_a_right_implementation_is_not_blamed() -> None:
    done = run()
    assert [(failure.rule, failure.text) for failure in done.record.failures.values()] == []
    assert coverage.never_succeeded(contract(), done.record) == []
    items = coverage.coverage(contract(), done.record)
    unreached = [(item.kind, item.name) for item in items if not item.reached]
    assert ("operation", "POST /orders") not in unreached
    assert all(item.reason for item in items if not item.reached)


def test_every_rule_is_applied_or_it_is_said_why_not() -> None:
    record = run().record
    assert set(BUGS.values()) <= record.checked.keys()
    assert {(skip.rule, skip.reason) for skip in record.skips} == {
        ("pagination", "the list has only one page"),
        ("job-ends", "its response has no Location and no id of a job that an operation reads"),
        ("permission", "no key without permissions was given"),
        ("rate-limit", "no key with limits that may be used up was given"),
        ("rate-limit-scope", "no key with limits that may be used up was given"),
    }


def refused(exchange: Exchange) -> bool:
    return exchange.response is not None and not exchange.response.is_success


def code(done: Run, min_coverage: int) -> int:
    items = coverage.coverage(done.contract, done.record)
    report = run_report(done, Standards(), items)
    return exit_code(done, report, coverage.share(items), min_coverage, None)


def test_a_waiver_without_a_finding_is_unused_after_a_whole_run() -> None:
    done = run()
    waiver = Waiver("order", "*", "It is known.", Location("lint.toml", 1, 1))
    standards = Standards(Settings(waivers=(waiver,)))
    for stopped, is_reported in ((None, True), ("interrupted", False)):
        done.stopped = stopped
        rules = {finding.rule for finding in run_report(done, standards, ()).findings}
        assert ("waiver-unused" in rules) == is_reported
    done.stopped = None
    done.contract = copy(done.contract)
    done.contract.excluded = (next(iter(done.contract.operations.values())).site,)
    rules = {finding.rule for finding in run_report(done, standards, ()).findings}
    assert "waiver-unused" not in rules


def test_how_a_run_ends() -> None:
    done = run()
    share = coverage.share(coverage.coverage(done.contract, done.record))
    assert [code(done, least) for least in (0, share, share + 1)] == [0, 0, 3]
    done.record.exchanges = [
        exchange
        for exchange in done.record.exchanges
        if exchange.operation != DELETE or refused(exchange)
    ]
    assert DELETE in {exchange.operation for exchange in done.record.exchanges}
    assert code(done, 0) == 3
    done.record.violate(Violation("order", DELETE, "…"))
    assert code(done, 0) == 1
    done.stopped = "interrupted"
    assert code(done, 0) == 2
