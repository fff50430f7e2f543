"""Bodies with lists of objects: the objects are tried like the body itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException, Request

from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.contract.calls import OperationCall
from tests.conformance.fastapi_apps import driver_of, messages

LINE = {
    "type": "object",
    "required": ["name", "quantity"],
    "properties": {"name": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
LIST = {"type": "array", "minItems": 1, "items": LINE}
ORDER = {"type": "object", "required": ["lines"], "properties": {"lines": LIST}}


def is_right(line: Any, bug: str) -> bool:
    """Return whether a line fits the schema, or is accepted by mistake."""
    if not isinstance(line, dict) or line.keys() - {"name", "quantity"} - {bug}:
        return False
    if "name" not in line:
        return bug == "without a name"
    quantity = line.get("quantity")
    if type(quantity) is not int:
        return False
    return type(line["name"]) is str and (quantity >= 1 or bug == "none of it")


def orders(bug: str) -> FastAPI:
    app = FastAPI()
    body = {"required": True, "content": {"application/json": {"schema": ORDER}}}

    @app.post("/orders", status_code=201, openapi_extra={"requestBody": body})
    async def add(request: Request) -> dict[str, int]:
        try:
            lines = (await request.json())["lines"]
        except (KeyError, TypeError, ValueError):
            raise HTTPException(422) from None
        if not isinstance(lines, list) or not lines or not all(is_right(e, bug) for e in lines):
            raise HTTPException(422)
        return {"id": 1}

    return app


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("", []),
        ("none of it", ["POST /orders accepted lines.0.quantity = 0 (minimum 1.0): 201"]),
        ("without a name", ["POST /orders accepted a body without lines.0.name: 201"]),
        (
            "unknownMember",
            ["POST /orders accepted a body with unknown members in lines.0: 201"],
        ),
    ],
)
def test_items_are_validated(tmp_path: Path, bug: str, said: list[str]) -> None:
    with driver_of(orders(bug), tmp_path) as driver:
        explore(driver)
        validation(driver)
        assert messages(driver, "invalid-accepted", "coercion") == said


def test_what_a_body_refers_to_is_new(tmp_path: Path) -> None:
    """A product that was used before is gone when bodies are tried."""
    app, products, bodies = FastAPI(), set[int](), list[Any]()
    number = {"type": "integer", "minimum": 1}
    schema = {
        "type": "object",
        "required": ["product_id", "quantity"],
        "properties": {"product_id": number, "quantity": number},
    }

    @app.post("/products", status_code=201)
    def make() -> dict[str, int]:
        products.add(len(bodies) + len(products) + 1)
        return {"id": max(products)}

    @app.delete("/products/{product_id}", status_code=204)
    def remove(product_id: int) -> None:
        if product_id not in products:
            raise HTTPException(404)
        products.remove(product_id)

    body = {"required": True, "content": {"application/json": {"schema": schema}}}

    @app.post("/orders", status_code=201, openapi_extra={"requestBody": body})
    async def add(request: Request) -> dict[str, int]:
        bodies.append(await request.json())
        if bodies[-1].get("product_id") not in products:
            raise HTTPException(404)
        return {"id": 1}

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        for name in ("POST /products", "POST /orders", "DELETE /products/{product_id}"):
            operation = next(e for e in driver.contract.operations.values() if e.name == name)
            assert driver.first_success(operation) is not None
        validation(driver)
        assert "POST /orders accepted quantity = 0 (minimum 1.0): 201" in messages(
            driver, "invalid-accepted"
        )


def test_a_member_of_an_item_is_replaced_in_its_place(tmp_path: Path) -> None:
    with driver_of(orders(""), tmp_path) as driver:
        [operation] = driver.contract.operations.values()
    call = OperationCall(operation, {}, {"lines": [{"a": 1}, {"a": 2}, {"a": 3}]})
    assert call.with_member("/lines/1/a", 0).body == {"lines": [{"a": 1}, {"a": 0}, {"a": 3}]}
    assert call.without_member("/lines/1", "a").body == {"lines": [{"a": 1}, {}, {"a": 3}]}


def lines_or_one(is_checked: bool) -> FastAPI:
    """Accept a list of lines or one of them."""
    app = FastAPI()
    schema = {"anyOf": [LIST, LINE]}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}

    @app.post("/lines", status_code=201, openapi_extra={"requestBody": body})
    async def add(request: Request) -> dict[str, int]:
        sent = await request.json()
        lines = sent if isinstance(sent, list) else [sent]
        if is_checked and (not lines or not all(is_right(line, "") for line in lines)):
            raise HTTPException(422)
        return {"id": 1}

    return app


@pytest.mark.parametrize("is_checked", [True, False])
def test_the_members_of_an_object_are_tried_where_a_list_is_sent(
    is_checked: bool, tmp_path: Path
) -> None:
    with driver_of(lines_or_one(is_checked), tmp_path) as driver:
        explore(driver)
        validation(driver)
        said = messages(driver, "invalid-accepted")
    assert bool(said) is not is_checked
