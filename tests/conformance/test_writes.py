"""Written values can be read afterwards, in the form that the server gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

from specwright.conformance.checks.lifecycle.read_after_write import written
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

# Rules that the tests of this page see broken.
PROVEN = {"written-is-read"}


class Sent(BaseModel):
    """The body of a request."""

    # A change does not change the id in its path, whatever its body has.
    id: str | None = None
    title: str | None = None
    price: float = Field(default=1, ge=0)
    is_shown: bool = False
    password: str = Field(default="x", json_schema_extra={"writeOnly": True})
    # Only the server writes this one.
    owner: str = Field(default="you", json_schema_extra={"readOnly": True})


class Read(Sent):
    """The body of a response."""

    id: str
    # The server returns it in another form.
    price: str = ""  # type: ignore[assignment]


def shop(bug: str = "") -> FastAPI:
    app, items = FastAPI(), dict[str, dict[str, Any]]()

    def shown(id: str) -> dict[str, Any]:
        if id not in items:
            raise HTTPException(404)
        return {**items[id], "id": id, "price": str(items[id]["price"]), "password": "***"}

    def stored(item: Sent, method: str) -> dict[str, Any]:
        found = item.model_dump(exclude_unset=True, exclude={"id"})
        if bug == f"{method} forgets":
            found.pop("title", None)
        if isinstance(found.get("title"), str):
            # Normalised by the server.
            found["title"] = found["title"].upper()
        return found | {"owner": "me"}

    @app.post("/items/", status_code=201)
    def add(item: Sent) -> Read:
        new = Sent().model_dump() | stored(item, "POST")
        items[id := str(uuid4())] = new
        return Read(**shown(id))

    @app.get("/items/{item_id}")
    def get(item_id: str) -> Read:
        return Read(**shown(item_id))

    @app.patch("/items/{id}")
    def change(id: str, item: Sent) -> None:
        shown(id)
        items[id] |= stored(item, "PATCH")

    return app


@pytest.mark.parametrize("bug", ["", "PATCH forgets", "POST forgets"])
def test_a_member_that_is_not_stored_is_found(tmp_path: Path, bug: str) -> None:
    with driver_of(shop(bug), tmp_path) as driver:
        explore(driver)
        written(driver)
        found = messages(driver, "written-is-read")
        method = bug.partition(" ")[0]
        assert [each.partition(" ")[0] for each in found] == ([method] if bug else [])
        assert all("'title' is the same after two values were written" in each for each in found)
        causes = {violation.cause for violation in driver.target.record.violations}
        assert causes == ({"a value is the same after two values were written"} if bug else set())
        checked = driver.target.record.checked["written-is-read"]
        assert {each.rpartition("/")[2] for each in checked} == {"id", "title", "is_shown"}


def test_a_path_variable_that_the_document_does_not_declare_is_no_obstacle(tmp_path: Path) -> None:
    app, kept = FastAPI(), dict[str, Any](title="a")

    @app.get("/items/{item_id}")
    def get(item_id: str) -> dict[str, Any]:
        return kept

    @app.patch("/items/{id}")
    def change(id: str, item: Sent) -> dict[str, Any]:
        return kept

    paths = app.openapi()["paths"]
    read = {"type": "object", "properties": {"title": {"type": "string"}}}
    content = paths["/items/{item_id}"]["get"]["responses"]["200"]["content"]
    content["application/json"]["schema"] = read
    del paths["/items/{id}"]["patch"]["parameters"]
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        written(driver)
        (found,) = messages(driver, "written-is-read")
    assert "'title' is the same after two values were written" in found
