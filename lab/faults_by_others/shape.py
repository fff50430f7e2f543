"""Faults in the form of responses."""

from __future__ import annotations

import re
from typing import Any

from pytest import MonkeyPatch

from esim_service.domain import bodies
from lab.faults.seeding import Exchange, in_answers, over_http, substitute
from lab.faults_by_others.by_hand import (
    DEAR_PLAN,
    UNLIMITED_PLAN,
    Desk,
    event,
    order,
    ordered,
    register,
    shown_by,
)
from lab.faults_by_others.edits import in_items
from partner_esim._runtime.server import problems


@shown_by(lambda desk: desk.api.get("/balance").json()["balance_usd"] == "1000.00")
def money_without_zeros(patch: MonkeyPatch) -> None:
    r"""The balance is written without the zeros at its end.

    “JSON string, `^-?(0|[1-9][0-9]{0,8})\.[0-9]{2,4}$`”
    """

    def cut(balance: Any) -> None:
        balance["balance_usd"] = balance["balance_usd"].rstrip("0").rstrip(".")

    in_answers(patch, "GET /balance", cut)


@shown_by(lambda desk: order(desk.api).json()["days"] is None)
def no_days_is_zero(patch: MonkeyPatch) -> None:
    """An order of a fixed plan shows 0 days.

    “quantity, days or null, unit_price_usd”
    """

    def zero(found: Any) -> None:
        found["days"] = found["days"] or 0

    in_items(patch, r"(GET|POST) /orders(/[^/]+)?", zero)


def _few_details(desk: Desk) -> bool:
    unknown = {f"unknown_{number}": 1 for number in range(30)}
    answer = desk.api.post("/orders", json=unknown)
    return len(answer.json()["error"]["details"]) <= 20


@shown_by(_few_details)
def all_details(patch: MonkeyPatch) -> None:
    """An error lists as many details as there are.

    “`details` array (max 20) of `{param, code, message}`”
    """
    patch.setattr(problems, "MAX_DETAILS", 10_000)


def _events_end_in_z(desk: Desk) -> bool:
    ordered(desk.api)
    return bool(event(desk.api, "order.completed")["created_at"].endswith("Z"))


@shown_by(_events_end_in_z)
def event_time_with_offset(patch: MonkeyPatch) -> None:
    """Events write UTC as an offset.

    “RFC 3339 UTC with `Z`, field suffix `_at`”
    """
    made = bodies.event

    def with_offset(*values: Any) -> bytes:
        return re.sub(rb'("created_at":"[^"]*)Z"', rb'\1+00:00"', made(*values), count=1)

    substitute(patch, made, with_offset)


def _code_has_version(desk: Desk) -> bool:
    (iccid,) = ordered(desk.api)["iccids"]
    found = desk.api.get(f"/esims/{iccid}").json()
    return bool(found["activation"]["activation_code"].startswith("LPA:1$"))


@shown_by(_code_has_version)
def code_without_version(patch: MonkeyPatch) -> None:
    """The activation code lacks its prefix.

    “activation_code `LPA:1$..$..`”
    """

    def cut(esim: Any) -> None:
        activation = esim["activation"]
        activation["activation_code"] = activation["activation_code"].removeprefix("LPA:1$")

    in_items(patch, r"GET /esims(/[^/]+)?", cut)


def _deleted_with_request_id(desk: Desk) -> bool:
    endpoint = register(desk.api)
    return "request-id" in desk.api.delete(f"/webhook-endpoints/{endpoint['id']}").headers


@shown_by(_deleted_with_request_id)
def deleted_without_request_id(patch: MonkeyPatch) -> None:
    """A response without a body has no id of the request.

    “`Request-Id` header on every response”
    """

    def cut(exchange: Exchange) -> None:
        if exchange.status == 204:
            exchange.headers.pop("request-id")

    over_http(patch, "DELETE /webhook-endpoints/[^/]+", answered=cut)


@shown_by(lambda desk: desk.api.get("/x").headers["content-type"] == "application/json")
def errors_as_text(patch: MonkeyPatch) -> None:
    """Errors are JSON that is called plain text.

    “Content type application/json.”
    """

    def rename(exchange: Exchange) -> None:
        if exchange.status >= 400:
            exchange.headers["content-type"] = "text/plain; charset=utf-8"

    over_http(patch, ".*", answered=rename)


def _unlimited_is_null(desk: Desk) -> bool:
    (iccid,) = ordered(desk.api, UNLIMITED_PLAN, days=1)["iccids"]
    return desk.api.get(f"/esims/{iccid}").json()["data"]["total_bytes"] is None


@shown_by(_unlimited_is_null)
def unlimited_is_zero(patch: MonkeyPatch) -> None:
    """An eSIM without a limit of data shows a limit of 0 bytes.

    “data {total_bytes or null, used_bytes, remaining_bytes or null”
    """

    def zero(esim: Any) -> None:
        for name in ("total_bytes", "remaining_bytes"):
            esim["data"][name] = esim["data"][name] or 0

    in_items(patch, r"GET /esims(/[^/]+)?", zero)


def _payment_error(desk: Desk) -> bool:
    order(desk.api, DEAR_PLAN, quantity=20)
    order(desk.api, DEAR_PLAN, quantity=20)
    answer = order(desk.api, DEAR_PLAN, quantity=20)
    return bool(answer.status_code == 402 and answer.json()["error"]["type"] == "payment_error")


@shown_by(_payment_error)
def payment_is_a_request_error(patch: MonkeyPatch) -> None:
    """An order that cannot be paid is called an invalid request.

    “idempotency_error, rate_limit_error, api_error”
    “insufficient_balance (details carry required_usd, balance_usd)”
    """

    def rename(body: Any) -> None:
        body["error"]["type"] = "invalid_request_error"

    in_answers(patch, "POST .*", rename, statuses="402")


@shown_by(lambda desk: desk.api.get("/webhook-endpoints").json()["data"] == [])
def nothing_is_null(patch: MonkeyPatch) -> None:
    """A list without items has no array.

    “`{"data": [...], "has_more": bool, "next_cursor": string or null}` for all six”
    """

    def empty(page: Any) -> None:
        page["data"] = page["data"] or None

    in_answers(patch, r"GET /(webhook-endpoints|orders|esims)", empty)
