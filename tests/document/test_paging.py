"""Detection of the pagination of lists, and lists without one."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from specwright.check.context import LintContext
from specwright.check.lint.contract import contract_reference, contract_shape
from specwright.document.operations import sites
from specwright.document.operations.pagination import detected, with_pagination
from specwright.document.operations.sites import Direction
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
LIST = {"type": "array", "items": {"type": "object", "properties": {"id": TEXT}}}


def one(properties: Any) -> Any:
    return {"type": "object", "properties": properties}


def found(tmp_path: Path, answer: Any, *names: str, path: str = "/things", **more: Any) -> Any:
    """Return the detected pagination of an operation with these query parameters, without nulls."""
    parameters = []
    for each in names:
        name, _, default = each.partition("=")
        numbers = ("limit", "offset", "page", "skip", "per_page")
        schema: dict[str, Any] = dict(NUMBER if name in numbers else TEXT)
        if default:
            schema["default"] = int(default)
        parameters.append({"name": name, "in": "query", "schema": schema})
    response = {"description": "Some.", "content": {"application/json": {"schema": answer}}}
    get = {"parameters": parameters, "responses": {"200": {**response, **more}}}
    return detected_in(tmp_path, {path: {"get": get}})


def found_in_body(tmp_path: Path, answer: Any, body: Any, path: str, status: str, id_: str) -> Any:
    """Return the detected pagination of a POST with this body, without nulls."""
    response = {"description": "Some.", "content": {"application/json": {"schema": answer}}}
    request = {"content": {"application/json": {"schema": body}}}
    post = {"operationId": id_, "requestBody": request, "responses": {status: response}}
    return detected_in(tmp_path, {path: {"post": post}})


def detected_in(tmp_path: Path, paths: Any) -> Any:
    data = {"openapi": "3.1.0", "info": {"title": "S", "version": "1"}, "paths": paths}
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(data))
    document = load(file)
    (operation,) = sites.operations(document)
    declared = detected(document, operation)
    return declared and {k: v for k, v in declared.items() if v is not None}


@pytest.mark.parametrize(
    ("answer", "names", "declared"),
    [
        (LIST, ("skip", "limit"), {"offset": "skip", "limit": "limit", "items": "", "id": "/id"}),
        (
            one({"items": LIST, "total": NUMBER}),
            ("offset", "limit"),
            {"offset": "offset", "limit": "limit", "items": "/items", "total": "/total",
             "id": "/id"},
        ),
        (
            one({"things": LIST, "meta": one({"totalPages": NUMBER})}),
            ("page=1", "per_page"),
            {"page": "page", "first_page": 1, "limit": "per_page", "items": "/things",
             "pages": "/meta/totalPages", "id": "/id"},
        ),
        (
            {"allOf": [one({"data": LIST}), one({"has_more": FLAG, "nextCursor": TEXT})]},
            ("cursor",),
            {"cursor": "cursor", "next": "/nextCursor", "more": "/has_more", "items": "/data",
             "id": "/id"},
        ),
        (
            one({"results": LIST, "count": NUMBER, "next": {"type": ["string", "null"],
                                                              "format": "uri"}}),
            ("limit", "offset"),
            {"next_url": "/next", "limit": "limit", "items": "/results", "id": "/id"},
        ),
    ],
)  # fmt: skip
def test_pages_are_found(tmp_path: Path, answer: Any, names: Any, declared: Any) -> None:
    assert found(tmp_path, answer, *names) == declared


def test_a_declared_header_link_is_found(tmp_path: Path) -> None:
    declared = found(tmp_path, LIST, headers={"Link": {"schema": TEXT}})
    assert declared == {"link": True, "items": "", "id": "/id"}


@pytest.mark.parametrize(
    ("answer", "names", "path"),
    [
        # No parameter that leads on, or nothing to read the next cursor from.
        (LIST, ("limit",), "/things"),
        (one({"items": LIST}), ("cursor",), "/things"),
        # The number of the first page is not known.
        (LIST, ("page",), "/things"),
        (LIST, ("page=7",), "/things"),
        # A cursor is given at the end of the list, too.
        (one({"data": LIST, "iterator": TEXT, "done": FLAG}), ("iterator",), "/things"),
        # No list, one of two, or one of a single resource.
        (one({"total": NUMBER}), ("offset",), "/things"),
        (one({"cats": LIST, "dogs": LIST}), ("offset",), "/things"),
        (one({"tags": LIST}), ("offset",), "/things/{id}"),
        ({}, ("offset",), "/things"),
    ],
)
def test_what_is_not_plain_is_left_to_people(
    tmp_path: Path, answer: Any, names: Any, path: str
) -> None:
    assert found(tmp_path, answer, *names, path=path) is None


FROM_0 = {"type": "integer", "default": 0}
SEARCH = one({"text": TEXT, "limit": NUMBER, "offset": FROM_0})
POSITION = {"anyOf": [{"anyOf": [NUMBER, {"type": "string", "format": "uuid"}]}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("answer", "body", "declared"),
    [
        (LIST, SEARCH, {"offset": "/offset", "limit": "/limit", "items": "", "id": "/id"}),
        (
            one({"results": LIST, "page": NUMBER, "pages": NUMBER}),
            one({"page": {"type": "integer", "default": 1}, "limit": NUMBER}),
            {"page": "/page", "first_page": 1, "limit": "/limit", "items": "/results",
             "pages": "/pages", "id": "/id"},
        ),
        (
            one({"results": LIST, "next_cursor": TEXT, "has_more": FLAG}),
            one({"start_cursor": TEXT, "page_size": NUMBER}),
            {"cursor": "/start_cursor", "limit": "/page_size", "next": "/next_cursor",
             "more": "/has_more", "items": "/results", "id": "/id"},
        ),
        (
            one({"result": one({"points": LIST, "next_page_offset": POSITION})}),
            one({"offset": POSITION, "limit": NUMBER}),
            {"cursor": "/offset", "limit": "/limit", "next": "/result/next_page_offset",
             "items": "/result/points", "id": "/id"},
        ),
        (
            one({"data": LIST, "pages": one({"next": one({"starting_after": TEXT})})}),
            one({"pagination": one({"starting_after": TEXT, "per_page": NUMBER})}),
            {"cursor": "/pagination/starting_after", "limit": "/pagination/per_page",
             "next": "/pages/next/starting_after", "items": "/data", "id": "/id"},
        ),
        (
            LIST,
            one({"page": one({"offset": NUMBER, "limit": NUMBER}), "limit": NUMBER,
                 "offset": FROM_0}),
            {"offset": "/offset", "limit": "/limit", "items": "", "id": "/id"},
        ),
    ],
)  # fmt: skip
def test_pages_are_found_in_bodies(tmp_path: Path, answer: Any, body: Any, declared: Any) -> None:
    found = found_in_body(tmp_path, answer, body, "/things/search", "200", "searchThings")
    assert found == declared


@pytest.mark.parametrize(
    ("path", "status", "id_"),
    [
        ("/things", "201", "things"),
        ("/things", "202", "things"),
        ("/things", "200", "createThings"),
        ("/things", "200", "bulk_delete_things_things_post"),
        ("/things/delete", "200", "postThings"),
    ],
)
def test_a_post_that_changes_something_is_no_list(
    tmp_path: Path, path: str, status: str, id_: str
) -> None:
    assert found_in_body(tmp_path, LIST, SEARCH, "/things", "200", "things") is not None
    assert found_in_body(tmp_path, LIST, SEARCH, path, status, id_) is None


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        # No size, so that the number may be that of a page in a book.
        (LIST, one({"title": TEXT, "offset": FROM_0})),
        (LIST, one({"title": TEXT, "page": {"type": "integer", "default": 1}})),
        # The offset may be an id.
        (LIST, one({"offset": NUMBER, "limit": NUMBER})),
        ({"type": "array", "items": one({"name": TEXT})}, SEARCH),
        # Only members of the body count.
        (LIST, one({"limit": NUMBER})),
        (LIST, {"type": "array", "items": SEARCH}),
        (LIST, {}),
    ],
)
def test_a_body_without_plain_pages_is_left_to_people(
    tmp_path: Path, answer: Any, body: Any
) -> None:
    assert found_in_body(tmp_path, answer, body, "/things/search", "200", "searchThings") is None


@pytest.mark.exhaustive
@pytest.mark.skipif("SPECWRIGHT_CORPUS" not in os.environ, reason="set SPECWRIGHT_CORPUS")
def test_what_is_found_in_real_documents_is_a_right_declaration() -> None:
    count: Counter[str] = Counter()
    for file in sorted((Path(os.environ["SPECWRIGHT_CORPUS"]) / "specs").iterdir()):
        try:
            document = upgrade(load(file))
        except InputError:
            continue
        pages = {
            f"{site.method} {site.key}": declared
            for site in sites.operations(document)
            if site.direction is Direction.PATH
            if (declared := detected(document, site)) is not None
        }
        count[file.name] = len(pages)
        laid = LintContext(with_pagination(document, pages))
        wrong = [*contract_shape(laid), *contract_reference(laid)]
        assert not [each for each in wrong if "x-contract-pagination" in each.pointer], file.name
    assert sum(count.values()) >= 760
    assert sum(1 for each in count.values() if each) >= 17
