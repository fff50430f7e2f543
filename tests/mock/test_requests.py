"""Requests to the mock: paths, methods, pages of other origins, and preferences."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from specwright.mock.preferences import Preferences
from tests.mock.serving import MockedDocument, mocked, responses, success

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")


def shown(value: Any) -> dict[str, Any]:
    return success({"example": value})


ID: Any = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
PATHS: dict[str, Any] = {
    "/things": {"get": shown("things"), "post": {"responses": responses(_201={"example": "new"})}},
    "/things/{id}": {
        "parameters": ID,
        "get": shown("one"),
        "delete": {"responses": responses(_204=None)},
    },
    "/things/{id}.json": {"parameters": ID, "get": shown("as JSON")},
    "/things/mine": {"get": shown("mine")},
    "/options": {"options": shown("declared")},
    "/redirect": {"get": {"responses": responses(_422={"example": 1}, _302=None)}},
    "/uploads": {
        "servers": [{"url": "https://files.example/files"}],
        "post": {
            **shown("uploaded"),
            "servers": [
                {"url": "/up/{kind}", "variables": {"kind": {"default": "a", "enum": ["b"]}}}
            ],
        },
        "get": shown("files"),
    },
    "/ranges": {
        "get": {
            "responses": responses(
                _200={"example": "fine"},
                _404={"example": "gone"},
                _4XX={"example": "wrong"},
                default={"example": "other"},
            )
        }
    },
    "/named": {
        "get": {
            "responses": responses(
                _200={"examples": {"cat": {"value": "Tom"}, "a dog": {"value": "Rex"}}},
                _409={"examples": {"fight": {"value": "Ouch"}}},
            )
        }
    },
}


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    servers = [
        {"url": "https://{region}.shop.example/v1", "variables": {"region": {"default": "eu"}}}
    ]
    directory = tmp_path_factory.mktemp("requests")
    with mocked(directory, {"servers": servers, "paths": PATHS}) as document:
        yield document


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/things", "things"),
        ("/things/5", "one"),
        ("/things/5.json", "as JSON"),
        ("/things/5%2Ejson", "as JSON"),
        ("/things/mine", "mine"),
        ("/things/mine%2F1", "one"),
    ],
)
def test_the_most_specific_path_responds(mock: MockedDocument, path: str, body: str) -> None:
    assert mock.request(path).json() == body


def test_the_base_url_has_the_path_of_the_server(mock: MockedDocument) -> None:
    assert mock.url.endswith("/v1")
    origin = mock.url.removesuffix("/v1")
    missing = MockedDocument(origin, [], mock.command).request("/things/5?a=b")
    assert missing.status_code == 404
    assert missing.headers["Content-Type"] == "application/problem+json"
    assert missing.json() == {
        "title": "Not Found",
        "status": 404,
        "detail": "the document has /things/5 below the path of its server: /v1/things/5",
    }
    unknown = mock.request("/other")
    assert unknown.status_code == 404
    assert unknown.json()["detail"] == "the document has no path /v1/other"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/files/uploads", 200),
        ("POST", "/up/a/uploads", 200),
        ("POST", "/up/b/uploads", 200),
        # A client with another base URL uses it for all operations.
        ("POST", "/v1/uploads", 200),
        ("GET", "/v1/uploads", 200),
        ("POST", "/files/uploads", 405),
        ("GET", "/up/a/uploads", 405),
        ("GET", "/files/things", 404),
    ],
)
def test_operations_are_below_the_paths_of_their_own_servers(
    mock: MockedDocument, method: str, path: str, status: int
) -> None:
    origin = MockedDocument(mock.url.removesuffix("/v1"), [], mock.command)
    assert origin.request(path, method).status_code == status


def test_head_is_get_without_its_body(mock: MockedDocument) -> None:
    head, get = (mock.request("/things", method) for method in ("HEAD", "GET"))
    assert head.status_code == 200
    assert head.content == b""
    for name in ("Content-Type", "Content-Length"):
        assert head.headers[name] == get.headers[name]


def test_a_method_without_an_operation_is_named_with_the_others(mock: MockedDocument) -> None:
    response = mock.request("/things", "PATCH")
    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert response.json()["detail"] == (
        "/v1/things has no operation PATCH, only GET, HEAD, OPTIONS, POST"
    )


def test_options_names_the_methods(mock: MockedDocument) -> None:
    response = mock.request("/things/5", "OPTIONS")
    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS"
    assert "Content-Length" not in response.headers
    assert mock.request("/options", "OPTIONS").json() == "declared"


@pytest.mark.parametrize("path", ["/things", "/options"])
def test_a_page_of_another_origin_may_send_requests(mock: MockedDocument, path: str) -> None:
    asked = {
        "Origin": "http://localhost:3000",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,x-other",
    }
    response = mock.request(path, "OPTIONS", asked)
    assert (response.status_code, response.content) == (204, b"")
    allowed = response.headers["Access-Control-Allow-Methods"].split(", ")
    methods = {method.upper() for method in PATHS[path].keys() - {"parameters"}}
    assert methods <= set(allowed)
    assert response.headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
    assert response.headers["Access-Control-Allow-Headers"] == "authorization,x-other"


@pytest.mark.parametrize(("path", "status"), [("/things", 200), ("/other", 404)])
def test_a_page_of_another_origin_may_read_responses(
    mock: MockedDocument, path: str, status: int
) -> None:
    response = mock.request(path, headers={"Origin": "null"})
    assert response.status_code == status
    assert response.headers["Access-Control-Allow-Origin"] == "null"
    assert response.headers["Access-Control-Allow-Credentials"] == "true"
    assert response.headers["Access-Control-Expose-Headers"] == "content-type"
    assert response.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Origin" not in mock.request(path).headers


@pytest.mark.parametrize(
    ("preferred", "status", "body"),
    [
        ("code=200", 200, "fine"),
        ("code=404", 404, "gone"),
        ("code=418", 418, "wrong"),
        ("code=503", 503, "other"),
        ('respond-async, Code="404"; wait=0', 404, "gone"),
        ("code=404, code=503", 404, "gone"),
        ("respond-async", 200, "fine"),
        ("not a preference =", 200, "fine"),
    ],
)
def test_a_status_is_preferred(
    mock: MockedDocument, preferred: str, status: int, body: str
) -> None:
    response = mock.request("/ranges", headers={"Prefer": preferred})
    assert (response.status_code, response.json()) == (status, body)


def test_a_preferred_status_without_a_body_has_none(mock: MockedDocument) -> None:
    response = mock.request("/ranges", headers={"Prefer": "code=204"})
    assert (response.status_code, response.content) == (204, b"")
    assert "Content-Type" not in response.headers


@pytest.mark.parametrize(
    ("preferred", "status", "body"),
    [
        ("example=cat", 200, "Tom"),
        ('example="a dog"', 200, "Rex"),
        ("code=200; example=a dog", 200, "Rex"),
        # Of another response, if the success has none of this name.
        ("example=fight", 409, "Ouch"),
    ],
)
def test_an_example_is_preferred(
    mock: MockedDocument, preferred: str, status: int, body: str
) -> None:
    response = mock.request("/named", headers={"Prefer": preferred})
    assert (response.status_code, response.json()) == (status, body)


@pytest.mark.parametrize(
    ("path", "preferred", "declared"),
    [
        ("/named", "code=500", "no response 500, only 200, 409"),
        ("/named", "code=abc", "no response abc, only 200, 409"),
        ("/ranges", "code=999", "no response 999, only 200, 404, 4XX, default"),
        ("/named", "example=bird", "no example 'bird', only cat, a dog, fight"),
        ("/named", "code=409, example=cat", "no example 'cat', only fight"),
        ("/ranges", "example=cat", "no example 'cat'"),
    ],
)
def test_a_preference_that_nothing_declares_is_refused(
    mock: MockedDocument, path: str, preferred: str, declared: str
) -> None:
    response = mock.request(path, headers={"Prefer": preferred})
    assert response.status_code == 400
    assert response.json()["detail"] == f"GET {path} declares {declared}"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/v1", "/v1/", "/files", "/up/b"])
def test_the_url_of_a_server_responds_to_programs_that_wait(
    mock: MockedDocument, method: str, path: str
) -> None:
    origin = MockedDocument(mock.url.removesuffix("/v1"), [], mock.command)
    response = origin.request(path, method)
    assert (response.status_code, response.content) == (204, b"")
    assert origin.request(path, "POST").status_code == 404
    assert origin.request("/").status_code == 404


@pytest.mark.parametrize(
    ("query", "preferred", "status"),
    [
        ("__code=404", "", 404),
        ("a=b&__code=404", "code=503", 503),
        ("__code=404", "example=a", 400),
        ("__dynamic=true", "", 400),
        ("__wait=soon", "", 400),
        ("", "dynamic=true", 400),
        ("", "dynamic", 400),
        ("", "dynamic=false", 200),
    ],
)
def test_a_query_has_preferences_and_none_is_ignored(
    mock: MockedDocument, query: str, preferred: str, status: int
) -> None:
    headers = {"Prefer": preferred} if preferred else {}
    assert mock.request(f"/ranges?{query}", headers=headers).status_code == status


def test_an_example_is_preferred_by_a_query(mock: MockedDocument) -> None:
    assert mock.request("/named?__example=a%20dog").json() == "Rex"


def test_a_response_is_late_if_that_is_preferred(mock: MockedDocument) -> None:
    begin = time.monotonic()
    response = mock.request("/ranges", headers={"Prefer": "code=503, wait=0.2"})
    assert response.status_code == 503
    assert time.monotonic() - begin >= 0.2


def test_a_wait_is_bounded() -> None:
    assert Preferences.of({"prefer": "wait=31"}, {}).wait == 30
    assert Preferences.of({"prefer": "wait=29"}, {}).wait == 29


def test_a_redirect_precedes_an_error(mock: MockedDocument) -> None:
    response = mock.request("/redirect")
    assert (response.status_code, response.content) == (302, b"")


def test_servers_of_some_operations_are_named(mock: MockedDocument) -> None:
    origin = mock.url.removesuffix("/v1")
    lines = {mock.command.line() for _ in range(3)}
    assert {
        f"{origin}/files serves GET /uploads, too",
        f"{origin}/up/a serves POST /uploads, too",
        f"{origin}/up/b serves POST /uploads, too",
    } == lines


def test_values_of_variables_without_a_list_are_any_text(tmp_path: Any) -> None:
    version = {"default": "api/v1"}
    servers = [{"url": "/{version}/a/", "variables": {"version": version}}, {"url": "//h/x?y"}]
    with mocked(tmp_path, {"servers": servers, "paths": PATHS}) as mock:
        assert mock.url.endswith("/api/v1/a")
        origin = MockedDocument(mock.url.removesuffix("/api/v1/a"), [], mock.command)
        for base in ("/api/v1/a", "/v2/a", "/x"):
            assert origin.request(f"{base}/things").json() == "things"
        assert mock.command.end(signal.SIGINT)[0] == 0
