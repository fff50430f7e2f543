"""A run finds what an implementation does wrong, and blames nothing that is right."""

from __future__ import annotations

from functools import cache

import pytest

from specwright.conformance import coverage
from specwright.conformance.contract import Contract
from specwright.conformance.evidence import failures
from specwright.conformance.record import Record
from specwright.conformance.run import (
    FIRST_SCENARIOS,
    LAST_SCENARIOS,
    LATE_SCENARIOS,
    Profile,
    Run,
    begin,
)
from specwright.conformance.scenarios.explore import explore
from specwright.conformance.scenarios.rate_limits import windows
from specwright.conformance.target import (
    LIMITED,
    MAIN,
    OTHER,
    STRANGER,
    SUSPENDED,
    Credential,
    Target,
    stranger,
)
from specwright.conformance.workbench import Workbench
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT, KEYS, Shop, serving

# What the shop does wrong -> the rule that says so.
BUGS = {
    "always a replay": "idempotency-replay",
    "another request id": "request-id",
    "any cursor": "cursor",
    "any key": "credentials-ignored",
    "any limit": "page-size",
    "any media type": "invalid-accepted",
    "any parcel": "isolation",
    "any parcel is called": "isolation",
    "any payload": "idempotency-changed",
    "any reference": "invalid-accepted",
    "any size": "invalid-accepted",
    "anybody removes hooks": "isolation",
    "asks nothing": "requires-one-of",
    "credit before": "conservation",
    "deletes nothing": "deleted-is-gone",
    "everybody's hooks": "isolation",
    "everything is there": "created-is-found",
    "failure keeps the key": "idempotency-failure",
    "filter by prefix": "filter",
    "filter forgets": "filter",
    "filter lets all through": "filter",
    "filter without case": "filter",
    "four is the most": "valid-refused",
    "free orders": "conservation",
    "html": "undeclared-media-type",
    "keeps its place": "capacity",
    "keeps the price": "conservation",
    "keys without case": "idempotency-scope",
    "last parameter": "invalid-accepted",
    "list differs": "list-agrees",
    "lists everybody's": "isolation",
    "long labels": "invalid-accepted",
    "long notes": "invalid-accepted",
    "no allow": "method-not-allowed",
    "no authentication": "credentials-ignored",
    "no defaults": "idempotency-replay",
    "no idempotency": "idempotency-replay",
    "no quantity": "response-schema",
    "no rate header": "rate-limit-headers",
    "no request id": "request-id",
    "numbers are texts": "invalid-accepted",
    "offset": "pagination",
    "oldest first": "order",
    "one hook": "capacity",
    "one request id": "request-id",
    "one scope": "idempotency-scope",
    "one too many": "page-size",
    "only Latin": "valid-refused",
    "overflow": "server-error",
    "parcels of any order": "isolation",
    "quantity breaks": "server-error",
    "removed hooks count": "capacity",
    "replay is 200": "idempotency-replay",
    "requests left over": "rate-limit-headers",
    "reset keeps credit": "reset",
    "reset keeps orders": "reset",
    "reset removes hooks": "reset",
    "secret again": "shown-once",
    "shows everybody's": "isolation",
    "size is text": "response-schema",
    "skips": "pagination",
    "tells what is there": "isolation",
    "three hooks": "capacity",
    "undeclared type": "error-code",
    "unknown members": "invalid-accepted",
    "unlisted code": "error-code",
    "unmarked replay": "idempotency-replay",
    "wrong capacity code": "capacity",
    "wrong code": "error-code",
    "wrong status": "error-code",
    "wrong type": "error-code",
}


@cache
def contract() -> Contract:
    return Contract(load(DOCUMENT))


def run(bug: str = "", rule: str = "", **others: str) -> Run:
    """All scenarios, or those until a rule is found broken."""
    anna, bert, *_ = KEYS
    keys = {MAIN: anna, OTHER: bert, STRANGER: stranger(anna), **others}
    with (
        serving(Shop(bug).app()) as url,
        Target(url, Credential.of(contract().document), Record(), keys) as target,
    ):
        begun = begin(contract(), target, Profile.QUICK, 0)
        bench = Workbench(contract(), target, "scenarios")
        for scenario in (
            *FIRST_SCENARIOS.values(),
            *LATE_SCENARIOS.values(),
            *LAST_SCENARIOS.values(),
        ):
            if rule not in {each.rule for each in failures(begun.record)}:
                scenario(bench)
        return begun


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_found_by_its_rule(bug: str) -> None:
    found = {each.rule for each in failures(run(bug, BUGS[bug]).record)}
    assert BUGS[bug] in found


@pytest.mark.parametrize(("bug", "rules"), [("", set()), ("keys together", {"rate-limit-scope"})])
def test_a_limit_that_another_key_uses_up_is_found(bug: str, rules: set[str]) -> None:
    main, _, limited = KEYS
    with (
        serving(Shop(bug).app()) as url,
        Target(
            url, Credential.of(contract().document), Record(), {MAIN: main, LIMITED: limited}
        ) as target,
    ):
        begun = begin(contract(), target, Profile.QUICK, 0)
        bench = Workbench(contract(), target, "scenarios")
        for scenario in (explore, windows):
            scenario(bench)
        assert {each.rule for each in failures(begun.record)} == rules


def test_a_key_that_may_do_nothing_is_found_to_do_something() -> None:
    anna, *_ = KEYS
    found = {each.message for each in failures(run(**{SUSPENDED: anna}).record)}
    assert "listOrders: answered 200 to a key that may do nothing" in found


def test_a_right_implementation_is_not_blamed() -> None:
    done = run()
    assert [(each.rule, each.message) for each in failures(done.record)] == []
    assert coverage.never_succeeded(contract(), done.record) == []
    done.report()
    unreached = [(each.kind, each.name) for each in done.items if not each.reached]
    assert ("operation", "createOrder") not in unreached
    assert all(each.reason for each in done.items if not each.reached)
