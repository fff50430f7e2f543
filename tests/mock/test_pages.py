"""Lists with declared pagination: the page after the first is the last."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest

from tests.mock.serving import MockedDocument, mocked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

NONE = {"cursor": None, "limit": None, "next": None, "more": None, "id": None}
ITEMS = [{"id": 1}, {"id": 2}]


TYPES = {bool: "boolean", int: "integer", str: "string"}


def described(value: Any) -> dict[str, Any]:
    """A schema with the properties of a value."""
    match value:
        case dict():
            members = {name: described(member) for name, member in value.items()}
            return {"type": "object", "properties": members}
        case list():
            return {"type": "array", "items": described(value[0])}
    return {"type": [TYPES[type(value)], "null"]}


def listed(
    page: Mapping[str, Any],
    example: Any,
    properties: Mapping[str, Any] | None = None,
    headers: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """An operation that responds with a page."""
    schema = described(example) if properties is None else {"properties": properties}
    content = {"application/json": {"schema": schema, "example": example}}
    response = {"description": "A page.", "headers": headers or {}, "content": content}
    names = {page.get(name) for name in ("cursor", "page", "offset")}
    return {
        "x-contract-pagination": {**NONE, "items": "/items", **page},
        "parameters": [
            {"name": name, "in": "query", "schema": {}}
            for name in names
            if name and not name.startswith("/")
        ],
        "responses": {"200": response},
    }


LINK = '</link?after=c%202&size=2>; rel="next", </link>; rel=first'
PATHS: dict[str, Any] = {
    "/cursor": {
        "get": listed(
            {"cursor": "after", "next": "/meta/next", "more": "/meta/has_more"},
            {"items": ITEMS, "meta": {"next": "c_2", "has_more": True}},
        )
    },
    "/cursor/text": {
        "get": listed(
            {"cursor": "after", "next": "/next"},
            {"items": ITEMS, "next": "c_2"},
            {"items": described(ITEMS), "next": {"type": "string"}},
        )
    },
    "/cursor/absent": {
        "get": listed(
            {"cursor": "after", "next": "/next"},
            {"items": ITEMS, "next": "c_2"},
            {"items": described(ITEMS), "next": {"type": "string", "minLength": 1}},
        )
    },
    "/cursor/resume": {
        "get": listed(
            {"cursor": "after", "next": "/next", "more": "/more", "resume": True},
            {"items": ITEMS, "next": "c_2", "more": True},
        )
    },
    "/page": {
        "get": listed(
            {"page": "page", "pages": "/pages", "total": "/total"},
            {"items": ITEMS, "pages": 9, "total": 18},
        )
    },
    "/page/zero": {
        "get": listed(
            {"page": "page", "first_page": 0, "pages": "/pages"}, {"items": ITEMS, "pages": 9}
        )
    },
    "/page/uncounted": {"get": listed({"page": "page"}, {"items": ITEMS})},
    "/offset": {
        "get": listed({"offset": "skip", "total": "/total"}, {"items": ITEMS, "total": 40})
    },
    "/url": {
        "get": listed(
            {"next_url": "/next"},
            {"items": ITEMS, "next": "https://api.example/url?size=2&after=c%202"},
        )
    },
    "/link": {"get": listed({"link": True}, {"items": ITEMS}, headers={"Link": {"example": LINK}})},
    "/search": {
        "post": listed({"cursor": "/page/after", "next": "/next"}, {"items": ITEMS, "next": "c_2"})
    },
}
PATHS["/search"]["post"]["requestBody"] = {
    "content": {"application/json": {"schema": described({"page": {"after": ""}})}}
}
PATHS["/link"]["get"]["responses"]["200"]["headers"]["Link"]["schema"] = {"type": "string"}
# Path, query of the next page: that page.
LAST: dict[tuple[str, str], Any] = {
    ("/cursor", "after=c_2"): {"items": ITEMS, "meta": {"next": None, "has_more": False}},
    ("/cursor/text", "after=c_2"): {"items": ITEMS, "next": ""},
    ("/cursor/absent", "after=c_2"): {"items": ITEMS},
    ("/cursor/resume", "after=c_2"): {"items": ITEMS, "next": "c_2", "more": False},
    ("/page", "page=2"): {"items": ITEMS, "pages": 2, "total": 4},
    ("/page", "page=9"): {"items": ITEMS, "pages": 9, "total": 18},
    ("/page/zero", "page=1"): {"items": ITEMS, "pages": 2},
    ("/page/uncounted", "page=2"): {"items": []},
    ("/offset", "skip=2"): {"items": ITEMS, "total": 4},
    ("/url", "after=c+2&size=2&more=yes"): {"items": ITEMS, "next": None},
}
FIRST = [
    ("/cursor", ""),
    ("/cursor", "?after="),
    ("/page", "?page=1"),
    ("/page", "?page=two"),
    ("/page/zero", "?page=0"),
    ("/offset", "?skip=0"),
    ("/url", "?size=2"),
    ("/link", "?size=2"),
]


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    with mocked(tmp_path_factory.mktemp("pages"), {"paths": PATHS}) as served:
        yield served


def example(path: str) -> Any:
    response = PATHS[path]["get"]["responses"]["200"]
    return response["content"]["application/json"]["example"]


@pytest.mark.parametrize(("path", "query"), FIRST)
def test_the_first_page_is_the_example(mock: MockedDocument, path: str, query: str) -> None:
    assert mock.request(path + query).json() == example(path)


@pytest.mark.parametrize(("path", "query"), LAST)
def test_the_next_page_is_the_last(mock: MockedDocument, path: str, query: str) -> None:
    assert mock.request(f"{path}?{query}").json() == LAST[path, query]


def test_the_last_page_has_no_link_to_a_next_one(mock: MockedDocument) -> None:
    first = mock.request("/link")
    assert first.headers["Link"] == LINK
    second = httpx2.get(f"{mock.url}{first.links['next']['url']}")
    assert second.headers["Link"] == LINK.replace("next", "last")
    assert second.json() == {"items": ITEMS}


def test_a_search_ends(mock: MockedDocument) -> None:
    bodies: list[Any] = [{}, {"page": {"after": "c_2"}}, "no JSON"]
    sent = [httpx2.post(f"{mock.url}/search", json=body).json() for body in bodies[:2]]
    sent.append(httpx2.post(f"{mock.url}/search", content=bodies[2]).json())
    assert [page["next"] for page in sent] == ["c_2", None, "c_2"]


def test_a_preferred_example_is_sent_as_it_is(tmp_path: Any) -> None:
    operation = listed({"cursor": "after", "next": "/next"}, {"items": ITEMS, "next": ""})
    content = operation["responses"]["200"]["content"]["application/json"]
    content["examples"] = {"first": {"value": {"items": ITEMS, "next": "c_2"}}}
    del content["example"]
    with mocked(tmp_path, {"paths": {"/list": {"get": operation}}}) as mock:
        preferred = mock.request("/list?after=c_2", headers={"Prefer": "example=first"})
        assert preferred.json()["next"] == "c_2"
        assert mock.request("/list?after=c_2").json()["next"] is None


def test_the_settings_declare_pages(tmp_path: Any) -> None:
    operation = listed({}, {"items": ITEMS, "next": "c_2"})
    del operation["x-contract-pagination"]
    (tmp_path / "pyproject.toml").write_text(
        '[tool.specwright]\ndocument = "openapi.json"\n[tool.specwright.pagination]\n'
        '"GET /list" = { cursor = "after", next = "/next", items = "/items" }\n',
        "utf-8",
    )
    operation["parameters"] = [{"name": "after", "in": "query", "schema": {}}]
    with mocked(tmp_path, {"paths": {"/list": {"get": operation}}}) as mock:
        assert mock.request("/list?after=c_2").json()["next"] is None
