"""The x-contract vocabulary: what stands where, which shapes it has, what it refers to."""

from typing import Any

import jsonschema_rs
import pytest

from specwright.document.contract import (
    Condition,
    code_when_invalid,
    document_contract,
    is_shown_once,
    known_values,
    operation_contract,
    parameter_filter,
    webhook_contract,
)
from specwright.document.vocabulary import (
    KEYWORDS,
    Keyword,
    Place,
    Reference,
    Target,
    keyword,
    places,
    references,
    schema_for,
)

IDEMPOTENCY: dict[str, Any] = {
    "key": "/token",
    "replay": {"status": 200, "header": "Replayed", "value": "yes"},
    "in_progress": {"status": 409, "code": "busy"},
    "changed": {"status": 422, "code": "changed"},
    "scope": ["account"],
}
PAGINATION: dict[str, Any] = {
    "cursor": "after",
    "limit": None,
    "items": "/items",
    "next": "/page/next",
    "more": None,
    "id": "/id",
}
# A key, where it stands, a value that it takes and one that it refuses.
SHAPES: list[tuple[str, Place, Any, Any]] = [
    (
        "x-contract-error",
        Place.DOCUMENT,
        {
            "schema": "#/components/schemas/Problem",
            "code": "/code",
            "message": "/text",
            "codes": {"gone": {"status": 404, "type": "missing"}},
        },
        {"schema": "#/components/schemas/Problem", "code": "/code", "message": "/text"},
    ),
    (
        "x-contract-rate-limit",
        Place.DOCUMENT,
        {"classes": {"slow": {"limit": 1, "window_seconds": 1, "scope": "address"}}},
        {"slow": {"limit": 1, "window_seconds": 1, "scope": "address"}},
    ),
    ("x-contract-rate-limit", Place.OPERATION, {"class": "slow"}, {"class": ""}),
    ("x-contract-body-limit", Place.DOCUMENT, {"max_bytes": 1}, {"max_bytes": 0}),
    ("x-contract-idempotency", Place.OPERATION, IDEMPOTENCY, {**IDEMPOTENCY, "key": "token"}),
    ("x-contract-pagination", Place.OPERATION, PAGINATION, {**PAGINATION, "offset": "skip"}),
    (
        "x-contract-order",
        Place.OPERATION,
        {"by": "/made", "direction": "ascending"},
        {"by": "/made", "direction": "up"},
    ),
    (
        "x-contract-requires-one-of",
        Place.OPERATION,
        {"parameters": ["a", "b"], "code": "none"},
        {"parameters": ["a"], "code": "none"},
    ),
    (
        "x-contract-capacity",
        Place.OPERATION,
        {"limit": 1, "scope": "account", "status": 409, "code": "full", "release": None},
        {"limit": 0, "scope": "account", "status": 409, "code": "full", "release": None},
    ),
    (
        "x-contract-signature",
        Place.WEBHOOK,
        {
            "header": "Sig",
            "template": "{timestamp}:{digest}",
            "payload": "{timestamp}{body}",
            "algorithm": "hmac-sha256",
            "encoding": "hex",
            "tolerance_seconds": 60,
            "secret": "text",
        },
        {
            "header": "Sig",
            "template": "{timestamp}",
            "payload": "{timestamp}{body}",
            "algorithm": "hmac-sha256",
            "encoding": "hex",
            "tolerance_seconds": 60,
            "secret": "text",
        },
    ),
    (
        "x-contract-delivery",
        Place.WEBHOOK,
        {
            "retry_after_seconds": [],
            "success": "2XX",
            "connect_timeout_seconds": 1,
            "timeout_seconds": 1,
            "event_id_header": "Id",
            "event_type_header": "Type",
        },
        {
            "retry_after_seconds": [],
            "success": "ok",
            "connect_timeout_seconds": 1,
            "timeout_seconds": 1,
            "event_id_header": "Id",
            "event_type_header": "Type",
        },
    ),
    (
        "x-contract-trigger",
        Place.WEBHOOK,
        {"operation": "pay", "scenario": None, "within_seconds": 1},
        {"operation": "pay", "within_seconds": 1},
    ),
    (
        "x-contract-filter",
        Place.PARAMETER,
        {"property": "/kind", "match": "equals"},
        {"property": "/kind", "match": "like"},
    ),
    ("x-contract-once", Place.PROPERTY, True, False),
    ("x-contract-invalid", Place.PROPERTY, {"code": "bad_url"}, "bad_url"),
    ("x-extensible-enum", Place.SCHEMA, ["a", "b"], ["a", "a"]),
    ("x-extensible-enum", Place.PROPERTY, ["a"], []),
]
NAMES = [f"{name} of a {place}" for name, place, _, _ in SHAPES]


