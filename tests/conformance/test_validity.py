"""The judge: requests that are certainly invalid, certainly valid, or undecided."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.checks.requests.validity import RequestJudge
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.recording.exchange import HttpRequest
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from tests.conformance.fuzzing.widgets import DOCUMENT

BASE = "https://api.example.com/v1"
JSON = (("Content-Type", "application/json; charset=utf-8"),)
DATED = {"type": "string", "format": "date"}
READ_ONLY = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "readOnly": True},
        "number": {"$ref": "#/components/schemas/Number"},
        "at": DATED,
    },
    "required": ["id", "number"],
}
PAIR = {
    "type": "object",
    "properties": {
        "pet": {"oneOf": [{"required": ["kind"]}, {"properties": {"lives": {"type": "integer"}}}]}
    },
}


def document() -> dict[str, Any]:
    made = deepcopy(DOCUMENT)
    made["paths"]["/widgets/{id}"]["put"] = {
        "parameters": [
            {"name": "Trace", "in": "header", "required": True, "schema": {"type": "string"}},
            {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
            {"name": "at", "in": "query", "schema": DATED},
            {"name": "ids", "in": "query", "schema": {"type": "array"}},
        ],
        "requestBody": {"content": {"application/json": {"schema": READ_ONLY}}},
        "responses": {"204": {"description": "Done."}},
    }
    filtered = {"type": "object", "properties": {"a": {"type": "string"}}}
    made["paths"]["/styles/{label}"] = {
        "get": {
            "parameters": [
                {
                    **{"name": "label", "in": "path", "required": True, "style": "label"},
                    "schema": {"enum": ["a", "b"], "type": "string"},
                },
                {
                    **{"name": "deep", "in": "query", "required": True, "style": "deepObject"},
                    "schema": filtered,
                },
                {"name": "flat", "in": "query", "required": True, "schema": filtered},
            ],
            "responses": {"204": {"description": "Done."}},
        }
    }
    untyped = {"properties": {"a": {"type": "string"}}}
    numbered = {"allOf": [{"minimum": 1}, {"type": "integer"}]}
    made["paths"]["/untyped"] = {
        "get": {
            "parameters": [
                {"name": "flat", "in": "query", "required": True, "schema": untyped},
                {"name": "size", "in": "query", "schema": numbered},
            ],
            "responses": {"204": {"description": "Done."}},
        }
    }
    made["paths"]["/any"] = {
        "get": {
            "parameters": [{"name": "any", "in": "query", "required": True, "schema": {}}],
            "responses": {"204": {"description": "Done."}},
        }
    }
    body = {"content": {"application/json": {"schema": PAIR}}}
    made["paths"]["/pairs"] = {
        "post": {"requestBody": body, "responses": {"204": {"description": "It."}}}
    }
    named = {"after": {"type": "string"}, "paging": {"properties": {"after": {"type": "string"}}}}
    search = {"content": {"application/json": {"schema": {"properties": named}}}}
    for name, cursor in (("/search", "/after"), ("/deep", "/paging/after")):
        made["paths"][name] = {
            "post": {
                "requestBody": search,
                "responses": {"200": {"description": "Some."}},
                "x-contract-pagination": {
                    **dict.fromkeys(("limit", "next", "more", "id")),
                    "cursor": cursor,
                    "items": "",
                },
            }
        }
    made["components"]["schemas"]["Number"] = {"type": "integer", "readOnly": True}
    made["paths"]["/widgets/latest"] = {"get": {"responses": {"204": {"description": "It."}}}}
    return made


def judged(tmp_path: Path, method: str, path: str, url: str, **sent: Any) -> str:
    """A word for the verdict: valid, invalid or open."""
    place = tmp_path / "widgets.json"
    place.write_text(json.dumps(document()))
    loaded = upgrade(load(place))
    routes = ContractRoutes(Contract(loaded), BASE)
    operation = routes.find(path, method)
    assert operation is not None
    request = HttpRequest(method, BASE + url, sent.get("headers", JSON), sent.get("body"))
    verdict = RequestJudge(loaded, routes).judge(operation, request)
    return "invalid" if verdict.faults else "valid" if verdict.is_valid else "open"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/widgets?colour=red", "valid"),
        ("/widgets?colour=red&limit=50", "valid"),
        ("/widgets?colour=red&unknown=1", "valid"),
        ("/widgets?colour=green", "invalid"),
        ("/widgets?shape=round&limit=51", "invalid"),
        ("/widgets?shape=round&limit=many", "invalid"),
        ("/widgets?shape=", "invalid"),
        # Read in different ways by different servers.
        ("/widgets?shape=round&limit=", "open"),
        ("/widgets?shape=round&limit=%2B5", "open"),
        ("/widgets?shape=round&limit=5.0", "open"),
        ("/widgets?shape=round&limit=5&limit=99", "open"),
        # Refused by declarations.
        ("/widgets?limit=5", "open"),
        ("/widgets?colour=red&cursor=made-up", "open"),
        # Perhaps not for this operation.
        ("/elsewhere?limit=51", "open"),
    ],
)
def test_query_parameters(tmp_path: Path, url: str, expected: str) -> None:
    assert judged(tmp_path, "GET", "/widgets", url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # Other keywords and parts of a schema tell its types.
        ("/untyped?a=x", "open"),
        ("/untyped?a=x&size=0", "invalid"),
        ("/untyped?a=x&size=many", "invalid"),
        # Any value may be an object.
        ("/any?a=x", "open"),
    ],
)
def test_parameters_without_a_type(tmp_path: Path, url: str, expected: str) -> None:
    assert judged(tmp_path, "GET", url.partition("?")[0], url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # The members of an object stand in the query without its name.
        ("/styles/.a?deep[a]=x&a=x", "open"),
        ("/styles/.c?deep%5Ba%5D=x", "open"),
        ("/styles/.a?a=x", "invalid"),
    ],
)
def test_parameters_of_other_styles(tmp_path: Path, url: str, expected: str) -> None:
    assert judged(tmp_path, "GET", "/styles/{label}", url) == expected


@pytest.mark.parametrize(
    ("pet", "expected"),
    [
        ({"kind": "Cat", "lives": "9"}, "valid"),
        # Invalid by JSON Schema, and understood by servers that read a tag alone.
        ({"kind": "Cat", "lives": 9}, "open"),
        ({"lives": "9"}, "invalid"),
    ],
)
def test_values_that_fit_several_alternatives(
    tmp_path: Path, pet: dict[str, Any], expected: str
) -> None:
    body = json.dumps({"pet": pet}).encode()
    assert judged(tmp_path, "POST", "/pairs", "/pairs", body=body) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/widgets/w1", "valid"),
        ("/widgets/a%20b", "valid"),
        ("/widgets/", "open"),
        ("/widgets/..", "open"),
        ("/widgets/a%2Fb", "open"),
        ("/widgets/latest", "open"),
    ],
)
def test_paths(tmp_path: Path, url: str, expected: str) -> None:
    assert judged(tmp_path, "GET", "/widgets/{id}", url) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"reference": "a", "size": 9}', "valid"),
        # An integer, which many programs refuse in this form.
        (b'{"reference": "a", "size": 9.0}', "open"),
        (b'{"reference": "a", "size": 10}', "invalid"),
        # Too deep for us, and perhaps not for a server.
        (b"[" * 4_000, "open"),
        (b'{"reference": "a", "size": "9"}', "invalid"),
        (b'{"reference": "a", "size": 9, "more": 1}', "invalid"),
        (b'{"reference": "a", "size": NaN}', "invalid"),
        (b'{"reference": "a"', "invalid"),
        (b"\xff", "invalid"),
        (None, "invalid"),
        (b'{"reference": "\\u0000", "size": 9}', "open"),
        (b'{"reference": "\\ud800", "size": 9}', "open"),
        (b'{"reference": "a", "size": 9}' + b" " * 4096, "open"),
    ],
)
def test_bodies(tmp_path: Path, body: bytes | None, expected: str) -> None:
    assert judged(tmp_path, "POST", "/widgets", "/widgets", body=body) == expected


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/search", b"{}", "valid"),
        ("/search", b'{"after": "made-up"}', "open"),
        ("/search", b'{"after": 5}', "invalid"),
        ("/deep", b'{"after": "made-up"}', "valid"),
        ("/deep", b'{"paging": {"after": "made-up"}}', "open"),
    ],
)
def test_a_cursor_in_a_body_may_be_refused(
    tmp_path: Path, path: str, body: bytes, expected: str
) -> None:
    assert judged(tmp_path, "POST", path, path, body=body) == expected


def test_a_body_of_another_media_type_is_open(tmp_path: Path) -> None:
    headers = (("Content-Type", "text/plain"),)
    sent = judged(tmp_path, "POST", "/widgets", "/widgets", headers=headers, body=b"a")
    assert sent == "open"


@pytest.mark.parametrize(
    ("query", "headers", "body", "expected"),
    [
        ("", {"trace": "t"}, None, "valid"),
        ("?dry=true", {"Trace": "t"}, b"{}", "valid"),
        ("", {}, None, "invalid"),
        ("?dry=", {}, None, "invalid"),
        ("?dry=perhaps", {"Trace": "t"}, None, "invalid"),
        ("?dry=yes", {"Trace": "t"}, None, "open"),
        ("?ids=1", {"Trace": "t"}, None, "open"),
        # A format is an annotation: neither invalid nor certainly accepted.
        ("?at=tomorrow", {"Trace": "t"}, None, "open"),
        ("?at=2026-02-03", {"Trace": "t"}, b'{"at": "2026-02-03"}', "valid"),
        ("", {"Trace": "t"}, b'{"at": "tomorrow"}', "open"),
        ("", {"Trace": "t"}, b'{"at": 1}', "invalid"),
    ],
)
def test_headers_formats_and_properties_of_answers(
    tmp_path: Path, query: str, headers: dict[str, str], body: bytes | None, expected: str
) -> None:
    sent = (*JSON, *headers.items())
    url = f"/widgets/w1{query}"
    assert judged(tmp_path, "PUT", "/widgets/{id}", url, headers=sent, body=body) == expected
