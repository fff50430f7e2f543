"""Declarations of the contract (`x-contract-*`): each member has a verdict."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specwright.compare.comparison import compare
from specwright.compare.verdicts.change_rule import ChangeRule
from specwright.compare.verdicts.declarations import (
    BEHAVIOUR_CHANGED,
    RULES_BY_SUBJECT,
    declaration_changes,
    part_changes,
)
from specwright.document.model import Document
from specwright.document.operations.sites import Site
from specwright.document.sources.load import load
from specwright.findings import Level
from specwright.pointer import resolve
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.computed import COMPUTED
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.reset import RESET
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.keywords.transition import TRANSITION
from specwright.vocabulary.keywords.webhook_endpoint import WEBHOOK_ENDPOINT
from specwright.vocabulary.policy import DEFAULT, Subject
from specwright.vocabulary.table import KEYWORDS

from .documents import TODAY


@pytest.fixture(scope="module")
def contract(root: Path) -> Document:
    return load(root / "spec" / "openapi.json")


def altered(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool) or value is None:
        return "other"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return f"{value}2"
    if isinstance(value, dict):
        return {name: altered(member) for name, member in value.items()}
    return [*value[:-1], altered(value[-1])]


def alterations(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The value with each of its members altered, by the way to that."""
    if not isinstance(value, dict):
        yield (), altered(value)
        return
    for name, member in value.items():
        for way, changed in alterations(member):
            yield (name, *way), {**value, name: changed}


# A name of a component, which is compared where it is used.
NAMES = {("x-contract-error", "schema")}
# Those of schemas are annotations.
DECLARATIONS = [
    pytest.param(keyword, place, way, changed, id=f"{place} {'/'.join((keyword.name, *way))}")
    for keyword in KEYWORDS
    for place in keyword.places
    if place not in (Place.SCHEMA, Place.PROPERTY)
    for way, changed in alterations(keyword.example)
    if (keyword.name, *way) not in NAMES
]


@pytest.mark.parametrize(("keyword", "place", "way", "changed"), DECLARATIONS)
def test_no_member_changes_in_silence(
    keyword: Keyword[Any], place: Place, way: tuple[str, ...], changed: Any
) -> None:
    base, revision = (Site("", {keyword.name: value}) for value in (keyword.example, changed))
    found = list(declaration_changes(base, revision, place))
    assert [change.revision.startswith(f"/{keyword.name}") for change in found] == [True]


# Whether adding a whole declaration breaks a promise, and whether removing it does; the last line
# is for those without policies of their own.
NEW_AND_GONE: dict[str, tuple[bool, bool]] = {
    "x-contract-body-limit": (True, False),
    "x-contract-capacity": (True, True),
    "x-contract-charge": (False, True),
    "x-contract-delivery": (True, True),
    "x-contract-error": (False, True),
    "x-contract-final": (False, True),
    "x-contract-pagination": (False, True),
    "document x-contract-rate-limit": (True, True),
    "operation x-contract-rate-limit": (True, False),
    "x-contract-requires-one-of": (True, True),
    "x-contract-reset": (False, True),
    "x-contract-signature": (True, True),
    "x-contract-transition": (True, True),
    "x-contract-trigger": (True, True),
    "x-contract-webhook-endpoint": (False, True),
    "": (False, True),
}


@pytest.mark.parametrize(
    "keyword",
    [each for each in KEYWORDS if set(each.places) - {Place.SCHEMA, Place.PROPERTY}],
    ids=lambda keyword: f"{keyword.places[0]} {keyword.name}",
)
def test_a_limit_breaks_when_it_is_new_and_a_service_when_it_is_gone(keyword: Keyword[Any]) -> None:
    place = keyword.places[0]
    is_usual = all(policy is DEFAULT for _, policy in keyword.policies())
    names = [""] if is_usual else [keyword.name, f"{place} {keyword.name}"]
    known = next((NEW_AND_GONE[name] for name in names if name in NEW_AND_GONE), None)
    assert known, f"NEW_AND_GONE lacks {keyword.name}, which has policies of its own"
    nothing, declared = Site("", {}), Site("", {keyword.name: keyword.example})
    sides = (nothing, declared), (declared, nothing)
    for (base, revision), breaks in zip(sides, known, strict=True):
        [found] = declaration_changes(base, revision, place)
        assert found.revision == f"/{keyword.name}"
        assert (found.rule != "declaration-compatible") is breaks


