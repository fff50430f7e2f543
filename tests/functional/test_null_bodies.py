"""A body that may be omitted and may be null: no body, and the body `null`, are two requests."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation
from tests.functional.origin import Answer, Origin

TEXT_OR_NULL: Json = {"type": ["string", "null"]}
BODIES: dict[str, Json] = {
    "nullable": content(TEXT_OR_NULL),
    "any": {"content": {"application/json": {}}},
    "text": content({"type": "string"}),
    "form": {"content": {"application/x-www-form-urlencoded": {"schema": {}}}},
    "required": {"required": True, **content(TEXT_OR_NULL)},
}
NOTHING = inspect.Parameter.empty


@pytest.fixture
def made(package: Generate) -> ModuleType:
    paths: Json = {
        f"/{name}": {"post": operation(None, operationId=name, requestBody=body)}
        for name, body in BODIES.items()
    }
    return package(document(paths))


@pytest.mark.parametrize(
    ("name", "body", "sent"),
    [
        ("nullable", NOTHING, b""),
        ("nullable", None, b"null"),
        ("nullable", "a", b'"a"'),
        ("any", NOTHING, b""),
        ("any", None, b"null"),
        ("any", {"a": 1}, b'{"a":1}'),
        # Null is not a value of these.
        ("text", NOTHING, b""),
        ("text", None, b""),
        ("form", None, b""),
        ("required", None, b"null"),
    ],
)
def test_null_is_sent_where_it_is_a_value(
    made: ModuleType, origin: Origin, name: str, body: Any, sent: bytes
) -> None:
    origin.answer(Answer(status=204, body=b""))
    with made.Client(base_url=origin.url) as client:
        getattr(client.things, name)(**({} if body is NOTHING else {"body": body}))
    [asked] = origin.asked
    assert asked.body == sent
    assert ("content-type" in {field.lower() for field, _ in asked.fields}) == bool(sent)


def test_members_that_are_added_make_an_object(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(status=204, body=b""))
    with made.Client(base_url=origin.url) as client:
        client.things.any(request_options={"extra_body": {"a": 1}})
    assert origin.asked[0].body == b'{"a":1}'


def test_the_signature_tells_them_apart(made: ModuleType) -> None:
    def default(name: str) -> object:
        things = made.client.Things
        return inspect.signature(getattr(things, name)).parameters["body"].default

    assert [default(name) for name in ("nullable", "any")] == [made.OMIT] * 2
    assert [default(name) for name in ("text", "form")] == [None] * 2
    assert default("required") is NOTHING
