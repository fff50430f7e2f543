"""References in requests to resources of another tenant."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from specwright.conformance.checks.access.references import FOREIGN_REFERENCE, references
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from tests.conformance.fastapi_apps import messages
from tests.conformance.shop import KEYS
from tests.serving import Server

PROVEN = (FOREIGN_REFERENCE,)
ANNA, BERT, *_ = KEYS
FOREIGN = "'shelf_id' may refer to a resource of another tenant, and not to a missing one"


class Shelf(BaseModel):
    name: str = "plain"


class Book(BaseModel):
    title: str = "plain"
    shelf_id: int | None = None


class Target(BaseModel):
    shelf_id: int


@dataclass
class Library:
    """A server of books on shelves.

    Attributes:
        open_: a book may be put on any shelf.
        unchecked: a reference may be to nothing.
        public: all tenants can read a shelf.
        unique: there is one shelf of a name in all.
        resets: the keys that have reset it.
    """

    open_: bool = False
    unchecked: bool = False
    public: bool = False
    unique: bool = False
    resets: list[str] = field(default_factory=list)

    def app(self) -> FastAPI:
        app, numbers = FastAPI(), count(1)
        shelves, books = dict[int, tuple[str, str]](), dict[int, str]()
        key = Depends(APIKeyHeader(name="X-Key"))

        def check(shelf_id: int | None, who: str) -> None:
            owner = who if shelf_id is None else shelves.get(shelf_id, ("", ""))[0]
            is_there = owner == who or (owner != "" and self.open_)
            if not (is_there or self.unchecked):
                raise HTTPException(404)

        @app.post("/shelves", status_code=201)
        def add_shelf(shelf: Shelf, who: str = key) -> dict[str, int]:
            if self.unique and shelf.name in [name for _, name in shelves.values()]:
                raise HTTPException(409)
            number = next(numbers)
            shelves[number] = who, shelf.name
            return {"id": number}

        @app.get("/shelves/{shelf_id}")
        def shelf(shelf_id: int, who: str = key) -> dict[str, int]:
            if shelf_id not in shelves or (shelves[shelf_id][0] != who and not self.public):
                raise HTTPException(404)
            return {"id": shelf_id}

        @app.post("/reset", status_code=204)
        def reset(who: str = key) -> None:
            self.resets.append(who)

        @app.post("/books", status_code=201)
        def add_book(book: Book, who: str = key) -> dict[str, int]:
            check(book.shelf_id, who)
            books[number := next(numbers)] = who
            return {"id": number}

        @app.post("/books/{book_id}/move")
        def move(book_id: int, target: Target, who: str = key) -> dict[str, int]:
            if books.get(book_id) != who:
                raise HTTPException(404)
            check(target.shelf_id, who)
            return {"id": book_id}

        return app


@pytest.mark.parametrize(
    ("library", "is_blamed"),
    [
        (Library(), False),
        (Library(open_=True), True),
        (Library(open_=True, unique=True), True),
        # Any number is accepted, and shows nothing.
        (Library(open_=True, unchecked=True), False),
        (Library(open_=True, public=True), False),
    ],
)
@pytest.mark.parametrize("roles", [(MAIN, OTHER_TENANT), (MAIN,)])
def test_references_to_resources_of_others(
    tmp_path: Path, library: Library, is_blamed: bool, roles: tuple[str, ...]
) -> None:
    app = library.app()
    path = tmp_path / "library.json"
    path.write_text(json.dumps(app.openapi()), "utf-8")
    contract = Contract(load(path))
    keys = dict(zip(roles, (ANNA, BERT), strict=False))
    credential = Credential.of(contract.document)
    with Server(app) as server, TargetServer(server.url, credential, Record(), keys) as target:
        driver = Driver(contract, target, "scenarios")
        explore(driver)
        [reset] = [each for each in contract.operations.values() if each.site.key == "/reset"]
        assert driver.first_success(reset) is not None
        before = dict(driver.successes)
        references(driver)
        wanted = ["POST /books", "POST /books/{book_id}/move"] if is_blamed and roles[1:] else []
        assert messages(driver, FOREIGN_REFERENCE) == [f"{name}: {FOREIGN}" for name in wanted]
        assert driver.successes.keys() == before.keys()
        assert BERT not in library.resets