CODE = {"status": 400, "type": "invalid", "condition": "invalid_json"}
# Two values of a member, and the rule that the change from one to the other breaks.
PROMISES: list[tuple[Keyword[Any], str, Any, Any, str]] = [
    (ERROR, "codes", {"c": CODE}, {"c": {**CODE, "condition": "other"}}, "declaration-compatible"),
    (ERROR, "codes", {"c": CODE}, {"c": {**CODE, "status": 422}}, "error-code-changed"),
    (ERROR, "codes", {"c": CODE}, {"c": {**CODE, "type": "other"}}, "error-code-changed"),
    (DELIVERY, "retry_after_seconds", [60, 60], [60, 90], "declaration-compatible"),
    (DELIVERY, "retry_after_seconds", [60, 60], [60, 59], "delivery-weakened"),
    (DELIVERY, "retry_after_seconds", [60, 60], [600], "delivery-weakened"),
    (DELIVERY, "retry_after_seconds", [60, 60], [60, 60, 60], "declaration-compatible"),
    (CHARGE, "refund", {"scenario": "a", "within_seconds": 15}, None, "behaviour-changed"),
    (CHARGE, "refund", None, {"scenario": "a", "within_seconds": 15}, "declaration-compatible"),
    (TRANSITION, "moves", {"a": "b"}, {"a": "b", "c": None}, "declaration-compatible"),
    (TRANSITION, "moves", {"a": "b", "c": None}, {"a": "b"}, "behaviour-changed"),
    (TRANSITION, "moves", {"a": "b"}, {"a": "c"}, "behaviour-changed"),
    (TRANSITION, "moves", {"a": "b"}, {"a": None}, "behaviour-changed"),
    (TRANSITION, "moves", {"a": None}, {"a": "b"}, "declaration-compatible"),
    (RESET, "keeps", ["a"], ["b", "a"], "declaration-compatible"),
    (RESET, "keeps", ["a", "b"], ["a"], "behaviour-changed"),
    (RESET, "restores", [{"at": "/a"}], [{"at": "/b"}, {"at": "/a"}], "declaration-compatible"),
    (SIGNATURE, "tolerance_seconds", 300, 600, "declaration-compatible"),
    (SIGNATURE, "tolerance_seconds", 600, 300, "signature-changed"),
    (SIGNATURE, "header", "A", "B", "signature-changed"),
    (WEBHOOK_ENDPOINT, "test", None, "testHook", "declaration-compatible"),
    (WEBHOOK_ENDPOINT, "test", "testHook", None, "behaviour-changed"),
    (CAPACITY, "limit", 3, 2, "limit-lowered"),
    (CAPACITY, "limit", 3, 4, "declaration-compatible"),
    (CAPACITY, "code", "full", "too_many", "behaviour-changed"),
    (CAPACITY, "code", "full", None, "declaration-compatible"),
]


@pytest.mark.parametrize(("keyword", "member", "before", "after", "rule"), PROMISES)
def test_a_promise_is_kept_or_broken(
    keyword: Keyword[Any], member: str, before: Any, after: Any, rule: str
) -> None:
    sides = (Site("", {keyword.name: {member: value}}) for value in (before, after))
    found = {change.rule for change in declaration_changes(*sides, keyword.places[0])}
    assert found - {"declaration-compatible"} == {rule} - {"declaration-compatible"}
    assert found


@pytest.mark.parametrize(
    ("seconds", "rule"), [(10, "declaration-compatible"), (20, "behaviour-changed")]
)
def test_an_amount_is_given_back_sooner_or_later(seconds: int, rule: str) -> None:
    sides = (
        Site("", {CHARGE.name: {"refund": {"scenario": "a", "within_seconds": each}}})
        for each in (15, seconds)
    )
    [found] = declaration_changes(*sides, CHARGE.places[0])
    assert (found.rule, found.message) == (
        rule,
        f"x-contract-charge/refund/within_seconds 15 -> {seconds}",
    )


def test_the_schema_of_errors_is_compared_where_it_is_used() -> None:
    base, revision = ({"code": "/code", "schema": f"#/components/schemas/{n}"} for n in "AB")
    assert not list(part_changes(ERROR, base, revision))


@pytest.mark.parametrize(
    ("keyword", "before", "after"),
    [
        (ERROR, {"codes": {"gone": 3}}, {"codes": {"gone": {"status": 404}}}),
        (DELIVERY, {"retry_after_seconds": ["soon"]}, {"retry_after_seconds": ["late"]}),
        (CAPACITY, {"limit": "many"}, {"limit": 3}),
        (TRANSITION, {"moves": ["open"]}, {"moves": {"open": "paid"}}),
    ],
    ids=lambda value: value.name if isinstance(value, Keyword) else None,
)
def test_a_value_of_the_wrong_type_keeps_no_promise(
    keyword: Keyword[Any], before: Any, after: Any
) -> None:
    rules = {change.rule for change in part_changes(keyword, before, after)}
    assert rules
    assert rules <= set(RULES_BY_SUBJECT.values())


