"""Errors that show what is behind a server, and responses that shared caches may keep."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse

from specwright.conformance.checks.responses.exposure import INTERNALS_SHOWN, SHARED_CACHE
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (INTERNALS_SHOWN, SHARED_CACHE)


def _python() -> str:
    try:
        raise KeyError("stock")
    except KeyError:
        return traceback.format_exc()


NODE = "Error: no\n    at Items.read (/srv/app/items.js:12:7)\n    at next (/srv/app/x.js:1:2)"
JAVA = "java.lang.NullPointerException: null\n\tat com.example.Items.read(Items.java:42)"
GO = "panic: runtime error\n\nmain.read(0x0)\n\t/srv/items.go:42 +0x1d"
PHP = "#0 /srv/items.php(42): read()"
RUBY = "/srv/items.rb:42:in `read': no (KeyError)"
TRACE, DATABASE = "a stack trace", "a message of the database"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (_python(), TRACE),
        (NODE, TRACE),
        (JAVA, TRACE),
        (GO, TRACE),
        (PHP, TRACE),
        (RUBY, TRACE),
        ('syntax error at or near "x"', DATABASE),
        ("SQLSTATE[42S02]: Base table or view not found", DATABASE),
        ("sqlite3.OperationalError: no such table", DATABASE),
        ("psycopg.errors.UniqueViolation", DATABASE),
        ('duplicate key value violates unique constraint "items_pkey"', DATABASE),
        ("ORA-00942: table or view does not exist", DATABASE),
        ("The item does not exist, look at line 7 of your file.", None),
        ("a value is duplicate (see https://example.com/errors#42)", None),
        ("We meet at Items (room 4:30)", None),
    ],
)
@pytest.mark.parametrize("status", [500, 400, 200])
def test_an_error_that_shows_internals_is_found(
    tmp_path: Path, text: str, shown: str | None, status: int
) -> None:
    app = FastAPI()

    @app.get("/items")
    def items() -> Response:
        return JSONResponse({"detail": text}, status)

    with driver_of(app, tmp_path) as driver:
        driver.first_success(driver.contract.operations["/paths/~1items/get"])
        is_error = status >= 400 and shown is not None
        wanted = [f"GET /items: an error shows {shown}"] if is_error else []
        assert messages(driver, INTERNALS_SHOWN) == wanted


@pytest.mark.parametrize(
    ("headers", "is_secured", "message"),
    [
        ({"Cache-Control": "public, max-age=60"}, True, "public"),
        ({"Cache-Control": "max-age=60, S-MaxAge=5"}, True, "s-maxage"),
        ({"Cache-Control": "private, max-age=60"}, True, ""),
        ({"Cache-Control": 'private="x-public"'}, True, ""),
        ({"Cache-Control": "public", "Vary": "Accept, Authorization"}, True, ""),
        ({"Cache-Control": "public", "Vary": "Accept"}, True, "public"),
        ({"Cache-Control": "public"}, False, ""),
        ({}, True, ""),
    ],
)
def test_a_response_with_credentials_is_not_for_shared_caches(
    tmp_path: Path, headers: dict[str, str], is_secured: bool, message: str
) -> None:
    app = FastAPI()
    secured = [{"key": []}] if is_secured else []
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}

    @app.get("/items", openapi_extra={"security": secured})
    def items() -> Response:
        return JSONResponse([], headers=headers)

    app.openapi()["components"] = {"securitySchemes": {"key": scheme}}
    with driver_of(app, tmp_path) as driver:
        driver.first_success(driver.contract.operations["/paths/~1items/get"])
        said = f"GET /items: Cache-Control is {message}, and the request has credentials"
        assert messages(driver, SHARED_CACHE) == ([said] if message else [])
