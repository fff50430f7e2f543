"""The x-contract vocabulary: the places, shapes and references of its keywords."""

from typing import Any

import jsonschema_rs
import pytest

from specwright.text import Text
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.error import Condition, ErrorCodeContract
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.filter import Match
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
ALL = pytest.mark.parametrize(
    "each", KEYWORDS, ids=lambda each: f"{each.name} of a {each.places[0]}"
)
# Values that a key refuses, beyond members that are absent, unknown, or of another type.
WRONG: list[tuple[str, Place, Any]] = [
    ("x-contract-error", Place.DOCUMENT, {"codes": {}}),
    ("x-contract-error", Place.DOCUMENT, {"schema": "#/components/responses/Problem"}),
    ("x-contract-rate-limit", Place.OPERATION, {"class": ""}),
    ("x-contract-body-limit", Place.DOCUMENT, {"max_bytes": 0}),
    ("x-contract-idempotency", Place.OPERATION, {"key": "token"}),
    ("x-contract-idempotency", Place.OPERATION, {"scope": []}),
    ("x-contract-idempotency", Place.OPERATION, {"scope": ["a", "a"]}),
    ("x-contract-order", Place.OPERATION, {"direction": "up"}),
    ("x-contract-requires-one-of", Place.OPERATION, {"parameters": ["a"]}),
    ("x-contract-requires-one-of", Place.OPERATION, {"parameters": ["a", "a"]}),
    ("x-contract-capacity", Place.OPERATION, {"limit": 0}),
    ("x-contract-capacity", Place.OPERATION, {"status": 600}),
    ("x-contract-signature", Place.WEBHOOK, {"template": "{timestamp}"}),
    ("x-contract-signature", Place.WEBHOOK, {"template": "{digest}"}),
    ("x-contract-signature", Place.WEBHOOK, {"payload": "{timestamp}"}),
    ("x-contract-signature", Place.WEBHOOK, {"algorithm": "hmac-md5"}),
    ("x-contract-delivery", Place.WEBHOOK, {"success": "ok"}),
    ("x-contract-delivery", Place.WEBHOOK, {"retry_after_seconds": [0]}),
    ("x-contract-delivery", Place.WEBHOOK, {"event_id": "id"}),
    ("x-contract-webhook-endpoint", Place.OPERATION, {"url": "url"}),
    ("x-contract-webhook-endpoint", Place.OPERATION, {"remove": ""}),
    ("x-contract-filter", Place.PARAMETER, {"match": "like"}),
    ("x-contract-pagination", Place.OPERATION, {"interval_seconds": 0}),
    ("x-contract-pagination", Place.OPERATION, {"expired": ""}),
    ("x-contract-final", Place.OPERATION, {"at": "status"}),
    ("x-contract-final", Place.OPERATION, {"states": []}),
    ("x-contract-final", Place.OPERATION, {"states": ["paid", "paid"]}),
    ("x-contract-final", Place.OPERATION, {"interval_seconds": 0}),
]


def declared(name: str, place: Place) -> Keyword[Any]:
    found = keyword(name, place)
    assert found is not None
    return found


@ALL
def test_the_example_of_a_key_has_its_shape(each: Keyword[Any]) -> None:
    assert jsonschema_rs.is_valid(each.schema(), each.example)
    assert each.read({each.name: each.example}) is not None


@ALL
def test_a_key_refuses_what_has_another_shape(each: Keyword[Any]) -> None:
    schema = each.schema()
    for other in (None, False, 0, "text", {"text": 1}):
        assert not jsonschema_rs.is_valid(schema, other)
    if isinstance(each.example, dict):
        assert not jsonschema_rs.is_valid(schema, {**each.example, "more": "text"})
        alternatives = {name for way in schema.get("oneOf", ()) for name in way["required"]}
        needed = {*schema["required"], *alternatives & each.example.keys()}
        for name in each.example:
            rest = {key: value for key, value in each.example.items() if key != name}
            assert jsonschema_rs.is_valid(schema, rest) is (name not in needed)
            assert not jsonschema_rs.is_valid(schema, {**each.example, name: 0.5})