def test_every_kind_of_promise_has_a_rule() -> None:
    assert set(Subject) == RULES_BY_SUBJECT.keys()


# What the review says of a promise on a property that is added, and of one that is removed. Callers
# have to follow some, such as choosing an item of a list: new, they refuse calls.
PROPERTY_PROMISES = {
    "x-contract-sensitive": (Level.INFO, Level.ERROR),
    "x-contract-once": (Level.INFO, Level.ERROR),
    "x-contract-moment": (Level.INFO, Level.ERROR),
    "x-contract-mode": (Level.INFO, Level.ERROR),
    "x-contract-set-when": (Level.INFO, Level.ERROR),
    "x-contract-computed": (Level.INFO, Level.ERROR),
    "x-contract-chosen-from": (Level.ERROR, Level.INFO),
    "x-contract-required-when": (Level.ERROR, Level.INFO),
    "x-contract-invalid": (Level.ERROR, Level.ERROR),
}
PROMISING = """\
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
paths:
  /order:
    get:
      operationId: getOrder
      responses:
        '200':
          description: It is.
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
    put:
      operationId: putOrder
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
      responses: {'204': {description: It is.}}
components:
  schemas:
    Order:
      type: object
      properties: {note: {type: string%s}}
"""


def test_every_keyword_of_a_property_has_a_level() -> None:
    properties = {keyword.name for keyword in KEYWORDS if Place.PROPERTY in keyword.places}
    assert properties - {"x-extensible-enum"} == PROPERTY_PROMISES.keys()


@pytest.mark.parametrize("name", PROPERTY_PROMISES)
def test_an_added_promise_breaks_no_client_and_a_removed_one_does(
    name: str, tmp_path: Path
) -> None:
    [example] = (keyword.example for keyword in KEYWORDS if keyword.name == name)
    sides = []
    for side, text in (("without", ""), ("with", f", {name}: {json.dumps(example)}")):
        path = tmp_path / f"{side}.yaml"
        path.write_text(PROMISING % text)
        sides.append(load(path))
    without, promising = sides
    levels = tuple(
        {
            finding.level
            for finding in compare(*pair, today=TODAY).findings
            if name in finding.message
        }
        for pair in ((without, promising), (promising, without))
    )
    assert levels == tuple({level} for level in PROPERTY_PROMISES[name])


def test_a_condition_on_a_computed_value_promises_less() -> None:
    always = {"by": "count", "of": ["/items"]}
    sometimes = {**always, "when": {"at": "/status", "values": ["paid"]}}
    [change] = part_changes(COMPUTED, always, sometimes)
    assert change.rule is BEHAVIOUR_CHANGED


@pytest.mark.parametrize("keyword", KEYWORDS, ids=lambda keyword: keyword.name)
def test_a_declaration_that_is_gone_is_said(keyword: Keyword[Any], contract: Document) -> None:
    holder = next(holders(contract.data, keyword.name), None)
    if holder is None:
        pytest.skip("the contract has none")
    data = copy.deepcopy(contract.data)
    del resolve(data, holder)[keyword.name]
    found = compare(contract, contract.with_data(data), today=TODAY).findings
    assert any(keyword.name in finding.message for finding in found)


