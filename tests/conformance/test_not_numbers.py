"""NaN and infinity in bodies: many parsers read them, and no response can have them."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from specwright.conformance.checks.robustness.failures import SERVER_ERROR
from specwright.conformance.checks.robustness.hostile_text import hostile
from tests.conformance.fastapi_apps import driver_of, messages


def test_a_server_that_fails_to_write_what_it_has_read_is_found(tmp_path: Path) -> None:
    app = FastAPI()

    @app.post("/items", include_in_schema=False)
    async def create(request: Request) -> Response:
        try:
            return JSONResponse(await request.json())
        except ValueError as error:
            # Infinity is read by Python's parser, and refused when a response is written.
            return JSONResponse({}, 500 if "JSON compliant" in str(error) else 400)

    schema = {
        "type": "object",
        "required": ["title", "price"],
        "properties": {"title": {"type": "string"}, "price": {"type": "number"}},
    }
    content = {"application/json": {"schema": schema}}
    responses = {"200": {"description": "It.", "content": content}}
    operation = {"requestBody": {"content": content, "required": True}, "responses": responses}
    app.openapi()["paths"] = {"/items": {"post": operation}}
    with driver_of(app, tmp_path) as driver:
        assert driver.first_success(driver.contract.operations["/paths/~1items/post"]) is not None
        hostile(driver)
        assert any("500" in message for message in messages(driver, SERVER_ERROR))
