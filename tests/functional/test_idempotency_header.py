"""Operations with a header that tells requests apart (`x-contract-idempotency`)."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
IDEMPOTENCY: Json = {
    "header": "Idempotency-Key",
    "replay": {"status": 200},
    "in_progress": {"status": 409},
    "scope": ["user"],
}


def api(**changed: object) -> Json:
    made = operation(
        ref("Thing"),
        operationId="makeThing",
        parameters=[{"name": "idempotency-key", "in": "header", "schema": {"type": "string"}}],
        requestBody={"required": True, **content(ref("Thing"))},
        **{"x-contract-idempotency": IDEMPOTENCY | changed},
    )
    made["responses"]["409"] = {"description": "It is being made."}
    return document({"/things": {"post": made}}, {"Thing": THING})


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(api())


def keys(fake: object) -> list[list[str]]:
    """The keys of each request."""
    return [
        [value for name, value in request.headers if name.lower() == "idempotency-key"]
        for request in fake.requests  # type: ignore[attr-defined]
    ]


def test_a_call_has_a_key_that_its_attempts_share(made: ModuleType) -> None:
    answers = [made.testing.response({}, 503), made.testing.response({"id": "1"})] * 2
    fake = made.testing.FakeTransport(lambda _: answers.pop(0))
    client = made.Client(transport=fake)
    for _ in range(2):
        client.things.make_thing(id="1")
    (first,), (again,), (second,), _ = keys(fake)
    assert UUID.fullmatch(first)
    assert first == again != second


def test_a_key_that_is_given_is_the_only_one(made: ModuleType) -> None:
    fake = made.testing.FakeTransport(lambda _: made.testing.response({"id": "1"}))
    made.Client(transport=fake).things.make_thing(id="1", idempotency_key="mine")
    assert keys(fake) == [["mine"]]


def test_a_request_in_progress_is_tried_again_by_its_status(made: ModuleType) -> None:
    answers = [made.testing.response({}, 409), made.testing.response({"id": "1"})]
    fake = made.testing.FakeTransport(lambda _: answers.pop(0))
    assert made.Client(transport=fake).things.make_thing(id="1").id == "1"


def test_a_request_in_progress_may_be_known_by_its_status_alone(package: Generate) -> None:
    error = {
        "schema": "#/components/schemas/Error",
        "code": "/code",
        "message": "/message",
        "codes": {"busy": {"status": 409, "type": "conflict"}},
    }
    texts = {name: {"type": "string"} for name in ("code", "message")}
    document = api() | {"x-contract-error": error}
    document["components"]["schemas"]["Error"] = {"type": "object", "properties": texts}
    made = package(document)
    refused = made.testing.response({"code": "busy", "message": "Wait."}, 409)
    answers = [refused, made.testing.response({"id": "1"})]
    fake = made.testing.FakeTransport(lambda _: answers.pop(0))
    assert made.Client(transport=fake).things.make_thing(id="1").id == "1"


def test_without_a_mark_of_replays_the_server_has_no_constant_for_it(made: ModuleType) -> None:
    assert not hasattr(made.server, "MAKE_THING_REPLAY_HEADERS")
