"""The x-contract vocabulary: what stands where, which shapes it has, what it refers to."""

from typing import Any

import jsonschema_rs
import pytest

from specwright.text import Text
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.error import ErrorCode
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.filter import FILTER, Match
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.rate_limit import RATE_LIMITS, RateLimitHeaders
from specwright.vocabulary.reference import Reference, Target
from specwright.vocabulary.table import KEYWORDS, declarations, keyword, places

SAFE: dict[str, Any] = {
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
    ("x-contract-idempotency", Place.OPERATION, SAFE, {**SAFE, "key": "token"}),
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


def declared(name: str, place: Place) -> Keyword[Any]:
    found = keyword(name, place)
    assert found is not None
    return found


def test_the_shapes_below_are_all_there_are() -> None:
    assert {(name, place) for name, place, _, _ in SHAPES} == {
        (each.name, place) for each in KEYWORDS for place in each.places
    }


@pytest.mark.parametrize(("name", "place", "right", "wrong"), SHAPES, ids=NAMES)
def test_a_key_has_one_shape(name: str, place: Place, right: Any, wrong: Any) -> None:
    schema = declared(name, place).schema()
    assert jsonschema_rs.is_valid(schema, right)
    assert not jsonschema_rs.is_valid(schema, wrong)


@pytest.mark.parametrize("each", KEYWORDS, ids=lambda each: each.attribute)
def test_every_member_says_what_it_means(each: Keyword[Any]) -> None:
    def described(schema: Any) -> None:
        assert schema["description"].endswith("."), schema
        members = [*schema.get("properties", {}).values(), schema.get("additionalProperties")]
        for member in members:
            if member:
                described(member)

    described(each.schema())


@pytest.mark.parametrize(
    ("member", "value", "is_right"),
    [
        ("cursor", None, True),
        ("cursor", "", False),
        ("items", None, False),
        ("more", "/a~2", False),
        ("resume", None, False),
    ],
)
def test_null_stands_only_where_nothing_is_a_choice(
    member: str, value: object, is_right: bool
) -> None:
    schema = declared("x-contract-pagination", Place.OPERATION).schema()
    assert jsonschema_rs.is_valid(schema, {**PAGINATION, member: value}) is is_right


@pytest.mark.parametrize("header", ["policy", "state", "retry"])
def test_a_header_that_there_is_not_is_absent_and_never_null(header: str) -> None:
    limits = {"slow": {"limit": 1, "window_seconds": 1, "scope": "address"}}
    schema = RATE_LIMITS.schema()
    assert jsonschema_rs.is_valid(schema, {"classes": limits, "headers": {}})
    assert not jsonschema_rs.is_valid(schema, {"classes": limits, "headers": {header: None}})


def test_what_has_a_name_of_its_own_is_not_called_nothing() -> None:
    limit = {"limit": 1, "window_seconds": 1, "scope": "address"}
    assert jsonschema_rs.is_valid(RATE_LIMITS.schema(), {"classes": {"slow": limit}})
    assert not jsonschema_rs.is_valid(RATE_LIMITS.schema(), {"classes": {"": limit}})
    assert not jsonschema_rs.is_valid(RATE_LIMITS.schema(), {"classes": {}})


def test_a_condition_is_a_word_or_absent() -> None:
    codes = declared("x-contract-error", Place.DOCUMENT).schema()["properties"]["codes"]
    schema = codes["additionalProperties"]
    assert jsonschema_rs.is_valid(schema, {"status": 400, "type": "a"})
    assert not jsonschema_rs.is_valid(schema, {"status": 400, "type": "a", "condition": None})
    assert not jsonschema_rs.is_valid(schema, {"status": 99, "type": "a"})


def test_a_key_stands_only_where_the_table_says() -> None:
    assert places("x-contract-rate-limit") == (Place.DOCUMENT, Place.OPERATION)
    assert places("x-contract-idempotencyy") == ()
    assert keyword("x-contract-signature", Place.OPERATION) is None


def test_a_declaration_tells_what_it_refers_to() -> None:
    assert IDEMPOTENCY.references(SAFE) == (
        Reference(Target.REQUEST_BODY, "/token", "/key"),
        Reference(Target.RESPONSE_STATUS, "200", "/replay/status"),
        Reference(Target.RESPONSE_HEADER, "Replayed", "/replay/header", 200),
        Reference(Target.RESPONSE_STATUS, "409", "/in_progress/status"),
        Reference(Target.ERROR_CODE, "busy", "/in_progress/code", 409),
        Reference(Target.RESPONSE_STATUS, "422", "/changed/status"),
        Reference(Target.ERROR_CODE, "changed", "/changed/code", 422),
    )


# All members that are references, by key and place; each must be looked up by lint.
REFERENCES = {
    ("x-contract-error", "document"): ["/schema", "/code", "/message"],
    ("x-contract-rate-limit", "operation"): ["/class"],
    ("x-contract-pagination", "operation"): ["/cursor", "/items", "/next", "/id"],
    ("x-contract-order", "operation"): ["/by"],
    ("x-contract-requires-one-of", "operation"): ["/parameters/0", "/parameters/1", "/code"],
    ("x-contract-capacity", "operation"): ["/status", "/code"],
    ("x-contract-signature", "webhook"): ["/header"],
    ("x-contract-delivery", "webhook"): ["/success", "/event_id_header", "/event_type_header"],
    ("x-contract-trigger", "webhook"): ["/operation"],
    ("x-contract-filter", "parameter"): ["/property"],
    ("x-contract-invalid", "property"): ["/code"],
}


@pytest.mark.parametrize(("name", "place", "right", "wrong"), SHAPES, ids=NAMES)
def test_members_that_are_null_or_absent_refer_to_nothing(
    name: str, place: Place, right: Any, wrong: Any
) -> None:
    if name != IDEMPOTENCY.name:
        found = [each.at for each in declared(name, place).references(right)]
        assert found == REFERENCES.get((name, place), [])


def test_headers_of_rate_limits_are_references() -> None:
    headers = {"policy": "A", "retry": "B"}
    assert RATE_LIMITS.references({"classes": {}, "headers": headers}) == (
        Reference(Target.RESPONSE_HEADER, "A", "/headers/policy"),
        Reference(Target.RESPONSE_HEADER, "B", "/headers/retry"),
    )


def test_a_scenario_is_an_example_of_the_operation_that_triggers() -> None:
    trigger = {"operation": "pay", "scenario": "too_much", "within_seconds": 1}
    assert declared("x-contract-trigger", Place.WEBHOOK).references(trigger) == (
        Reference(Target.OPERATION, "pay", "/operation"),
        Reference(Target.REQUEST_EXAMPLE, "too_much", "/scenario", operation="pay"),
    )


def test_declarations_become_objects() -> None:
    def at(place: Place) -> Any:
        holder = {name: right for name, where, right, _ in SHAPES if where is place}
        return declarations(holder, place)

    document = at(Place.DOCUMENT)
    assert document["error"].request_id is None
    assert document["error"].codes == {
        Text("gone"): ErrorCode(status=404, type=Text("missing"), condition=None)
    }
    assert list(document["rate_limit"].classes) == [Text("slow")]
    assert document["rate_limit"].headers == RateLimitHeaders()
    operation = at(Place.OPERATION)
    assert operation["rate_limit"].class_ == Text("slow")
    assert operation["idempotency"].replay.header == Text("Replayed")
    assert operation["pagination"].cursor == Text("after")
    assert operation["pagination"].limit is None
    assert operation["pagination"].resume is False
    assert at(Place.WEBHOOK)["delivery"].retry_after_seconds == ()
    assert FILTER.read({FILTER.name: {"property": "/a", "match": "equals"}}).match is Match.EQUALS
    assert EXTENSIBLE_ENUM.read({EXTENSIBLE_ENUM.name: ["a", 1]}) == (Text("a"), 1)


@pytest.mark.parametrize("place", Place)
def test_what_declares_nothing_has_no_contract(place: Place) -> None:
    names = {each.attribute for each in KEYWORDS if place in each.places}
    assert declarations({}, place) == dict.fromkeys(names)