def holders(value: Any, name: str, pointer: str = "") -> Iterator[str]:
    """The places of objects that have a member of this name."""
    if isinstance(value, dict):
        if name in value:
            yield pointer
        for key, each in value.items():
            yield from holders(each, name, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from holders(each, name, f"{pointer}/{index}")


@pytest.mark.parametrize(
    ("member", "value", "other"),
    [
        ("offset", "skip", "start"),
        ("page", "page", "number"),
        ("total", "/total", "/count"),
        ("pages", "/pages", "/count"),
        ("next_url", "/next", "/links/next"),
        ("link", True, False),
        ("first_page", 0, 1),
    ],
)
def test_what_leads_to_the_next_page_stays(member: str, value: Any, other: Any) -> None:
    def rules(before: Any, after: Any) -> list[ChangeRule]:
        sides = ({member: each} if each is not None else {} for each in (before, after))
        base, revision = (Site("", {"x-contract-pagination": side}) for side in sides)
        return [change.rule for change in declaration_changes(base, revision, Place.OPERATION)]

    assert rules(value, other) == [BEHAVIOUR_CHANGED]
    assert rules(value, None) == [BEHAVIOUR_CHANGED]
    assert rules(value, value) == []


# Members of declarations, by their way in the document, with whether the change breaks a promise.
EDITS: list[tuple[str, Any, bool]] = [
    ("/x-contract-body-limit/max_bytes", 1, True),
    ("/x-contract-body-limit/max_bytes", 10**9, False),
    ("/x-contract-rate-limit/classes/read/limit", 1, True),
    ("/x-contract-rate-limit/classes/read/limit", 10**6, False),
    ("/x-contract-rate-limit/classes/read/window_seconds", 10**6, True),
    ("/x-contract-rate-limit/classes/read/window_seconds", 1, False),
    ("/x-contract-error/codes/rate_limited/status", 503, True),
    ("/x-contract-error/codes/rate_limited", None, True),
    ("/x-contract-error/codes/new_code", {"status": 400, "type": "invalid_request_error"}, False),
    ("/paths/~1orders/post/x-contract-idempotency/key", "/other", True),
    ("/paths/~1orders/post/x-contract-idempotency/scope", ["key"], True),
    ("/paths/~1orders/post/x-contract-idempotency", None, True),
    ("/paths/~1orders/get/x-contract-order/direction", "other", True),
    ("/paths/~1orders/get/x-contract-pagination/items", "/items", True),
    ("/paths/~1orders/get/x-contract-pagination", None, True),
    ("/paths/~1orders/get/x-contract-pagination/resume", True, False),
    ("/paths/~1events/get/x-contract-pagination/resume", None, True),
    ("/paths/~1events/get/x-contract-pagination/interval_seconds", 6, True),
    ("/paths/~1events/get/x-contract-pagination/interval_seconds", 4, False),
    ("/paths/~1events/get/x-contract-pagination/interval_seconds", None, False),
    ("/paths/~1orders/get/x-contract-pagination/interval_seconds", 6, False),
    ("/paths/~1events/get/x-contract-pagination/expired", "invalid_cursor", True),
    ("/paths/~1events/get/x-contract-pagination/expired", None, False),
    ("/paths/~1orders/get/x-contract-pagination/offset", "skip", False),
    ("/paths/~1orders/get/x-contract-pagination/page", "page", False),
    ("/paths/~1orders/get/x-contract-pagination/first_page", 0, True),
    ("/paths/~1orders/get/x-contract-pagination/first_page", 1, False),
    ("/paths/~1orders/get/x-contract-pagination/total", "/total", False),
    ("/paths/~1orders/get/x-contract-pagination/link", True, False),
    ("/paths/~1orders~1{order_id}/get/x-contract-final", None, True),
    ("/paths/~1orders~1{order_id}/get/x-contract-final/at", "/reference", True),
    ("/paths/~1orders~1{order_id}/get/x-contract-final/states", ["completed"], True),
    ("/paths/~1orders~1{order_id}/get/x-contract-final/interval_seconds", 2, True),
    (
        "/paths/~1esims~1{iccid}/get/x-contract-final",
        {"at": "/status", "states": ["expired"], "interval_seconds": 9},
        False,
    ),
    ("/paths/~1webhook-endpoints/post/x-contract-capacity/limit", 1, True),
    ("/paths/~1webhook-endpoints/post/x-contract-capacity/limit", 50, False),
    ("/webhooks/order.completed/post/x-contract-delivery/retry_after_seconds", [60], True),
    ("/webhooks/order.completed/post/x-contract-delivery/timeout_seconds", 60, False),
    ("/webhooks/order.completed/post/x-contract-signature/tolerance_seconds", 299, True),
    ("/webhooks/order.completed/post/x-contract-signature/tolerance_seconds", 600, False),
    ("/webhooks/order.completed/post/x-contract-signature/template", "{timestamp}.{digest}", True),
    ("/webhooks/order.completed/post/x-contract-trigger", None, True),
    ("/webhooks/order.completed/post/x-contract-trigger/within_seconds", 10**6, True),
    ("/webhooks/order.completed/post/x-contract-trigger/within_seconds", 1, False),
    ("/paths/~1orders/post/x-contract-charge/amount", "/other", True),
    ("/paths/~1webhook-endpoints/post/x-contract-webhook-endpoint/url", "/other", True),
    (
        "/components/schemas/WebhookEndpointCreated/properties/signing_secret/x-contract-once",
        None,
        True,
    ),
]


@pytest.mark.parametrize(("pointer", "value", "breaks"), EDITS)
def test_a_declaration_that_promises_less_breaks(
    contract: Document, pointer: str, value: Any, breaks: bool
) -> None:
    data = copy.deepcopy(contract.data)
    parent, _, name = pointer.rpartition("/")
    holder = resolve(data, parent)
    if value is None:
        del holder[name]
    else:
        holder[name] = value
    found = compare(contract, contract.with_data(data), today=TODAY).findings
    assert any(finding.level is Level.ERROR for finding in found) is breaks, found
    assert [each for each in found if not each.rule.startswith("version-")]
