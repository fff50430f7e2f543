"""Edits that several classes of faults make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest import MonkeyPatch

from lab.faults.seeding import Exchange, in_answers, over_http

LISTS = r"GET /(plans|orders|esims|events)"
TYPES = {401: "authentication_error", 404: "not_found_error", 409: "idempotency_error"}


def refuse(exchange: Exchange, status: int, code: str, message: str = "It is refused.") -> None:
    """Answer with an error of the contract instead."""
    exchange.status = status
    exchange.headers["content-type"] = "application/json"
    exchange.json = {
        "error": {
            "type": TYPES.get(status, "invalid_request_error" if status < 500 else "api_error"),
            "code": code,
            "message": message,
            "param": None,
            "request_id": exchange.headers["request-id"],
        }
    }


def refuse_if(
    patch: MonkeyPatch, calls: str, condition: Callable[[Exchange], bool], status: int, code: str
) -> None:
    """Answer some requests with an error, before the service sees what they ask for."""
    chosen: dict[int, bool] = {}

    def asked(exchange: Exchange) -> None:
        chosen[id(exchange)] = condition(exchange)
        if chosen[id(exchange)]:
            # Any body that nothing comes of.
            exchange.sent = b"{}"

    def answered(exchange: Exchange) -> None:
        if chosen.pop(id(exchange)) and exchange.status not in (401, 429):
            refuse(exchange, status, code)

    over_http(patch, calls, asked=asked, answered=answered)


def in_items(patch: MonkeyPatch, calls: str, change: Callable[[Any], None]) -> None:
    """Change resources in answers, alone or in a list."""

    def each(value: Any) -> None:
        found = value.get("data")
        for item in found if isinstance(found, list) else [value]:
            change(item)

    in_answers(patch, calls, each)
