"""Resources by HEAD, by ranges, and for pages of other origins."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI, Request, Response
from starlette.responses import PlainTextResponse

from specwright.conformance.checks.robustness.representations import (
    ANY_ORIGIN,
    HEAD_IS_GET,
    RANGE,
    representations,
)
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (HEAD_IS_GET, RANGE, ANY_ORIGIN)
AT = "GET /file"


def answer(request: Request, bug: str) -> Response:
    """Return a file as a server does that is right but for one bug."""
    headers = {"Accept-Ranges": "none" if bug == "no ranges" else "bytes"}
    origin, wanted = request.headers.get("origin"), request.headers.get("range")
    if origin is not None:
        named = origin if bug.startswith("any origin") else "https://a.example"
        headers["Access-Control-Allow-Origin"] = "*" if bug == "star" else named
        if bug in ("any origin", "any origin, a token", "any origin, a password", "star"):
            headers["Access-Control-Allow-Credentials"] = "true"
    if request.method == "HEAD":
        kinds = {"head lacks": 404, "no head": 405}
        return PlainTextResponse(
            status_code=kinds.get(bug, 200),
            media_type="text/html" if bug == "head differs" else "text/plain",
        )
    if wanted == "bytes=1-1" and bug not in ("whole", "no ranges"):
        body = b"abc" if bug == "long" else b"b"
        length = 3 if bug != "length" else 4
        total = "*" if bug == "unknown length" else str(length)
        if bug != "no content-range":
            headers["Content-Range"] = f"bytes 1-1/{total}"
        return PlainTextResponse(body, 200 if bug == "status" else 206, headers)
    return PlainTextResponse(b"abc", 200, headers)


@pytest.mark.parametrize(
    ("bug", "violations"),
    [
        ("", []),
        ("no ranges", []),
        ("unknown length", []),
        ("no head", []),
        ("star", []),
        ("any origin, no cookies", []),
        ("any origin, a token", []),
        ("any origin, a password", [f"{AT}: pages of any origin may send credentials"]),
        ("status", [f"{AT}: a range is answered 200 with 1 bytes"]),
        ("whole", [f"{AT}: a range is answered 200 with 3 bytes"]),
        ("long", [f"{AT}: a range is answered 206 with 3 bytes"]),
        ("length", [f"{AT}: a range is answered 206 with 1 bytes"]),
        ("no content-range", [f"{AT}: a range is answered 206 with 1 bytes"]),
        ("head lacks", []),
        ("head differs", [f"{AT}: HEAD has another Content-Type than GET"]),
        ("any origin", [f"{AT}: pages of any origin may send credentials"]),
    ],
)
def test_representations(tmp_path: Path, bug: str, violations: list[str]) -> None:
    app = FastAPI()

    @app.api_route("/file", methods=["GET", "HEAD"], include_in_schema=False)
    def file(request: Request) -> Response:
        return answer(request, bug)

    text = {"200": {"description": "It.", "content": {"text/plain": {}}}}
    secured = [{"session": []}]
    operation = {"operationId": "file", "responses": text, "security": secured}
    app.openapi()["paths"] = {"/file": {"get": operation}}
    # With a token, a page of another origin has nothing to send.
    kind = "bearer" if bug == "any origin, a token" else "basic"
    cookie = {"type": "apiKey", "in": "cookie", "name": "sid"}
    http = {"type": "http", "scheme": kind}
    scheme = cookie if bug == "any origin" else http
    app.openapi()["components"] = {"securitySchemes": {"session": scheme}}
    with driver_of(app, tmp_path) as driver:
        assert driver.first_success(driver.contract.by_id["file"]) is not None
        representations(driver)
        assert messages(driver, *PROVEN) == violations
