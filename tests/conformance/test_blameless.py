"""Correct servers, which the side effects of a test must not make look wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from specwright.conformance.checks.lifecycle.deletion import deleted
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.checks.robustness.hostile_text import hostile
from specwright.conformance.checks.robustness.malformed_requests import robustness
from tests.conformance.fastapi_apps import driver_of, messages

READ_ONLY = {"readOnly": True}
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "It is not there."}}


class Coffee(BaseModel):
    """A schema for requests and responses alike."""

    id: Annotated[int, Field(json_schema_extra=READ_ONLY)] = 1
    roast: Annotated[str, Field(max_length=9)]


def test_members_that_are_only_read_are_not_demanded_and_not_blamed(tmp_path: Path) -> None:
    app = FastAPI()

    @app.post("/coffees")
    def add(coffee: dict[str, Any]) -> dict[str, Any]:
        # Read-only members are ignored, valid or not.
        if not isinstance(coffee.get("roast"), str) or len(coffee["roast"]) > 9:
            raise HTTPException(422)
        return {"id": 1, "roast": coffee["roast"]}

    described = app.openapi()
    schema = Coffee.model_json_schema()
    schema["required"] = ["id", "roast"]
    content = described["paths"]["/coffees"]["post"]["requestBody"]["content"]
    content["application/json"]["schema"] = schema
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        sent = [exchange.request.json_or_none for exchange in driver.target.record.exchanges]
        validation(driver)
        hostile(driver)
        assert {"roast": "text"} in sent
        assert messages(driver, "invalid-accepted") == []
        assert driver.target.record.checked["invalid-accepted"]


def test_unknown_members_are_not_blamed_for_what_was_wrong_without_them(tmp_path: Path) -> None:
    app = FastAPI()

    @app.post("/coffees")
    def add(coffee: dict[str, Any]) -> dict[str, Any]:
        return coffee

    content = app.openapi()["paths"]["/coffees"]["post"]["requestBody"]["content"]
    content["application/json"]["schema"] = Coffee.model_json_schema()
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        [(pointer, (call, exchange))] = driver.successes.items()
        driver.successes[pointer] = call.with_member("/roast", 1), exchange
        hostile(driver)
        assert [
            message for message in messages(driver, "invalid-accepted") if "unknown" in message
        ] == []


def test_a_method_of_another_path_that_fits_is_not_undeclared(tmp_path: Path) -> None:
    app = FastAPI()

    @app.get("/coffees/best")
    @app.get("/roasts/best")
    def best() -> dict[str, str]:
        return {}

    @app.put("/coffees/{name}")
    def change(name: str) -> dict[str, str]:
        return {}

    @app.put("/roasts/{name:path}", include_in_schema=False)
    def everything(name: str) -> dict[str, str]:
        return {}

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        robustness(driver)
        assert messages(driver, "method-not-allowed") == [
            "PUT /roasts/best is not in the document and returned 200, not 405"
        ]


def upsert() -> FastAPI:
    """Coffees that a PUT makes, and settings that a DELETE clears."""
    app = FastAPI()
    coffees: dict[str, dict[str, Any]] = {}

    @app.put("/coffees/{name}", responses={201: {}, **NOT_FOUND})
    def put(name: str, coffee: Coffee) -> Response:
        is_new = name not in coffees
        coffees[name] = coffee.model_dump()
        return JSONResponse(coffees[name], 201 if is_new else 200)

    @app.get("/coffees/{name}", responses=NOT_FOUND)
    def get(name: str) -> Coffee:
        if name not in coffees:
            raise HTTPException(404)
        return Coffee(**coffees[name])

    @app.delete("/coffees/{name}", status_code=204, responses=NOT_FOUND)
    def remove(name: str) -> None:
        if coffees.pop(name, None) is None:
            raise HTTPException(404)

    @app.get("/roasters/{name}/settings")
    def settings(name: str) -> dict[str, str]:
        return {"roast": "light"}

    @app.delete("/roasters/{name}/settings", status_code=204)
    def clear(name: str) -> None:
        return None

    return app


def test_what_a_put_makes_is_there_and_what_is_cleared_has_defaults(tmp_path: Path) -> None:
    with driver_of(upsert(), tmp_path) as driver:
        explore(driver)
        robustness(driver)
        deleted(driver)
        assert driver.target.record.checked["deleted-is-gone"] == {
            "/paths/~1coffees~1{name}/delete"
        }
        assert messages(driver, "deleted-is-gone", "created-is-found") == []
