"""A client of a FastAPI application with a document that does not declare its pagination."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, HTTPException, Query, Response
from pydantic import BaseModel

from specwright.document.operations import sites
from specwright.document.operations.pagination import detected
from specwright.document.sources.load import load
from tests.functional.conftest import Generate
from tests.serving import Server

COUNT = 23


class Item(BaseModel):
    id: int


class Numbered(BaseModel):
    items: list[Item]
    total: int


class Continued(BaseModel):
    data: list[Item]
    next_cursor: str | None


ITEMS = [Item(id=number) for number in range(COUNT)]
app = FastAPI(servers=[{"url": "/"}])
LINK = {"headers": {"Link": {"schema": {"type": "string"}}}}


@app.get("/plain", operation_id="listPlain", tags=["items"])
def plain(skip: int = 0, limit: Annotated[int, Query(le=10)] = 10) -> list[Item]:
    return ITEMS[skip : skip + limit]


@app.get("/numbered", operation_id="listNumbered", tags=["items"])
def numbered(page: int = 1, per_page: int = 10) -> Numbered:
    return Numbered(items=ITEMS[(page - 1) * per_page : page * per_page], total=COUNT)


@app.get("/continued", operation_id="listContinued", tags=["items"])
def continued(cursor: str | None = None) -> Continued:
    start = int(cursor or 0)
    following = str(start + 10) if start + 10 < COUNT else None
    return Continued(data=ITEMS[start : start + 10], next_cursor=following)


@app.get("/linked", operation_id="listLinked", tags=["items"], responses={200: LINK})
def linked(response: Response, page: int = 1) -> list[Item]:
    if page * 10 < COUNT:
        response.headers["Link"] = f'<http://inside.test/linked?page={page + 1}>; rel="next"'
    return ITEMS[(page - 1) * 10 : page * 10]


@app.get("/items/{id}", operation_id="getItem", tags=["items"])
def get(id: int) -> Item:
    if id >= COUNT:
        raise HTTPException(404, "Item not found")
    return ITEMS[id]


@pytest.fixture(scope="module")
def client(package: Generate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    file = tmp_path_factory.mktemp("fastapi") / "openapi.json"
    file.write_text(json.dumps(app.openapi()))
    document = load(Path(file))
    found = {site.name: detected(document, site) for site in sites.operations(document)}
    pages = {name: declared for name, declared in found.items() if declared is not None}
    made = package(app.openapi(), pagination=pages)
    with Server(app) as server, made.Client(base_url=server.url) as client:
        client.made = made
        yield client


@pytest.mark.parametrize("name", ["plain", "numbered", "continued", "linked"])
def test_every_list_is_read_to_its_end(client: Any, name: str) -> None:
    listed = getattr(client.items, f"list_{name}")()
    assert [each.id for each in listed] == list(range(COUNT))
    assert sum(1 for _ in listed.pages()) >= 3


def test_errors_say_what_the_application_said(client: Any) -> None:
    with pytest.raises(client.made.NotFoundError, match=r"^404: Item not found$") as caught:
        client.items.get_item(COUNT)
    assert caught.value.body is None
    with pytest.raises(client.made.UnprocessableContentError) as invalid:
        client.items.list_plain(request_options={"extra_query": {"skip": "x", "limit": 99}})
    body = invalid.value.body
    assert isinstance(body, client.made.models.HTTPValidationError)
    assert [each.loc for each in body.detail] == [["query", "skip"], ["query", "limit"]]
    assert str(invalid.value).startswith("422: query.skip: Input should be a valid integer")
