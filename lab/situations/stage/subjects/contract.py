"""JSON examples from this repository's document, for both clients generated from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCUMENT: dict[str, Any] = json.loads(
    Path(__file__).parents[4].joinpath("spec", "openapi.json").read_text("utf-8")
)


def _first(media: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = next(iter(media["examples"].values()))["value"]
    return value


def answer(path: str, method: str, status: str) -> dict[str, Any]:
    """Return the first example of a response."""
    operation = DOCUMENT["paths"][path][method]
    return _first(operation["responses"][status]["content"]["application/json"])


def event(name: str) -> dict[str, Any]:
    """Return the first example of a webhook."""
    return _first(DOCUMENT["webhooks"][name]["post"]["requestBody"]["content"]["application/json"])


def failure(code: str) -> dict[str, Any]:
    """Return an error with a code, which need not be in the document."""
    known = DOCUMENT["x-contract-error"]["codes"].get(code, {"type": "invalid_request_error"})
    error = {"type": known["type"], "code": code, "message": "No.", "request_id": "req_1"}
    return {"error": error}


PLAN = answer("/plans/{plan_id}", "get", "200")
ORDER = answer("/orders", "post", "201")
PAGE = {"data": [PLAN], "has_more": True, "next_cursor": "c1_same"}
EVENT = event("order.completed")
CITY = {
    "kind": "city",
    "number": "7",
    "name": "Rosa",
    "gears": 7,
    "colour": "red",
    "state": "free",
    "serviced_at": "2026-03-02T09:15:04Z",
}
