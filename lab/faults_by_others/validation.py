"""Faults in the validation of requests."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode

from pytest import MonkeyPatch

from esim_service.delivery.addresses import AddressRule
from esim_service.domain import orders
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import plans
from esim_service.values.entities import TopupPlan
from lab.faults.seeding import REFUSED, Exchange, in_requests, over_http, substitute
from lab.faults_by_others.by_hand import (
    DAILY_TOPUP_PLAN,
    PLAN,
    Desk,
    esim,
    fresh,
    order,
    shown_by,
    topup,
)
from lab.faults_by_others.edits import LISTS

KNOWN = {"country", "coverage", "reference", "order_id", "type", "limit", "cursor"}
TYPES = re.compile(
    r"order\.completed|esim\.(activated|usage|depleted|expiring|expired)"
    r"|topup\.completed|balance\.low|webhook\.test"
)


@shown_by(lambda desk: order(desk.api, quantity=1.0).status_code == 201)
def integral_float_is_refused(patch: MonkeyPatch) -> None:
    """1.0 is not accepted as a number of eSIMs.

    “accepted as 10, as JSON Schema says”
    """

    def refuse(exchange: Exchange) -> None:
        if re.search(rb'"(quantity|days)"\s*:\s*[0-9]+\.0+\b', exchange.sent):
            exchange.sent = REFUSED

    over_http(patch, r"POST /(orders|esims/[^/]+/topups)", asked=refuse)


@shown_by(lambda desk: order(desk.api, quantity=True).status_code == 400)
def true_is_a_quantity(patch: MonkeyPatch) -> None:
    """True counts as 1.

    “`"10"`, true and 10.5 are refused”
    """

    def count(body: Any) -> None:
        if isinstance(body.get("quantity"), bool):
            body["quantity"] = int(body["quantity"])

    in_requests(patch, "POST /orders", count)


def _no_space_in_reference(desk: Desk) -> bool:
    iccid = esim(desk.api)["iccid"]
    return topup(desk.api, iccid, reference=f"{fresh()} again").status_code == 400


@shown_by(_no_space_in_reference)
def space_in_topup_reference(patch: MonkeyPatch) -> None:
    """The reference of a top-up may have spaces, which are replaced.

    “1 to 200 printable ASCII characters (0x21 to 0x7E)”
    """

    def replace(body: Any) -> None:
        if isinstance(body.get("reference"), str):
            body["reference"] = body["reference"].replace(" ", "_")

    in_requests(patch, "POST /esims/[^/]+/topups", replace)


@shown_by(lambda desk: order(desk.api, metadata={"note": "x" * 501}).status_code == 400)
def long_metadata_are_cut(patch: MonkeyPatch) -> None:
    """Values of metadata that are too long are cut without a word.

    “values are strings of max length 500”
    """

    def cut(body: Any) -> None:
        if isinstance(metadata := body.get("metadata"), dict):
            for name, value in metadata.items():
                metadata[name] = value[:500] if isinstance(value, str) else value

    in_requests(patch, "POST /orders", cut)


@shown_by(lambda desk: order(desk.api, end_user={"label": "a", "email": "b"}).status_code == 400)
def more_about_the_end_user(patch: MonkeyPatch) -> None:
    """Unknown properties within the end user are ignored.

    “only property: label (string, length 1 to 120); no other properties”
    """

    def ignore(body: Any) -> None:
        if isinstance(user := body.get("end_user"), dict):
            body["end_user"] = {name: user[name] for name in user if name == "label"}

    in_requests(patch, "POST /orders", ignore)


@shown_by(lambda desk: order(desk.api, days=None).status_code == 400)
def null_is_nothing(patch: MonkeyPatch) -> None:
    """An optional property of an order may be null.

    “Null for an optional request field”
    """

    def drop(body: Any) -> None:
        for name in ("days", "quantity", "end_user", "metadata"):
            if name in body and body[name] is None:
                del body[name]

    in_requests(patch, "POST /orders", drop)


@shown_by(lambda desk: desk.api.get("/orders?limit=1&limit=2").status_code == 400)
def last_of_a_repeated_parameter(patch: MonkeyPatch) -> None:
    """Of a parameter that is given twice, the last one counts.

    “a parameter given twice is 400 invalid_value”
    """

    def last(exchange: Exchange) -> None:
        exchange.query = urlencode(dict(parse_qsl(exchange.query, keep_blank_values=True)))

    over_http(patch, LISTS, asked=last)


@shown_by(lambda desk: desk.api.get("/orders?page=1").status_code == 200)
def unknown_parameter_is_refused(patch: MonkeyPatch) -> None:
    """An unknown parameter is an error.

    “unknown ones are ignored, as the source is silent”
    """

    def refuse(exchange: Exchange) -> None:
        if parse_qs(exchange.query).keys() - KNOWN:
            exchange.query = "limit=none"

    over_http(patch, LISTS, asked=refuse)


@shown_by(lambda desk: desk.api.get("/esims?limit=0").status_code == 400)
def limit_of_zero(patch: MonkeyPatch) -> None:
    """A page of no items is one of the default size.

    “1 to 200, default 50”
    """

    def ignore(exchange: Exchange) -> None:
        exchange.query = re.sub(r"\blimit=0(?=&|$)", "limit=50", exchange.query)

    over_http(patch, LISTS, asked=ignore)


def _topup_is_400(desk: Desk) -> bool:
    iccid = esim(desk.api)["iccid"]
    return desk.api.post(f"/esims/{iccid}/topups", json={}).status_code == 400


@shown_by(_topup_is_400)
def unprocessable_topup(patch: MonkeyPatch) -> None:
    """A top-up that is not valid is answered with 422.

    “every validation failure (never 422)”
    """

    def rename(exchange: Exchange) -> None:
        if exchange.status == 400:
            exchange.status = 422

    over_http(patch, "POST /esims/[^/]+/topups", answered=rename)


@shown_by(lambda desk: order(desk.api, "pln_none").status_code == 400)
def missing_plan_is_not_found(patch: MonkeyPatch) -> None:
    """An order of a plan that does not exist is answered with 404.

    “plan_not_found and topup_plan_not_found (id in a body)”
    """

    def rename(exchange: Exchange) -> None:
        if exchange.status == 400 and b'"plan_not_found"' in exchange.body:
            exchange.status = 404

    over_http(patch, "POST /orders", answered=rename)


@shown_by(lambda desk: order(desk.api, PLAN, days=3).status_code == 400)
def days_of_a_fixed_plan(patch: MonkeyPatch) -> None:
    """A fixed plan can be ordered for some days, which change nothing.

    “days_not_allowed (fixed plan with days)”
    """
    check = orders.check_days
    substitute(
        patch,
        check,
        lambda plan_type, days: check(plan_type, days if plan_type == "daily" else None),
    )


def _daily_topup_needs_days(desk: Desk) -> bool:
    return topup(desk.api, esim(desk.api)["iccid"], DAILY_TOPUP_PLAN).status_code == 400


@shown_by(_daily_topup_needs_days)
def no_days_is_one_day(patch: MonkeyPatch) -> None:
    """A daily plan without days is bought for one day.

    “days_required (daily plan without days)”
    """
    check = orders.check_days
    substitute(
        patch,
        check,
        lambda plan_type, days: check(plan_type, days or 1 if plan_type == "daily" else days),
    )


@shown_by(lambda desk: desk.api.get("/events?type=order.lost").status_code == 400)
def unknown_type_is_ignored(patch: MonkeyPatch) -> None:
    """A filter by a type of event that does not exist is ignored.

    “one of the nine event types in section 6”
    """

    def ignore(exchange: Exchange) -> None:
        sent = parse_qsl(exchange.query, keep_blank_values=True)
        kept = [pair for pair in sent if pair[0] != "type" or TYPES.fullmatch(pair[1])]
        exchange.query = urlencode(kept)

    over_http(patch, "GET /events", asked=ignore)


@shown_by(lambda desk: desk.api.get(f"/orders?reference={'x' * 201}").status_code == 400)
def long_reference_is_searched(patch: MonkeyPatch) -> None:
    """Of a reference that is too long, the beginning is searched.

    “max length 200; filters orders by reference”
    """

    def cut(exchange: Exchange) -> None:
        exchange.query = re.sub(r"(reference=[!-%'-~]{200})[^&]*", r"\1", exchange.query)

    over_http(patch, "GET /orders", asked=cut)


def _registered(desk: Desk, url: str) -> int:
    return int(desk.api.post("/webhook-endpoints", json={"url": url}).status_code)


@shown_by(lambda desk: _registered(desk, "https://me:secret@hooks.example.com/") == 400)
def user_in_a_url(patch: MonkeyPatch) -> None:
    """The url of an endpoint may have user information, which is left out.

    “https only (the schema says so with a pattern, too), no userinfo, no fragment”
    """

    def drop(body: Any) -> None:
        if isinstance(body.get("url"), str):
            body["url"] = re.sub(r"(?<=//)[^/@]*@", "", body["url"])

    in_requests(patch, "POST /webhook-endpoints", drop)


@shown_by(lambda desk: _registered(desk, "https://10.0.0.1/") == 400)
def private_url(patch: MonkeyPatch) -> None:
    """An endpoint may be an address of a private network.

    “no literal or resolved non-public address, else 400 invalid_webhook_url”
    """
    patch.setattr(AddressRule, "permits", lambda rule, address: True)


def _text_is_refused(desk: Desk) -> bool:
    body = f'{{"plan_id": "{PLAN}", "reference": "{fresh()}"}}'
    answer = desk.api.post("/orders", content=body, headers={"Content-Type": "text/plain"})
    return answer.status_code == 400


@shown_by(_text_is_refused)
def any_media_type(patch: MonkeyPatch) -> None:
    """A body is read as JSON regardless of its media type.

    “Requests and responses are JSON (application/json).” “unsupported_media_type”
    """

    def rename(exchange: Exchange) -> None:
        exchange.fields["content-type"] = "application/json"

    over_http(patch, "POST /(orders|webhook-endpoints|esims/[^/]+/topups)", asked=rename)


@shown_by(lambda desk: desk.api.get("/plans?country=FRA").status_code == 400)
def country_of_three_letters(patch: MonkeyPatch) -> None:
    """Of a country with three letters, two are taken.

    “exactly 2 letters, A-Z or a-z”
    """

    def cut(exchange: Exchange) -> None:
        exchange.query = re.sub(r"\b(country=[A-Za-z]{2})[A-Za-z]\b", r"\1", exchange.query)

    over_http(patch, "GET /plans", asked=cut)


def _not_a_topup_of_another_plan(desk: Desk) -> bool:
    answer = topup(desk.api, esim(desk.api)["iccid"], "tpl_jp-3gb-30d")
    return answer.status_code == 400


@shown_by(_not_a_topup_of_another_plan)
def any_topup_plan(patch: MonkeyPatch) -> None:
    """An eSIM can be topped up with a plan that it is not eligible for.

    “A partner lists the top-up plans an eSIM is eligible for and buys a top-up for that eSIM.”
    “esim_not_eligible”
    """
    find = plans.topup_plan

    def offered(plan_id: str, topup_plan_id: str) -> Unit[tuple[TopupPlan, bool] | None]:
        offer = yield from find(plan_id, topup_plan_id)
        return offer and (offer[0], True)

    substitute(patch, find, offered)
