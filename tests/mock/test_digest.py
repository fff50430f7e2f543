"""The mock of operations that require Digest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.mock.serving import MockedDocument, mocked, responses

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")


def get(security: Any, **declared: Any) -> dict[str, Any]:
    return {"get": {"security": security, "responses": responses(_200={"example": 1}, **declared)}}


PATHS: dict[str, Any] = {
    "/declared": get([{"user": []}], _401={"example": "sign in"}),
    "/both": get([{"user": [], "key": []}, {"user": []}]),
    "/either": get([{"user": []}, {"key": []}]),
    "/optional": get([{"user": []}, {}]),
    "/open": get([]),
}
SCHEMES = {
    "user": {"type": "http", "scheme": "digest"},
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
}


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    document = {"paths": PATHS, "components": {"securitySchemes": SCHEMES}}
    with mocked(tmp_path_factory.mktemp("digest"), document) as served:
        yield served


def test_an_answer_is_required_where_nothing_else_will_do(mock: MockedDocument) -> None:
    declared, problem = mock.request("/declared"), mock.request("/both")
    for response in (declared, problem):
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith('Digest realm="mock"')
    assert declared.json() == "sign in"
    assert problem.json()["detail"] == "send the request again, and answer this challenge"
    for path in ("/either", "/optional", "/open"):
        assert mock.request(path).status_code == 200
    basic = mock.request("/declared", headers={"Authorization": "Basic YTpi"})
    assert basic.status_code == 401


def test_every_answer_is_accepted(mock: MockedDocument) -> None:
    with httpx2.Client(auth=httpx2.DigestAuth("any", "one")) as client:
        for path in ("/declared", "/both", "/declared"):
            assert client.get(mock.url + path).json() == 1
