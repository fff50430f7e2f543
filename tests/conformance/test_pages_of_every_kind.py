"""Lists with pages by offset, by number, by the URL of the next page, or by Link header."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.conformance.checks.lists.collections import collections
from specwright.conformance.checks.lists.lists import lists
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.serving import Server

LEAST = {"cursor": None, "limit": "limit", "next": None, "more": None, "items": "/i", "id": "/id"}
KINDS: dict[str, dict[str, Any]] = {
    "offset": {"offset": "offset"},
    "offset and total": {"offset": "offset", "total": "/total"},
    "number": {"page": "page"},
    "number, and pages": {"page": "page", "pages": "/pages"},
    "number from 0, and pages": {"page": "page", "first_page": 0, "pages": "/pages"},
    "next URL": {"next_url": "/next"},
    "link": {"link": True},
    "offset in the body": {"offset": "/offset", "limit": "/limit"},
    "number in the body, and pages": {"page": "/page", "limit": "/limit", "pages": "/pages"},
    "cursor in an object in the body": {
        "cursor": "/paging/after",
        "limit": "/paging/limit",
        "next": "/after",
    },
}


def document(kind: dict[str, Any], path: Path) -> Contract:
    integer = {"type": "integer", "maximum": 50}
    names = ("limit", "offset", "page", "from")
    operation: dict[str, Any] = {
        "responses": {"200": {"description": "Some."}},
        "x-contract-pagination": LEAST | kind,
    }
    if in_body(kind):
        paging = {"limit": integer, "after": {"type": "integer"}}
        members = {
            **dict.fromkeys(names, integer),
            "paging": {"type": "object", "properties": paging},
        }
        schema = {"type": "object", "properties": members}
        operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    else:
        operation["parameters"] = [
            {"name": name, "in": "query", "schema": integer} for name in names
        ]
    file = path / "list.json"
    info = {"title": "List", "version": "1"}
    file.write_text(
        json.dumps(
            {"openapi": "3.1.0", "info": info, "paths": {"/items": {method(kind): operation}}}
        )
    )
    return Contract(load(file))


def in_body(kind: dict[str, Any]) -> bool:
    return kind.get("limit", "").startswith("/")


def method(kind: dict[str, Any]) -> str:
    return "post" if in_body(kind) else "get"


def app(kind: dict[str, Any], bug: str, count: int) -> Starlette:
    """A list of some items, five to a page by default."""
    first, asked = kind.get("first_page", 1), [0]

    async def items(request: Request) -> Response:
        query: dict[str, Any] = dict(request.query_params)
        if in_body(kind) and await request.body():
            sent = await request.json()
            paging = sent.get("paging", {})
            query = {**sent, **paging} | ({"from": paging["after"]} if "after" in paging else {})
            if any(not isinstance(value, int) for name, value in query.items() if name != "paging"):
                return Response(status_code=400)
        size = int(query.get("limit", 5))
        if size > 50 or (bug == "refuses" and asked[0] > 4):
            return Response(status_code=400)
        number = int(query.get("page", first)) - first
        start = int(query.get("from", query.get("offset", number * size)))
        asked[0] += 1
        shift = {"repeats": -start, "skips": 1, "overlaps": -1}.get(bug, 0) if start else 0
        found = [{"id": each} for each in range(1, count + 1)][start + shift : start + shift + size]
        follows = start + size < {"ends early": 5, "announces more": count + 1}.get(bug, count)
        url = f"http://elsewhere/items?limit={size}&from={start + size}" if follows else None
        link = {"Link": f'<{url}>; rel="next", </items>; rel="first"'} if url else {}
        total = {"ends early": 4, "announces more": count + 1}.get(bug, count)
        after = start + size if follows else None
        body = {"i": found, "total": total, "pages": -(-total // size), "next": url, "after": after}
        return JSONResponse(body, headers=link)

    return Starlette(routes=[Route("/items", items, methods=["GET", "POST"])])


def blamed(name: str, bug: str, path: Path, count: int = 7) -> list[str]:
    contract, record = document(KINDS[name], path), Record()
    with (
        Server(app(KINDS[name], bug, count)) as server,
        TargetServer(server.url, None, record, {}) as target,
    ):
        driver = Driver(contract, target, "scenarios")
        lists(driver)
        collections(driver)
    assert "pagination" in record.checked
    return [failure.text.partition(": ")[2] for failure in record.failures.values()]


@pytest.mark.parametrize("kind", KINDS)
def test_pages_that_show_every_item_once_are_right(kind: str, tmp_path: Path) -> None:
    assert blamed(kind, "", tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("repeats", "items were returned twice"),
        ("overlaps", "items were returned twice"),
        ("skips", "items are missing"),
    ],
)
def test_pages_that_do_not_join_are_found(kind: str, bug: str, said: str, tmp_path: Path) -> None:
    assert said in blamed(kind, bug, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_behind_a_refusal_are_not_missing(kind: str, tmp_path: Path) -> None:
    assert "items are missing" not in blamed(kind, "refuses", tmp_path)


@pytest.mark.parametrize("kind", ["offset and total", "number from 0, and pages", "link"])
def test_pages_that_end_too_early_leave_items_out(kind: str, tmp_path: Path) -> None:
    assert "items are missing" in blamed(kind, "ends early", tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_there_is_is_found_where_responses_tell_it(kind: str, tmp_path: Path) -> None:
    tells = kind not in ("offset", "number", "offset in the body")
    said = "more items are announced than exist"
    assert (said in blamed(kind, "announces more", tmp_path)) == tells


@pytest.mark.parametrize(("bug", "is_blamed"), [("", False), ("announces more", True)])
def test_more_than_there_is_is_found_in_a_list_of_several_pages(
    bug: str, is_blamed: bool, tmp_path: Path
) -> None:
    # A page has at most 50, and is full with 26.
    found = blamed("offset and total", bug, tmp_path, 52)
    assert found == (["more items are announced than exist"] if is_blamed else [])
