"""A run finds what an implementation does wrong, and blames nothing that is right."""

from __future__ import annotations

from functools import cache

import pytest

from specwright.conformance import coverage
from specwright.conformance.contract import Contract
from specwright.conformance.record import Record
from specwright.conformance.run import (
    FIRST_SCENARIOS,
    LAST_SCENARIOS,
    LATE_SCENARIOS,
    Profile,
    Run,
    begin,
)
from specwright.conformance.target import (
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
    "another request id": "request-id",
    "any cursor": "cursor",
    "any key": "credentials-ignored",
    "any limit": "page-size",
    "any media type": "invalid-accepted",
    "any payload": "idempotency-changed",
    "any size": "invalid-accepted",
    "always a replay": "idempotency-replay",
    "asks nothing": "requires-one-of",
    "deletes nothing": "deleted-is-gone",
    "everything is there": "created-is-found",
    "failure keeps the key": "idempotency-failure",
    "filter forgets": "filter",
    "filter lets all through": "filter",
    "four is the most": "valid-refused",
    "html": "undeclared-media-type",
    "keeps its place": "capacity",
    "lists everybody's": "isolation",
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
    "quantity breaks": "server-error",
    "replay is 200": "idempotency-replay",
    "secret again": "shown-once",
    "shows everybody's": "isolation",
    "size is text": "response-schema",
    "skips": "pagination",
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


def run(bug: str = "", **others: str) -> Run:
    anna, bert = KEYS
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
            scenario(bench)
        return begun


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_found_by_its_rule(bug: str) -> None:
    found = {each.rule for each in run(bug).failures}
    assert BUGS[bug] in found


def test_a_key_that_may_do_nothing_is_found_to_do_something() -> None:
    anna, _ = KEYS
    found = {each.message for each in run(**{SUSPENDED: anna}).failures}
    assert "listOrders: answered 200 to a key that may do nothing" in found


def test_a_right_implementation_is_not_blamed() -> None:
    done = run()
    assert [(each.rule, each.message) for each in done.failures] == []
    assert coverage.never_succeeded(contract(), done.record) == []
    done.report()
    unreached = [(each.kind, each.name) for each in done.items if not each.reached]
    assert ("operation", "createOrder") not in unreached
    assert all(each.reason for each in done.items if not each.reached)
