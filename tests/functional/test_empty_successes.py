"""A success without a body is null where null is a value of its schema, else it is an error."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation
from tests.functional.origin import Answer, Origin

# FastAPI declares the first of these for a handler without a type, which may respond with 204.
RESPONSES: dict[str, Json] = {
    "any": {"content": {"application/json": {"schema": {}}}},
    "nothing": {"content": {"application/json": {}}},
    "nullable": content({"type": ["object", "null"], "properties": {}}),
    "thing": content({"type": "object", "properties": {"id": {"type": "string"}}}),
    "text": content({"type": "string"}),
    "list": content({"type": "array", "items": {}}),
    "plain": {"content": {"text/plain": {"schema": {}}}},
}
NULL = ("any", "nothing", "nullable")


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(
        document(
            {
                f"/{name}": {
                    "delete": {
                        **operation(operationId=name),
                        "responses": {"200": {"description": "Done.", **response}},
                    }
                }
                for name, response in RESPONSES.items()
            }
        )
    )


def both(made: ModuleType, origin: Origin, name: str) -> Any:
    """The value of a call, which is the same for the asynchronous client."""

    async def call() -> object:
        async with made.AsyncClient(base_url=origin.url) as client:
            return await getattr(client.things, name)()

    with made.Client(base_url=origin.url) as client:
        value = getattr(client.things, name)()
    assert asyncio.run(call()) == value
    return value


@pytest.mark.parametrize("status", [200, 202, 204])
@pytest.mark.parametrize("name", NULL)
def test_no_body_is_null_where_null_is_a_value(
    made: ModuleType, origin: Origin, name: str, status: int
) -> None:
    origin.answer(Answer(status=status, body=b""))
    assert both(made, origin, name) is None


@pytest.mark.parametrize("status", [200, 202, 204])
@pytest.mark.parametrize("name", ["thing", "text", "list"])
def test_no_body_is_an_error_elsewhere(
    made: ModuleType, origin: Origin, name: str, status: int
) -> None:
    origin.answer(Answer(status=status, body=b""))
    with pytest.raises(made.InvalidResponseError):
        both(made, origin, name)


@pytest.mark.parametrize("name", NULL)
def test_a_body_that_is_not_json_is_an_error_everywhere(
    made: ModuleType, origin: Origin, name: str
) -> None:
    origin.answer(Answer(status=200, body=b" "))
    with pytest.raises(made.InvalidResponseError):
        both(made, origin, name)


def test_an_empty_text_is_no_null(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(status=200, headers={"content-type": "text/plain"}, body=b""))
    assert both(made, origin, "plain") == ""
