"""How responses ask for credentials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException

from specwright.conformance.checks.access.challenges import CHALLENGE
from specwright.conformance.driver.roles import ANONYMOUS
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (CHALLENGE,)
MISSING = ["GET /items: a 401 has no WWW-Authenticate"]
BEARER = {"type": "http", "scheme": "bearer"}
OAUTH = {"type": "oauth2", "flows": {}}
KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}


@pytest.mark.parametrize(
    ("scheme", "status", "challenge", "violations"),
    [
        (BEARER, 401, None, MISSING),
        (OAUTH, 401, None, MISSING),
        (BEARER, 401, "Bearer", []),
        (BEARER, 403, None, []),
        (BEARER, 404, None, []),
        # No scheme of HTTP is registered for keys.
        (KEY, 401, None, []),
        (None, 401, None, []),
    ],
)
def test_a_401_has_a_challenge(
    tmp_path: Path,
    scheme: dict[str, Any] | None,
    status: int,
    challenge: str | None,
    violations: list[str],
) -> None:
    app = FastAPI()

    @app.get("/items")
    def items() -> None:
        headers = None if challenge is None else {"WWW-Authenticate": challenge}
        raise HTTPException(status, headers=headers)

    document = app.openapi()
    if scheme is not None:
        document["components"] = {"securitySchemes": {"user": scheme}}
        document["security"] = [{"user": []}]
    with driver_of(app, tmp_path) as driver:
        [operation] = driver.contract.operations.values()
        driver.probe(next(driver.candidates(operation)), ANONYMOUS)
        assert messages(driver, CHALLENGE) == violations
