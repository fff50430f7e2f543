"""Faults in the authentication of requests, and in the spelling of credentials."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from typing import Any

from pytest import MonkeyPatch
from starlette.requests import Request

from esim_service.http import document
from esim_service.keys.auth import Authenticator
from esim_service.values.entities import Principal
from lab.faults.seeding import Exchange, over_http
from lab.faults_by_others.by_hand import PLAN, Desk, shown_by
from lab.faults_by_others.edits import refuse

KEY = re.compile(r"pes_(test|live)_[0-9a-f]{48}")


def _read_as(patch: MonkeyPatch, change: Callable[[str], str]) -> None:
    """Change keys before they are looked up."""
    look_up = Authenticator.__call__

    async def changed(self: Authenticator, credential: str, request: Request) -> Principal | None:
        return await look_up(self, change(credential), request)

    patch.setattr(Authenticator, "__call__", changed)


def _with(desk: Desk, **headers: str) -> int:
    return int(desk.anybody.get("/balance", headers=headers).status_code)


def _capitals(desk: Desk) -> bool:
    prefix, kind, digits = desk.key().split("_")
    return _with(desk, Authorization=f"Bearer {prefix}_{kind}_{digits.upper()}") == 401


@shown_by(_capitals)
def key_in_capitals(patch: MonkeyPatch) -> None:
    """A key may be written in capitals.

    “`pes_test_` / `pes_live_` + 48 lower-case hex”
    """
    _read_as(patch, str.lower)


@shown_by(lambda desk: _with(desk, Authorization=f"Bearer {desk.key()}00") == 401)
def key_with_more_behind(patch: MonkeyPatch) -> None:
    """Text after a key is ignored.

    “A test-mode key is a fixed test-mode prefix followed by 48 hexadecimal characters.”
    """
    _read_as(patch, lambda credential: credential[:57])


@shown_by(lambda desk: desk.anybody.get(f"/balance?api_key={desk.key()}").status_code == 401)
def key_in_the_query(patch: MonkeyPatch) -> None:
    """A key may stand in the query instead.

    “Every request carries the header Authorization: Bearer <API_KEY>.”
    """

    def move(exchange: Exchange) -> None:
        found = re.search(r"\b(?:api_key|key|token|access_token)=([^&]+)", exchange.query)
        if found and "authorization" not in exchange.fields:
            exchange.fields["authorization"] = f"Bearer {found[1]}"

    over_http(patch, ".*", asked=move)


@shown_by(lambda desk: _with(desk, Authorization=desk.key()) == 401)
def key_without_a_scheme(patch: MonkeyPatch) -> None:
    """A key may stand in the header without a scheme, or with another one.

    “Every request carries the header Authorization: Bearer <API_KEY>.”
    """

    def complete(exchange: Exchange) -> None:
        if found := KEY.search(exchange.fields.get("authorization", "")):
            exchange.fields["authorization"] = f"Bearer {found[0]}"

    over_http(patch, ".*", asked=complete)


@shown_by(lambda desk: _with(desk, **{"X-Api-Key": desk.key()}) == 401)
def key_in_another_header(patch: MonkeyPatch) -> None:
    """A key may stand in X-Api-Key instead.

    “Every request carries the header Authorization: Bearer <API_KEY>.”
    """

    def move(exchange: Exchange) -> None:
        if "authorization" not in exchange.fields and "x-api-key" in exchange.fields:
            exchange.fields["authorization"] = f"Bearer {exchange.fields['x-api-key']}"

    over_http(patch, ".*", asked=move)


def _challenge(desk: Desk) -> bool:
    answer = desk.anybody.get("/balance", headers={"Authorization": f"Bearer pes_test_{'0' * 48}"})
    return answer.headers.get("www-authenticate") == "Bearer"


@shown_by(_challenge)
def no_challenge_for_a_wrong_key(patch: MonkeyPatch) -> None:
    """A wrong key is refused without the scheme that is wanted; a missing one is not.

    “invalid_api_key (malformed, unknown, revoked: one answer) + `WWW-Authenticate: Bearer`”
    """

    def drop(exchange: Exchange) -> None:
        if exchange.status == 401 and "authorization" in exchange.fields:
            exchange.headers.pop("www-authenticate", None)

    over_http(patch, ".*", answered=drop)


@shown_by(lambda desk: _with(desk, Authorization=f"Bearer pes_test_{'0' * 48}") == 401)
def unknown_key_is_forbidden(patch: MonkeyPatch) -> None:
    """An unknown key of the right form is answered with 403.

    “invalid_api_key (malformed, unknown, revoked: one answer)”
    """

    def forbid(exchange: Exchange) -> None:
        sent = exchange.fields.get("authorization", "").removeprefix("Bearer ")
        if exchange.status == 401 and KEY.fullmatch(sent):
            refuse(exchange, 403, "partner_suspended")

    over_http(patch, ".*", answered=forbid)


@shown_by(lambda desk: desk.anybody.get(f"/plans/{PLAN}").status_code == 401)
def plan_without_a_key(patch: MonkeyPatch) -> None:
    """One plan of the catalogue can be read without a key.

    “All endpoints require authentication (section 5).”
    """
    catalogue = json.loads(
        (resources.files("esim_service") / "data" / "catalogue.json").read_text()
    )
    plans: dict[str, Any] = {plan["plan_id"]: plan for plan in catalogue["plans"]}

    def show(exchange: Exchange) -> None:
        found = plans.get(exchange.call.rpartition("/")[2])
        if exchange.status == 401 and found is not None:
            exchange.status, exchange.json = 200, found
            exchange.headers["content-type"] = "application/json"

    over_http(patch, "GET /plans/[^/]+", answered=show)


@shown_by(lambda desk: desk.anybody.get("/nothing-here").status_code == 401)
def route_before_the_key(patch: MonkeyPatch) -> None:
    """Without a key, a path that does not exist is not found.

    “authentication, rate limit, route, body and query”
    """
    paths = [re.sub(r"\{[^}]*\}", "[^/]+", path) for path in document.load()["paths"]]
    known = re.compile("|".join(paths))

    def find(exchange: Exchange) -> None:
        if exchange.status == 401 and not known.fullmatch(exchange.call.partition(" ")[2]):
            refuse(exchange, 404, "route_not_found")

    over_http(patch, ".*", answered=find)


def _body_after_key(desk: Desk) -> bool:
    headers = {"Content-Type": "application/json"}
    return desk.anybody.post("/orders", content=b"{", headers=headers).status_code == 401


@shown_by(_body_after_key)
def body_before_the_key(patch: MonkeyPatch) -> None:
    """A body that is not JSON is refused before anybody asks for a key.

    “Order of checks | authentication, rate limit, route, body and query”
    """

    def parse(exchange: Exchange) -> None:
        try:
            json.loads(exchange.sent)
        except (ValueError, RecursionError):
            if exchange.status == 401:
                refuse(exchange, 400, "invalid_json")

    over_http(patch, "POST /(orders|webhook-endpoints|esims/[^/]+/topups)", answered=parse)
