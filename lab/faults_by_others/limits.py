"""How much of something there may be."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

from pytest import MonkeyPatch

from esim_service.domain import endpoints
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import events as event_store
from esim_service.values.entities import Scope, WebhookEndpoint
from lab.faults.seeding import Exchange, over_http, substitute
from lab.faults_by_others.by_hand import (
    DAILY_TOPUP_PLAN,
    PLAN,
    Api,
    Desk,
    esim,
    fresh,
    order,
    register,
    shown_by,
    topup,
)
from lab.faults_by_others.edits import LISTS, refuse_if
from partner_esim.server import Problem


def _full() -> Problem:
    return Problem("webhook_endpoint_limit_reached", "There can be no more endpoints.")


def _registered(api: Api, count: int) -> list[int]:
    body = {"url": "https://hooks.example.com/"}
    return [api.post("/webhook-endpoints", json=body).status_code for _ in range(count)]


@shown_by(lambda desk: _registered(desk.api, 4) == [201, 201, 201, 409])
def a_fourth_endpoint(patch: MonkeyPatch) -> None:
    """There may be a fourth endpoint.

    “Up to three HTTPS webhook endpoints may be registered per mode.”
    """
    patch.setattr(endpoints, "CAPACITY", 4)


def _place_of_a_removed_one(desk: Desk) -> bool:
    _registered(desk.api, 2)
    desk.api.delete(f"/webhook-endpoints/{register(desk.api)['id']}")
    return _registered(desk.api, 1) == [201]


@shown_by(_place_of_a_removed_one)
def places_of_removed_endpoints(patch: MonkeyPatch) -> None:
    """An endpoint that was removed still takes one of the places.

    “webhook_endpoint_limit_reached for the fourth endpoint”
    “Nothing more is delivered to it.”
    """
    register, made = endpoints.register, Counter[Scope]()

    def counted(scope: Scope, *others: Any) -> Unit[WebhookEndpoint]:
        if made[scope] >= endpoints.CAPACITY:
            raise _full()
        endpoint = yield from register(scope, *others)
        made[scope] += 1
        return endpoint

    substitute(patch, register, counted)


def _places_of_both_modes(desk: Desk) -> bool:
    _registered(desk.live, 2)
    return _registered(desk.api, 3) == [201, 201, 201]


@shown_by(_places_of_both_modes)
def endpoints_of_both_modes_count(patch: MonkeyPatch) -> None:
    """The endpoints of live and test mode are counted together.

    “Webhook endpoint limits apply per mode (test and live).”
    """
    register = endpoints.register

    def counted(scope: Scope, *others: Any) -> Unit[WebhookEndpoint]:
        live = yield from event_store.endpoints(replace(scope, mode="live"))
        test = yield from event_store.endpoints(replace(scope, mode="test"))
        if len(live) + len(test) >= endpoints.CAPACITY:
            raise _full()
        return (yield from register(scope, *others))

    substitute(patch, register, counted)


@shown_by(lambda desk: order(desk.api, quantity=20).status_code == 201)
def nineteen_esims(patch: MonkeyPatch) -> None:
    """An order may have 19 eSIMs at most.

    “1 to 20, default 1”
    """
    refuse_if(
        patch,
        "POST /orders",
        lambda exchange: re.search(rb'"quantity"\s*:\s*20\b', exchange.sent) is not None,
        *(400, "out_of_range"),
    )


def _full_page(desk: Desk) -> bool:
    found = desk.api.get("/plans", params={"country": "FR", "limit": 200}).json()["data"]
    return len(found) > 20


@shown_by(_full_page)
def pages_of_twenty(patch: MonkeyPatch) -> None:
    """No page has more than 20 items, regardless of the limit.

    “Page size (limit) | 1 to 200, default 50”
    """

    def cap(exchange: Exchange) -> None:
        limit = re.search(r"\blimit=(\d+)", exchange.query)
        if limit is None or 20 < int(limit[1]) <= 200:
            rest = re.sub(r"&?\blimit=\d+", "", exchange.query)
            exchange.query = f"{rest}&limit=20".lstrip("&")

    over_http(patch, LISTS, asked=cap)


def _default_page(desk: Desk) -> bool:
    page = desk.api.get("/plans", params={"coverage": "regional"}).json()
    return len(page["data"]) == 50


@shown_by(_default_page)
def default_of_a_hundred(patch: MonkeyPatch) -> None:
    """A page has a hundred items when no limit is given.

    “1 to 200, default 50”
    """

    def more(exchange: Exchange) -> None:
        if "limit=" not in exchange.query:
            exchange.query = f"{exchange.query}&limit=100".lstrip("&")

    over_http(patch, LISTS, asked=more)


def _year_of_topup(desk: Desk) -> bool:
    iccid = esim(desk.api)["iccid"]
    return topup(desk.api, iccid, DAILY_TOPUP_PLAN, days=365).status_code == 201


@shown_by(_year_of_topup)
def no_whole_year(patch: MonkeyPatch) -> None:
    """A top-up may not last for 365 days.

    “days | integer | no | 1 to 365”
    """
    refuse_if(
        patch,
        r"POST /esims/[^/]+/topups",
        lambda exchange: re.search(rb'"days"\s*:\s*365\b', exchange.sent) is not None,
        *(400, "out_of_range"),
    )


def _large_body(desk: Desk) -> bool:
    body = json.dumps({"plan_id": PLAN, "reference": fresh()}) + " " * 70_000
    headers = {"Content-Type": "application/json"}
    return desk.api.post("/orders", content=body, headers=headers).status_code == 400


@shown_by(_large_body)
def any_size_of_body(patch: MonkeyPatch) -> None:
    """The size of a body is counted after it was parsed.

    “body_too_large (over 64 KiB)”
    """

    def shrink(exchange: Exchange) -> None:
        exchange.sent = exchange.sent.strip()

    over_http(patch, "POST /.*", asked=shrink)


def _long_url(desk: Desk) -> bool:
    url = "https://hooks.example.com/".ljust(2048, "x")
    return desk.api.post("/webhook-endpoints", json={"url": url}).status_code == 201


@shown_by(_long_url)
def short_urls(patch: MonkeyPatch) -> None:
    """The url of an endpoint may have 1024 characters.

    “Webhook url | max length 2048”
    """

    def is_long(exchange: Exchange) -> bool:
        found = re.search(rb'"url"\s*:\s*"(https://[^"]*)"', exchange.sent)
        return found is not None and 1024 < len(found[1]) <= 2048

    refuse_if(patch, "POST /webhook-endpoints", is_long, 400, "invalid_length")


def _long_reference(desk: Desk) -> bool:
    reference = fresh().ljust(200, "x")
    return order(desk.api, reference=reference).status_code == 201


@shown_by(_long_reference)
def short_references(patch: MonkeyPatch) -> None:
    """A reference of an order may have 128 characters.

    “1 to 200 printable ASCII characters (0x21 to 0x7E, so no spaces); unique per partner”
    """

    def is_long(exchange: Exchange) -> bool:
        try:
            body: Any = json.loads(exchange.sent)
            return 128 < len(body["reference"]) <= 200
        except (ValueError, LookupError, TypeError, RecursionError):
            return False

    refuse_if(patch, "POST /orders", is_long, 400, "invalid_length")
