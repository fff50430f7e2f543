"""Problem details agree with the status of their response (RFC 9457)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mock.serving import MockedDocument, mocked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

STATUS = {"type": "integer", "minimum": 400, "maximum": 599}
PROBLEM = {
    "type": "object",
    "required": ["status", "title"],
    "properties": {"status": STATUS, "title": {"type": "string"}},
}
SHOWN = {"status": 400, "title": "Shown"}


def problem(
    properties: dict[str, Any] | None = None,
    media_type: str = "application/problem+json",
    **fields: Any,
) -> dict[str, Any]:
    """An operation whose errors have one schema."""
    schema = {**PROBLEM, "properties": {**PROBLEM["properties"], **(properties or {})}}
    response = {"description": "It.", "content": {media_type: {"schema": schema, **fields}}}
    return {"get": {"responses": {"409": response, "4XX": response}}}


PATHS: dict[str, dict[str, Any]] = {
    "/free": problem(),
    "/title": problem({"title": {"type": "string", "example": "Wrong"}}),
    "/enum": problem({"title": {"allOf": [{"enum": ["Wrong"]}]}}),
    "/const": problem({"status": {"const": 400}}),
    "/example": problem(example=SHOWN),
    "/other": problem(media_type="application/json", example=SHOWN),
}
BODIES = {
    ("/free", 409): {"status": 409, "title": "Conflict"},
    ("/free", 429): {"status": 429, "title": "Too Many Requests"},
    ("/title", 429): {"status": 429, "title": "Wrong"},
    ("/enum", 429): {"status": 429, "title": "Wrong"},
    ("/const", 429): {"status": 400, "title": "Too Many Requests"},
    ("/example", 429): {"status": 429, "title": "Shown"},
    ("/other", 429): SHOWN,
}


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    with mocked(tmp_path_factory.mktemp("problems"), {"paths": PATHS}) as served:
        yield served


@pytest.mark.parametrize(("path", "status"), BODIES)
def test_a_problem_has_the_status_of_its_response(
    mock: MockedDocument, path: str, status: int
) -> None:
    response = mock.request(path, headers={"Prefer": f"code={status}"})
    assert response.status_code == status
    assert response.json() == BODIES[path, status]