def declared(name: str, place: Place) -> Keyword:
    found = keyword(name, place)
    assert found is not None
    return found


def test_the_shapes_below_are_all_there_are() -> None:
    assert {(name, place) for name, place, _, _ in SHAPES} == {
        (each.name, each.place) for each in KEYWORDS
    }


@pytest.mark.parametrize(("name", "place", "right", "wrong"), SHAPES, ids=NAMES)
def test_a_key_has_one_shape(name: str, place: Place, right: Any, wrong: Any) -> None:
    schema = schema_for(declared(name, place))
    assert jsonschema_rs.is_valid(schema, right)
    assert not jsonschema_rs.is_valid(schema, wrong)


def test_a_key_stands_only_where_the_table_says() -> None:
    assert places("x-contract-rate-limit") == (Place.DOCUMENT, Place.OPERATION)
    assert places("x-contract-idempotencyy") == ()
    assert keyword("x-contract-signature", Place.OPERATION) is None


def test_a_declaration_tells_what_it_refers_to() -> None:
    found = references(declared("x-contract-idempotency", Place.OPERATION), IDEMPOTENCY)
    assert found == (
        Reference(Target.REQUEST_BODY, "/token", "/key"),
        Reference(Target.RESPONSE_STATUS, "200", "/replay/status"),
        Reference(Target.RESPONSE_HEADER, "Replayed", "/replay/header", 200),
        Reference(Target.RESPONSE_STATUS, "409", "/in_progress/status"),
        Reference(Target.ERROR_CODE, "busy", "/in_progress/code", 409),
        Reference(Target.RESPONSE_STATUS, "422", "/changed/status"),
        Reference(Target.ERROR_CODE, "changed", "/changed/code", 422),
    )


def test_members_that_are_null_or_absent_refer_to_nothing() -> None:
    found = references(declared("x-contract-pagination", Place.OPERATION), PAGINATION)
    assert [each.at for each in found] == ["/cursor", "/items", "/next", "/id"]


def test_a_scenario_is_an_example_of_the_operation_that_triggers() -> None:
    trigger = {"operation": "pay", "scenario": "too_much", "within_seconds": 1}
    assert references(declared("x-contract-trigger", Place.WEBHOOK), trigger) == (
        Reference(Target.OPERATION, "pay", "/operation"),
        Reference(Target.REQUEST_EXAMPLE, "too_much", "/scenario", operation="pay"),
    )


def test_declarations_become_objects() -> None:
    values = {(name, place): right for name, place, right, _ in SHAPES}
    at_document = {name: value for (name, place), value in values.items() if place == "document"}
    document = document_contract(at_document)
    assert document.error is not None
    assert document.error.request_id is None
    assert [(each.code, each.status) for each in document.error.codes] == [("gone", 404)]
    assert document.error.code_for(Condition.INVALID_JSON) is None
    assert document.rate_limits is not None
    assert document.rate_limits.named("slow") == document.rate_limits.classes[0]
    assert document.rate_limits.named("fast") is None
    assert document.rate_limits.retry_header is None
    operation = operation_contract(
        {name: value for (name, place), value in values.items() if place == "operation"}
    )
    assert operation.rate_limit == "slow"
    assert operation.idempotency is not None
    assert operation.idempotency.replay.header == "Replayed"
    assert operation.pagination is not None
    assert operation.pagination.resume is False
    webhook = webhook_contract(
        {name: value for (name, place), value in values.items() if place == "webhook"}
    )
    assert webhook.delivery is not None
    assert webhook.delivery.retry_after_seconds == ()


def test_what_declares_nothing_has_no_contract() -> None:
    assert document_contract({}).error is None
    assert operation_contract({}).pagination is None
    assert webhook_contract({}).signature is None
    assert parameter_filter({}) is None
    assert known_values({}) is None
    assert code_when_invalid({}) is None
    assert not is_shown_once({})
