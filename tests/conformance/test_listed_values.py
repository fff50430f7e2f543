"""Listed values in another case, and texts that are unfinished patterns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from fastapi import FastAPI, Header, HTTPException, Request

from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED
from specwright.conformance.checks.requests.coercion import LISTED_CASE
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.checks.robustness.failures import SERVER_ERROR
from specwright.conformance.checks.robustness.hostile_text import hostile
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (LISTED_CASE,)
Kind = Literal["new", "used"]


def app(*, folds: bool) -> FastAPI:
    """Return a server of listed values.

    Args:
        folds: it accepts them in any case.
    """
    app = FastAPI()

    def checked(value: Any) -> None:
        text = value.lower() if folds and isinstance(value, str) else value
        if text not in ("new", "used"):
            raise HTTPException(422)

    def declared_only() -> FastAPI:
        """What the document says; the requests are read by hand."""
        declaring = FastAPI()

        @declaring.get("/items")
        def items(kind: Kind = "new", coding: Annotated[Kind, Header()] = "new") -> None:
            """List items."""

        @declaring.post("/items")
        def add(item: dict[str, Any]) -> None:
            """Add an item."""

        return declaring

    @app.get("/items")
    def listed(request: Request) -> None:
        checked(request.query_params.get("kind", "new"))
        # The case of a header's value does not matter.
        if request.headers.get("coding", "new").lower() not in ("new", "used"):
            raise HTTPException(422)

    @app.post("/items")
    async def added(request: Request) -> None:
        body = await request.json()
        if not isinstance(body, dict):
            raise HTTPException(422)
        checked(body.get("kind"))

    document = declared_only().openapi()
    kinds = {"kind": {"type": "string", "enum": ["new", "used"]}}
    schema = {"type": "object", "required": ["kind"], "properties": kinds}
    content = document["paths"]["/items"]["post"]["requestBody"]["content"]
    content["application/json"]["schema"] = schema
    app.openapi().update(document)
    return app


@pytest.mark.parametrize("folds", [False, True])
def test_a_listed_value_in_another_case_is_invalid(tmp_path: Path, folds: bool) -> None:
    with driver_of(app(folds=folds), tmp_path) as driver:
        explore(driver)
        validation(driver)
        wanted = ["GET /items accepted kind", "POST /items accepted kind"] if folds else []
        assert messages(driver, INVALID_ACCEPTED) == []
        found = messages(driver, LISTED_CASE)
        assert [message.partition(" = ")[0] for message in found] == wanted
        assert all('"NEW"' in message for message in found)


@pytest.mark.parametrize("escapes", [False, True])
def test_a_text_is_not_read_as_a_pattern(tmp_path: Path, escapes: bool) -> None:
    app = FastAPI()

    @app.get("/items")
    def items(q: str) -> list[str]:
        # In SQL and elsewhere, a backslash alone is harmless.
        text = q.replace("\\", "")
        pattern = re.compile(re.escape(text) if escapes else text)
        return [item for item in ("one", "two") if pattern.search(item)]

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        hostile(driver)
        assert bool(messages(driver, SERVER_ERROR)) is not escapes


@pytest.mark.parametrize("explode", [True, False])
@pytest.mark.parametrize("accepts", [True, False])
def test_items_of_a_list_in_the_query_are_tried_by_their_enumeration(
    tmp_path: Path, explode: bool, accepts: bool
) -> None:
    app = FastAPI()
    kinds = {"type": "string", "enum": ["new", "used"]}
    seen = set[str]()

    @app.get("/items")
    def listed(request: Request) -> None:
        texts = request.query_params.getlist("kind")
        given = {text for each in texts for text in each.split(",")}
        seen.update(given)
        if not accepts and not given <= {"new", "used"}:
            raise HTTPException(422)

    get = app.openapi()["paths"]["/items"]["get"]
    get["responses"]["422"] = {"description": "Refused."}
    schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Kind"}}
    app.openapi()["components"] = {"schemas": {"Kind": kinds}}
    get["parameters"] = [{"name": "kind", "in": "query", "explode": explode, "schema": schema}]
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        validation(driver)
        wanted = ["GET /items accepted kind"] if accepts else []
        accepted = messages(driver, INVALID_ACCEPTED, LISTED_CASE)
        assert [message.partition(" = ")[0] for message in accepted[:1]] == wanted
        if accepts:
            assert '"no-such-value"' in accepted[0]
    assert {"new", "used", "no-such-value"} <= seen
