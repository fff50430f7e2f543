"""Faults in the responses to hostile and mistaken requests."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest import MonkeyPatch

from lab.faults.seeding import Exchange, in_requests, over_http
from lab.faults_by_others.by_hand import Answer, Desk, esim, order, shown_by
from lab.faults_by_others.edits import refuse, refuse_if

BODIES = r"POST /(orders|webhook-endpoints|esims/[^/]+/topups)"


def _posted(desk: Desk, body: bytes, path: str = "/orders") -> Answer:
    return desk.api.post(path, content=body, headers={"Content-Type": "application/json"})


def _fails_if(patch: MonkeyPatch, calls: str, pattern: bytes) -> None:
    refuse_if(
        patch,
        calls,
        lambda exchange: re.search(pattern, exchange.sent) is not None,
        *(500, "internal_error"),
    )


@shown_by(lambda desk: order(desk.api, metadata={"note": "a\0b"}).status_code == 201)
def nul_in_metadata(patch: MonkeyPatch) -> None:
    """The server fails when a text has the character U+0000.

    “values are strings of max length 500”
    """
    _fails_if(patch, "POST /orders", rb"\\u0000")


def _round_trip(desk: Desk) -> bool:
    found = order(desk.api, end_user={"label": "Zoë 🦊"}).json()
    return bool(found["end_user"]["label"] == "Zoë 🦊")


@shown_by(_round_trip)
def only_latin_letters(patch: MonkeyPatch) -> None:
    """Of the label of an end user, other letters than those of ASCII are lost.

    “end_user | object | no | only property: label (string, length 1 to 120)”
    """

    def flatten(body: Any) -> None:
        user = body.get("end_user")
        if isinstance(user, dict) and isinstance(user.get("label"), str):
            user["label"] = user["label"].encode("ascii", "replace").decode()

    in_requests(patch, "POST /orders", flatten)


@shown_by(lambda desk: _posted(desk, b"[" * 20_000, "/webhook-endpoints").status_code == 400)
def deep_body(patch: MonkeyPatch) -> None:
    """The server fails when JSON is deeply nested.

    “400 | every validation failure (never 422): invalid_json”
    """
    _fails_if(patch, BODIES, rb"(\[\s*|\{\s*\"[^\"]*\"\s*:\s*){500}")


@shown_by(lambda desk: desk.api.get("/orders/ord_%FF%00").status_code == 404)
def bytes_in_a_path(patch: MonkeyPatch) -> None:
    """The server fails when an id in a path has bytes that are not valid text.

    “404 | the resource in the path does not exist”
    """

    def fail(exchange: Exchange) -> None:
        if re.search(r"[^\x20-\x7e]", exchange.call) and exchange.status != 401:
            refuse(exchange, 500, "internal_error")

    over_http(patch, r"[A-Z]+ /(orders|esims|plans|webhook-endpoints)/.+", answered=fail)


def _json_for_unknown(desk: Desk) -> bool:
    answer = desk.api.get("/nothing-here")
    return answer.headers["content-type"] == "application/json" and "error" in answer.json()


@shown_by(_json_for_unknown)
def html_for_unknown_paths(patch: MonkeyPatch) -> None:
    """A path that does not exist is answered with a page.

    “route_not_found” “Every endpoint can answer with an error in the shared Error body”
    """

    def page(exchange: Exchange) -> None:
        if exchange.status == 404 and b"route_not_found" in exchange.body:
            exchange.headers["content-type"] = "text/html; charset=utf-8"
            exchange.body = b"<!doctype html><title>404</title><h1>Not Found</h1>"

    over_http(patch, ".*", answered=page)


@shown_by(lambda desk: "GET" in desk.api.delete("/orders").headers.get("allow", ""))
def no_list_of_methods(patch: MonkeyPatch) -> None:
    """A wrong method is refused without the right ones.

    “A wrong method is 405 + Allow with the same body.”
    """

    def drop(exchange: Exchange) -> None:
        if exchange.status == 405:
            exchange.headers.pop("allow", None)

    over_http(patch, ".*", answered=drop)


@shown_by(lambda desk: desk.api.put("/webhook-endpoints/whe_0", json={}).status_code == 405)
def wrong_method_is_not_found(patch: MonkeyPatch) -> None:
    """A method that a path does not have is answered as if the path did not exist.

    “A wrong method is 405 + Allow with the same body.”
    """

    def rename(exchange: Exchange) -> None:
        if exchange.status == 405:
            refuse(exchange, 404, "route_not_found")

    over_http(
        patch, r"[A-Z]+ /(orders|esims|webhook-endpoints)/.*|[A-Z]+ /balance", answered=rename
    )


@shown_by(lambda desk: _posted(desk, b'{"plan_id": "\xff"}').status_code == 400)
def no_utf_8(patch: MonkeyPatch) -> None:
    """The server fails when a body is not UTF-8.

    “400 | every validation failure (never 422): invalid_json”
    """

    def fails(exchange: Exchange) -> bool:
        try:
            exchange.sent.decode()
        except UnicodeDecodeError:
            return True
        return False

    refuse_if(patch, BODIES, fails, 500, "internal_error")


def _empty_topup(desk: Desk) -> bool:
    return _posted(desk, b"", f"/esims/{esim(desk.api)['iccid']}/topups").status_code == 400


@shown_by(_empty_topup)
def empty_body_of_a_topup(patch: MonkeyPatch) -> None:
    """The server fails when a top-up has no body.

    “400 | every validation failure (never 422)”
    """
    refuse_if(
        patch,
        r"POST /esims/[^/]+/topups",
        lambda exchange: not exchange.sent.strip(),
        *(500, "internal_error"),
    )


@shown_by(lambda desk: order(desk.api, quantity=10**30).status_code == 400)
def huge_number(patch: MonkeyPatch) -> None:
    """The server fails when a number does not fit into 64 bits.

    “invalid_value, out_of_range, invalid_length”
    """
    _fails_if(patch, BODIES, rb":\s*-?[0-9]{19,}|:\s*-?[0-9.]+[eE]\+?[0-9]{2,}")


@shown_by(lambda desk: _posted(desk, b"[]").status_code == 400)
def body_that_is_no_object(patch: MonkeyPatch) -> None:
    """The server fails when a body is JSON and no object.

    “400 | every validation failure (never 422)”
    """

    def fails(exchange: Exchange) -> bool:
        try:
            return not isinstance(json.loads(exchange.sent), dict)
        except (ValueError, RecursionError):
            return False

    refuse_if(patch, BODIES, fails, 500, "internal_error")


@shown_by(lambda desk: desk.api.get("/orders/").status_code == 404)
def slash_at_the_end(patch: MonkeyPatch) -> None:
    """A path with a slash at its end redirects to the one without.

    “route_not_found” “All paths are relative to {base_url}”
    """

    def lead(exchange: Exchange) -> None:
        if exchange.status == 404:
            exchange.status, exchange.body = 307, b""
            exchange.headers["location"] = "/api/v1" + exchange.call.split()[1].rstrip("/")
            exchange.headers["content-length"] = "0"

    over_http(patch, r"[A-Z]+ /(orders|esims|plans|events|webhook-endpoints)/?", answered=lead)


def _long_id(desk: Desk) -> bool:
    return desk.api.get(f"/esims/{'8' * 2000}").status_code == 404


@shown_by(_long_id)
def long_id(patch: MonkeyPatch) -> None:
    """The server fails when an id in a path is longer than its column.

    “404 | the resource in the path does not exist”
    """

    def fail(exchange: Exchange) -> None:
        if exchange.status == 404 and len(exchange.call) > 300:
            refuse(exchange, 500, "internal_error")

    over_http(patch, r"[A-Z]+ /(orders|esims|plans|webhook-endpoints)/.+", answered=fail)


def _quote(desk: Desk) -> bool:
    return desk.api.get("/orders", params={"reference": "it's"}).status_code == 200


@shown_by(_quote)
def quote_in_a_reference(patch: MonkeyPatch) -> None:
    """A search for a reference with an apostrophe fails.

    “max length 200; filters orders by reference”
    """

    def fail(exchange: Exchange) -> None:
        if re.search(r"(?:^|&)reference=[^&]*(?:'|%27)", exchange.query) and exchange.status == 200:
            refuse(exchange, 500, "internal_error")

    over_http(patch, "GET /orders", answered=fail)