@pytest.mark.parametrize(("name", "place", "members"), WRONG)
def test_a_key_refuses_a_value_out_of_its_limits(name: str, place: Place, members: Any) -> None:
    found = declared(name, place)
    assert not jsonschema_rs.is_valid(found.schema(), {**found.example, **members})


@pytest.mark.parametrize(
    ("values", "is_right"), [(["a", 1], True), ([], False), (["a"] * 2, False)]
)
def test_an_open_enumeration_knows_some_values_each_once(values: object, is_right: bool) -> None:
    assert jsonschema_rs.is_valid(EXTENSIBLE_ENUM.schema(), values) is is_right


@ALL
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


REFERENCES = {
    ("x-contract-error", "document"): ["/schema", "/code", "/message", "/request_id_header"],
    ("x-contract-rate-limit", "operation"): ["/class"],
    ("x-contract-order", "operation"): ["/by"],
    ("x-contract-requires-one-of", "operation"): ["/parameters/0", "/parameters/1", "/code"],
    ("x-contract-capacity", "operation"): ["/status", "/code", "/release"],
    ("x-contract-signature", "webhook"): ["/header"],
    ("x-contract-delivery", "webhook"): ["/success", "/event_id_header", "/event_type_header"],
    ("x-contract-filter", "parameter"): ["/property"],
    ("x-contract-invalid", "property"): ["/code"],
    ("x-contract-final", "operation"): ["/at"],
}


@pytest.mark.parametrize(("name", "place"), REFERENCES)
def test_members_that_name_something_are_references(name: str, place: Place) -> None:
    found = declared(name, place)
    assert [reference.at for reference in found.references(found.example)] == REFERENCES[
        name, place
    ]


def test_members_that_are_null_or_absent_refer_to_nothing() -> None:
    pagination = declared("x-contract-pagination", Place.OPERATION)
    found = [reference.at for reference in pagination.references(PAGINATION)]
    assert found == ["/cursor", "/items", "/next", "/id"]
    expired = pagination.references({**PAGINATION, "expired": "too_old"})
    assert expired[-1] == Reference(Target.ERROR_CODE, "too_old", "/expired")
    trigger = declared("x-contract-trigger", Place.WEBHOOK)
    assert [reference.at for reference in trigger.references(trigger.example)] == ["/operation"]


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
        here = [known for known in KEYWORDS if place in known.places]
        return declarations({known.name: known.example for known in here}, place)

    document = at(Place.DOCUMENT)
    assert document["error"].request_id is None
    assert document["error"].codes == {
        Text("bad_json"): ErrorCodeContract(
            status=400, type=Text("invalid"), condition=Condition.INVALID_JSON
        )
    }
    assert list(document["rate_limit"].classes) == [Text("read")]
    assert document["rate_limit"].headers == RateLimitHeaders(retry=Text("Retry-After"))
    operation = at(Place.OPERATION)
    assert operation["rate_limit"].class_ == Text("read")
    assert operation["idempotency"].replay.header == Text("Replayed")
    assert operation["pagination"].cursor == Text("cursor")
    assert operation["pagination"].more is None
    assert operation["pagination"].resume is False
    assert at(Place.WEBHOOK)["delivery"].retry_after_seconds == (60, 300)
    assert at(Place.PARAMETER)["filter"].match is Match.EQUALS
    assert EXTENSIBLE_ENUM.read({EXTENSIBLE_ENUM.name: ["a", 1]}) == (Text("a"), 1)


def test_headers_that_are_not_declared_are_none() -> None:
    read = RATE_LIMITS.read({RATE_LIMITS.name: {"classes": {}}})
    assert read is not None
    assert read.headers == RateLimitHeaders(policy=None, state=None, retry=None)


@pytest.mark.parametrize("place", Place)
def test_what_declares_nothing_has_no_contract(place: Place) -> None:
    names = {known.attribute for known in KEYWORDS if place in known.places}
    assert declarations({}, place) == dict.fromkeys(names)
