"""Isolation between partners: resources of one partner that another one can see."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from specwright.conformance.checks.access.isolation import isolation
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from tests.conformance.shop import KEYS
from tests.conformance.test_command import Exchange, playing
from tests.serving import Server

# Rules that the tests of this page see broken.
PROVEN = {"isolation-agrees"}

PAGE = {**dict.fromkeys(("cursor", "limit", "next", "more")), "items": "/data", "id": "/id"}

ANNA, BERT, *_ = KEYS
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
LINKS = {
    name: {"operationId": name, "parameters": {"id": "$response.body#/0/id"}}
    for name in ("getItem", "getStock")
}


def reading(name: str, **members: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": {}}}
    answer = {"description": "…", "content": content, **members}
    parameters = [] if members else [ID]
    return {"get": {"operationId": name, "parameters": parameters, "responses": {"200": answer}}}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1"},
    "security": [{"key": []}],
    "paths": {
        "/items": reading("listItems", links=LINKS),
        "/items/{id}": reading("getItem"),
        "/items/{id}/stock": reading("getStock"),
    },
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
}


@pytest.mark.parametrize(("status", "is_blamed"), [(200, False), (404, True), (429, False)])
def test_what_another_partner_does_not_find_is_hidden_from_it_everywhere(
    tmp_path: Path, status: int, is_blamed: bool
) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    contract = Contract(load(path))

    def respond(exchange: Exchange) -> None:
        is_other = exchange.headers["x-key"] == BERT
        item = b'{"id": "item-1"}'
        if is_other and exchange.path == "/items/item-1":
            exchange.answer(status, item)
        else:
            exchange.answer(200, b"[" + item + b"]" if exchange.path == "/items" else item)

    keys = {MAIN: ANNA, OTHER_TENANT: BERT}
    with (
        playing(respond) as port,
        TargetServer(
            f"http://127.0.0.1:{port}", Credential.of(contract.document), Record(), keys
        ) as target,
    ):
        driver = Driver(contract, target, "scenarios")
        explore(driver)
        # An answer that did not come says nothing of what is whose.
        target.record.add(replace(target.record.exchanges[-1], response=None))
        isolation(driver)
    said = [violation.text for violation in target.record.violations]
    blamed = [
        "GET /items: another tenant finds data of this tenant in its list",
        "GET /items/{id}/stock: another tenant reached a resource that is not its own",
    ]
    assert said == blamed * is_blamed


class Note(BaseModel):
    """The body of a request."""

    text: str = ""


def notes(way: str) -> FastAPI:
    """Notes that all may read; only their owners change them, unless they are for all."""
    app, found = FastAPI(), dict[int, dict[str, Any]]()
    key = Depends(APIKeyHeader(name="X-Key"))

    def owned(id: int, who: str) -> dict[str, Any]:
        if found[id]["owner"] != who and way != "for all":
            raise HTTPException(404)
        return found[id]

    @app.post("/notes", status_code=201)
    def add(note: Note, who: str = key) -> dict[str, Any]:
        number = len(found) + 1
        found[number] = {"id": number, "owner": who, "text": note.text}
        return {"id": number, "name": f"note-{uuid4()}"}

    @app.get("/notes")
    def listed(who: str = key) -> list[dict[str, Any]]:
        """One's own come first, and two are a page."""
        return sorted(found.values(), key=lambda each: each["owner"] != who)[:2]

    @app.get("/notes/{id}")
    def get(id: int, who: str = key) -> dict[str, Any]:
        return {"id": id, "text": found[id]["text"]}

    @app.patch("/notes/{id}")
    def change(id: int, note: Note, who: str = key) -> dict[str, Any]:
        owned(id, who)["text"] = note.text
        return {"id": id, "text": note.text}

    @app.put("/notes/{id}/star", status_code=204)
    def star(id: int, who: str = key) -> None:
        if way != "stars are for all":
            owned(id, who)

    return app


@pytest.mark.parametrize(
    ("way", "rules"),
    [
        ("for all", set()),
        ("changed by the owner", {"isolation-agrees"}),
        ("stars are for all", {"isolation", "isolation-agrees"}),
    ],
)
def test_what_is_open_is_an_error_only_where_something_hides_it(
    tmp_path: Path, way: str, rules: set[str]
) -> None:
    app = notes(way)
    path = tmp_path / "notes.json"
    path.write_text(json.dumps(app.openapi()), "utf-8")
    contract = Contract(load(path))
    keys = {MAIN: ANNA, OTHER_TENANT: BERT}
    credential = Credential.of(contract.document)
    with Server(app) as server, TargetServer(server.url, credential, Record(), keys) as target:
        driver = Driver(contract, target, "scenarios")
        explore(driver)
        made = next(
            call for call, _ in driver.successes.values() if call.operation.name == "POST /notes"
        )
        for _ in range(2):
            # The other one has a page of its own.
            driver.probe(made, OTHER_TENANT)
        isolation(driver)
        assert {violation.rule for violation in target.record.violations} == rules


class Wish(BaseModel):
    """The body of a request."""

    product: str


def wishes(is_for_all: bool) -> FastAPI:
    """Products are for all, and wishes for those who have them."""
    app, products, wished = FastAPI(), list[str](), list[tuple[str, str, str]]()
    key = Depends(APIKeyHeader(name="X-Key"))

    @app.post("/products", status_code=201)
    def add(note: Note, who: str = key) -> dict[str, str]:
        products.append(f"product-{uuid4()}")
        return {"id": products[-1]}

    @app.post("/wishes", status_code=201)
    def wish(wish: Wish, who: str = key) -> dict[str, str]:
        wished.append((who, f"wish-{uuid4()}", wish.product))
        return {"id": wished[-1][1], "product": wish.product}

    @app.get("/wishes")
    def listed(who: str = key) -> dict[str, Any]:
        mine = [entry for entry in wished if is_for_all or entry[0] == who]
        shown = [(id if who == owner else "", product) for owner, id, product in mine]
        return {"data": [{"id": id, "product": product} for id, product in shown]}

    return app


@pytest.mark.parametrize(
    ("is_for_all", "writes", "is_blamed"),
    [(False, True, False), (True, True, False), (True, False, True)],
)
def test_what_another_partner_has_written_itself_is_no_leak(
    tmp_path: Path, is_for_all: bool, writes: bool, is_blamed: bool
) -> None:
    app = wishes(is_for_all)
    document = app.openapi()
    document["paths"]["/wishes"]["get"]["x-contract-pagination"] = PAGE
    path = tmp_path / "wishes.json"
    path.write_text(json.dumps(document), "utf-8")
    contract = Contract(load(path))
    keys = {MAIN: ANNA, OTHER_TENANT: BERT}
    credential = Credential.of(contract.document)
    with Server(app) as server, TargetServer(server.url, credential, Record(), keys) as target:
        driver = Driver(contract, target, "scenarios")
        explore(driver)
        made = {call.operation.name: call for call, _ in driver.successes.values()}
        product = driver.send(made["POST /products"]).response
        assert product is not None
        wish = replace(made["POST /wishes"], body={"product": product.at("/id")})
        driver.send(wish)
        if writes:
            driver.probe(wish, OTHER_TENANT)
        isolation(driver)
        assert bool(target.record.violations) == is_blamed
