"""The declarations of a contract are available to programs that import the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref

CODES = {code: {"status": 409, "type": "conflict"} for code in ("full", "busy", "changed")}
ERROR = {
    "schema": "#/components/schemas/Error",
    "code": "/code",
    "message": "/message",
    "request_id_header": "X-Request",
    "codes": CODES,
}
LIMITS = {
    "classes": {
        "slow": {"limit": 5, "window_seconds": 60, "scope": "key"},
        "fast": {"limit": 50, "window_seconds": 1, "scope": "key"},
    }
}
CAPACITY = {"limit": 4, "scope": "account", "status": 409, "code": "full", "release": None}
IDEMPOTENCY = {
    "key": "/id",
    "replay": {"status": 200, "header": "X-Again", "value": "yes"},
    "in_progress": {"status": 409, "code": "busy"},
    "changed": {"status": 409, "code": "changed"},
    "scope": ["account"],
}


def api() -> Json:
    keep, place = (
        operation(
            ref("Thing"),
            operationId=name,
            requestBody={"required": True, **content(ref("Thing"))},
            **declared,
        )
        for name, declared in (
            ("keepThing", {"x-contract-capacity": CAPACITY}),
            ("placeThing", {"x-contract-idempotency": IDEMPOTENCY}),
        )
    )
    header = {"schema": {"type": "string"}}
    for each in (keep, place):
        each["responses"]["200"]["headers"] = {"X-Again": header, "X-Request": header}
        each["responses"]["409"] = {"description": "No.", **content(ref("Error"))}
    texts = {name: {"type": "string"} for name in ("code", "message")}
    return document(
        {"/kept": {"post": keep}, "/placed": {"post": place}},
        {"Thing": THING, "Error": {"type": "object", "properties": texts}},
        **{
            "x-contract-error": ERROR,
            "x-contract-rate-limit": LIMITS,
            "x-contract-body-limit": {"max_bytes": 1234},
        },
    )


@pytest.fixture
def server(package: Generate) -> Any:
    return package(api()).server


def test_limits_of_the_document_are_constants_of_the_server(server: Any) -> None:
    assert server.MAX_BODY_BYTES == 1234
    assert [
        (rate_limit.name, rate_limit.limit, rate_limit.window_seconds)
        for rate_limit in server.RATE_LIMITS
    ] == [
        ("slow", 5, 60),
        ("fast", 50, 1),
    ]
    assert server.REQUEST_ID_HEADER == "X-Request"


def test_promises_of_an_operation_are_constants_with_its_name(server: Any) -> None:
    assert server.KEEP_THING_CAPACITY == 4
    assert server.PLACE_THING_REPLAY_HEADERS == {"X-Again": "yes"}
    assert not hasattr(server, "PLACE_THING_CAPACITY")
    assert not hasattr(server, "KEEP_THING_REPLAY_HEADERS")


def test_what_is_declared_is_listed(server: Any) -> None:
    constants = {name for name in server.__all__ if name.isupper()}
    assert constants == {
        "KEEP_THING_CAPACITY",
        "MAX_BODY_BYTES",
        "PLACE_THING_REPLAY_HEADERS",
        "RATE_LIMITS",
        "REQUEST_ID_HEADER",
    }


def test_what_is_not_declared_is_no_constant(package: Generate) -> None:
    server = package(document({"/things": {"post": operation(operationId="make")}})).server
    assert not [name for name in server.__all__ if name.isupper()]


@pytest.mark.parametrize("key", ["x-contract-once", "x-contract-sensitive"])
def test_a_hidden_value_may_be_declared_where_the_property_is_defined_or_used(
    package: Generate, key: str
) -> None:
    secret = {"type": "string", key: True}
    plain = {"type": "string"}
    properties = {
        "here": secret,
        "beside": {**ref("Plain"), key: True},
        "there": {"$ref": "#/components/schemas/Other/properties/secret"},
        "open": ref("Plain"),
    }
    schemas = {
        "Plain": plain,
        "Other": {"type": "object", "properties": {"secret": secret}},
        "Shown": {"type": "object", "properties": properties},
    }
    models = package(document({}, schemas)).models
    shown = repr(models.Shown(**dict.fromkeys(properties, "value")))
    assert shown.count("value") == 1
    assert "open='value'" in shown


METHODS = {
    # RFC 9110, 9.2.2: "PUT, DELETE, and safe request methods are idempotent".
    "get": True,
    "head": True,
    "options": True,
    "trace": True,
    "put": True,
    "delete": True,
    "post": False,
    "patch": False,
}


@pytest.mark.parametrize(("method", "is_idempotent"), METHODS.items())
def test_an_operation_is_idempotent_by_its_method(
    package: Generate, method: str, is_idempotent: bool
) -> None:
    every = {each: operation(operationId=f"{each}It") for each in METHODS}
    made = package(document({"/it": every}))
    plan = getattr(import_module(f"{made.__name__}._operations"), f"{method.upper()}_IT")
    assert plan.idempotent is is_idempotent


def test_an_operation_is_idempotent_because_it_says_so(package: Generate) -> None:
    plans = import_module(f"{package(api()).__name__}._operations")
    assert plans.PLACE_THING.idempotent
    assert not plans.KEEP_THING.idempotent
