"""Faults in the operations that a state allows, and in their effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest import MonkeyPatch

from esim_service.api import sandbox as sandbox_api
from esim_service.api.backend import scope_of
from esim_service.carrier.simulator import Simulator
from esim_service.delivery import schedule
from esim_service.domain import bodies, ledger, lifecycle, orders, topups
from esim_service.domain import events as emission
from esim_service.domain.stamp import Stamp
from esim_service.store.statements.unit import Unit, execute
from esim_service.store.tables import epochs
from esim_service.store.tables import esims as esim_store
from esim_service.store.tables import orders as order_store
from esim_service.values.entities import Account, Esim, Failure, LedgerKind, Order, Profile, Scope
from lab.faults.changes import show_esim, show_order
from lab.faults.seeding import in_answers, substitute
from lab.faults_by_others.by_hand import (
    Desk,
    esim,
    event,
    events,
    eventually,
    ordered,
    played,
    receiving,
    register,
    shown_by,
    tested,
    topup,
)


def _no_topup_after_the_end(desk: Desk) -> bool:
    iccid = esim(desk.api, "expire_fast", "expired")["iccid"]
    return topup(desk.api, iccid).status_code == 400


@shown_by(_no_topup_after_the_end)
def topup_of_an_expired_esim(patch: MonkeyPatch) -> None:
    """A top-up can be bought for an eSIM that is expired.

    “Allowed while ready, active or depleted.”
    """
    check = topups.check_eligible

    def unless_expired(esim: Esim) -> None:
        if esim.status != "expired":
            check(esim)

    substitute(patch, check, unless_expired)


def _active_again(desk: Desk) -> bool:
    iccid = esim(desk.api, "deplete_fast", "depleted")["iccid"]
    topup(desk.api, iccid)
    event(desk.api, "topup.completed")
    return bool(desk.api.get(f"/esims/{iccid}").json()["status"] == "active")


@shown_by(_active_again)
def depleted_for_ever(patch: MonkeyPatch) -> None:
    """A depleted eSIM stays so when it is topped up.

    “status ready -> active -> depleted -> (top-up) active”
    """
    top_up = lifecycle.top_up
    substitute(
        patch,
        top_up,
        lambda esim, topup, now: replace(top_up(esim, topup, now), status=esim.status),
    )


def _nothing_on_offer_after_the_end(desk: Desk) -> bool:
    iccid = esim(desk.api, "expire_fast", "expired")["iccid"]
    return desk.api.get(f"/esims/{iccid}/topup-plans").json()["data"] == []


@shown_by(_nothing_on_offer_after_the_end)
def topup_plans_of_an_expired_esim(patch: MonkeyPatch) -> None:
    """Top-up plans are offered for an eSIM that is expired.

    “The list is empty when the eSIM cannot be topped up.”
    """
    substitute(patch, topups.can_be_topped_up, lambda esim: esim.topup_supported is not False)


@shown_by(lambda desk: ordered(desk.api)["completed_at"] is not None)
def no_date_of_completion(patch: MonkeyPatch) -> None:
    """An order that is completed does not say since when.

    “When the order became completed or failed, or null while it is processing.”
    """
    show_order(
        patch,
        lambda order: replace(order, completed_at=order.completed_at if order.failure else None),
    )


@shown_by(lambda desk: len(ordered(desk.api, quantity=3)["iccids"]) == 3)
def fewer_than_ordered(patch: MonkeyPatch) -> None:
    """An order of more than two eSIMs is completed with two.

    “All or nothing over quantity”
    """
    provision = Simulator.provision

    async def two(self: Simulator, order: Order) -> Sequence[Profile]:
        return (await provision(self, order))[:2]

    patch.setattr(Simulator, "provision", two)
    substitute(patch, orders.check_count, lambda order, profiles: None)


def _endpoints_survive(desk: Desk) -> bool:
    register(desk.api)
    desk.api.post("/sandbox/reset")
    return len(desk.api.get("/webhook-endpoints").json()["data"]) == 1


@shown_by(_endpoints_survive)
def endpoints_lost_by_a_reset(patch: MonkeyPatch) -> None:
    """A reset removes the webhook endpoints, too.

    “keeps keys, endpoints, catalogue”
    """
    begin = epochs.begin

    def all_removed(scope: Scope) -> Unit[None]:
        yield from begin(scope)
        yield from execute(
            "DELETE FROM webhook_endpoints WHERE partner_id = $1 AND mode = $2",
            *(scope.partner_id, scope.mode),
        )

    substitute(patch, begin, all_removed)


def _feed_goes_on(desk: Desk) -> bool:
    for _ in range(3):
        ordered(desk.api)
    cursor = desk.api.get("/events").json()["next_cursor"]
    desk.api.post("/sandbox/reset")
    ordered(desk.api)
    return bool(
        eventually(lambda: desk.api.get("/events", params={"cursor": cursor}).json().get("data"), 8)
    )


@shown_by(_feed_goes_on)
def feed_starts_again(patch: MonkeyPatch) -> None:
    """After a reset the feed starts at its beginning, where old cursors find nothing.

    “the event sequence never starts again”
    """
    post = ledger.post

    def from_the_start(account: Account, kind: LedgerKind, *others: Any) -> Unit[Account]:
        return post(replace(account, last_event=0) if kind == "reset" else account, kind, *others)

    substitute(patch, post, from_the_start)


@shown_by(lambda desk: desk.suspended.post("/sandbox/reset").status_code == 403)
def suspended_partner_resets(patch: MonkeyPatch) -> None:
    """A suspended partner can reset the sandbox.

    “test_mode_only (sandbox reset with a live key), partner_suspended”
    """
    patch.setattr(sandbox_api, "scope_of", lambda context: context.principal.scope)


@shown_by(lambda desk: desk.live.post("/sandbox/reset").status_code == 403)
def live_key_resets(patch: MonkeyPatch) -> None:
    """A live key resets the sandbox of its partner.

    “test_mode_only (sandbox reset with a live key)”
    """
    patch.setattr(sandbox_api, "scope_of", lambda context: replace(scope_of(context), mode="test"))


def _failure_is_told(desk: Desk) -> bool:
    found = ordered(desk.api, metadata=played("out_of_stock"))
    return found["status"] == "failed" and found["failure"] is not None


@shown_by(_failure_is_told)
def failure_without_a_reason(patch: MonkeyPatch) -> None:
    """An order that failed does not say why.

    “end_user or null, metadata, failure {code, message} or null”
    """
    show_order(patch, lambda order: replace(order, failure=None))


def _stays_expired(desk: Desk) -> bool:
    esim(desk.api, "expire_fast", "active")
    found = event(desk.api, "esim.expired")
    iccid = found["data"]["iccid"]
    return bool(desk.api.get(f"/esims/{iccid}").json()["status"] == "expired")


@shown_by(_stays_expired)
def expired_in_the_feed_alone(patch: MonkeyPatch) -> None:
    """The event says that an eSIM is expired, and GET says that it is active.

    “`data` is exactly what GET returns for the resource at that moment”
    """
    save = esim_store.save

    def save_unless_expired(esim: Esim) -> Unit[None]:
        if esim.status != "expired":
            yield from save(esim)

    substitute(patch, save, save_unless_expired)


def _failed_is_not_completed(desk: Desk) -> bool:
    ordered(desk.api, metadata=played("out_of_stock"))
    return not eventually(lambda: events(desk.api, "order.completed"), 2)


@shown_by(_failed_is_not_completed)
def failed_order_is_completed(patch: MonkeyPatch) -> None:
    """A failed order sends the event of a completed one.

    “An order is completed: its eSIMs exist.” “processing -> completed or failed (final)”
    """
    fail = orders.fail

    def completed(
        order_id: str, failure: Failure, account: Account, stamp: Stamp
    ) -> Unit[tuple[Account, None]]:
        before = yield from order_store.find(account.scope, order_id)
        account, _ = yield from fail(order_id, failure, account, stamp)
        after = yield from order_store.find(account.scope, order_id)
        if after is not None and after != before:
            shown = bodies.order(after)
            account = yield from emission.emit(account, "order.completed", shown, stamp)
        return account, None

    substitute(patch, fail, completed)


def _activated_is_dated(desk: Desk) -> bool:
    return esim(desk.api, "activate_fast", "active")["activated_at"] is not None


@shown_by(_activated_is_dated)
def active_without_a_date(patch: MonkeyPatch) -> None:
    """An eSIM becomes active and does not say when.

    “activated_at or null; expires_at always set”
    """
    show_esim(patch, lambda esim: replace(esim, activated_at=None))


def _success_is_dated(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        tested(desk.api, receiver.url)
        receiver.has(1)

        def look() -> object:
            return desk.api.get("/webhook-endpoints").json()["data"][0]["last_success_at"]

        return eventually(look, 5) is not None


@shown_by(_success_is_dated)
def no_date_of_success(patch: MonkeyPatch) -> None:
    """An endpoint that has acknowledged does not say when.

    “disabled_reason or null, created_at, last_success_at, last_failure_at”
    “When a delivery was last acknowledged, or null.”
    """
    acknowledged = schedule.acknowledged
    substitute(
        patch,
        acknowledged,
        lambda endpoint, at: replace(
            acknowledged(endpoint, at), last_success_at=endpoint.last_success_at
        ),
    )


def _status_is_stored(desk: Desk) -> bool:
    found = ordered(desk.api)
    listed = desk.api.get("/orders").json()["data"][0]
    return bool(listed["status"] == found["status"] and listed["iccids"] == found["iccids"])


@shown_by(_status_is_stored)
def list_of_orders_lags(patch: MonkeyPatch) -> None:
    """The list of orders shows them as they were when they were placed.

    “status processing -> completed or failed (final)” “exactly what GET returns for the resource”
    """

    def as_placed(page: Any) -> None:
        for order in page["data"]:
            order.update(status="processing", iccids=[], completed_at=None, failure=None)

    in_answers(patch, "GET /orders", as_placed)
