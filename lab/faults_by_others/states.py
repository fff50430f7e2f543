"""Faults in the operations that a state allows, and in their effects."""

from __future__ import annotations

from pytest import MonkeyPatch

from esim_service.api.orders import OrderGroup
from esim_service.api.sandbox import SandboxGroup
from esim_service.carrier.simulator import Simulator
from esim_service.delivery import schedule
from esim_service.domain import bodies, lifecycle, observation, orders, topups
from esim_service.domain import sandbox as resetting
from esim_service.store.tables import sandbox
from lab.faults.seeding import edit
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
    edit(patch, topups._priced, ("if not lifecycle.is_alive(esim):", "if False:"))


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
    edit(patch, lifecycle.top_up, ('if esim.status == "depleted" and', "if False and"))


def _nothing_on_offer_after_the_end(desk: Desk) -> bool:
    iccid = esim(desk.api, "expire_fast", "expired")["iccid"]
    return desk.api.get(f"/esims/{iccid}/topup-plans").json()["data"] == []


@shown_by(_nothing_on_offer_after_the_end)
def topup_plans_of_an_expired_esim(patch: MonkeyPatch) -> None:
    """Top-up plans are offered for an eSIM that is expired.

    “The list is empty when the eSIM cannot be topped up.”
    """
    edit(patch, topups.can_be_topped_up, ("lifecycle.is_alive(esim) and", ""))


@shown_by(lambda desk: ordered(desk.api)["completed_at"] is not None)
def no_date_of_completion(patch: MonkeyPatch) -> None:
    """An order that is completed does not say since when.

    “When the order became completed or failed, or null while it is processing.”
    """
    edit(
        patch,
        bodies.order,
        (
            "completed_at=_moment(value.completed_at)",
            "completed_at=_moment(value.completed_at if failed else None)",
        ),
    )


@shown_by(lambda desk: len(ordered(desk.api, quantity=3)["iccids"]) == 3)
def fewer_than_ordered(patch: MonkeyPatch) -> None:
    """An order of more than two eSIMs is completed with two.

    “All or nothing over quantity”
    """
    edit(patch, Simulator.provision, ("range(order.quantity)", "range(min(order.quantity, 2))"))
    edit(patch, orders.complete, ("if len(profiles) != order.quantity:", "if not profiles:"))


def _endpoints_survive(desk: Desk) -> bool:
    register(desk.api)
    desk.api.post("/sandbox/reset")
    return len(desk.api.get("/webhook-endpoints").json()["data"]) == 1


@shown_by(_endpoints_survive)
def endpoints_lost_by_a_reset(patch: MonkeyPatch) -> None:
    """A reset removes the webhook endpoints, too.

    “keeps keys, endpoints, catalogue”
    """
    patch.setattr(sandbox, "_TABLES", (*sandbox._TABLES, "webhook_endpoints"))


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
    edit(
        patch,
        resetting.reset,
        (
            "yield from sandbox.forget(scope)",
            "yield from sandbox.forget(scope)\n"
            '    account = __import__("dataclasses").replace(account, last_event=0)',
        ),
    )


@shown_by(lambda desk: desk.suspended.post("/sandbox/reset").status_code == 403)
def suspended_partner_resets(patch: MonkeyPatch) -> None:
    """A suspended partner can reset the sandbox.

    “test_mode_only (sandbox reset with a live key), partner_suspended”
    """
    edit(patch, SandboxGroup.reset_sandbox, ("scope_of(context)", "context.principal.scope"))


@shown_by(lambda desk: desk.live.post("/sandbox/reset").status_code == 403)
def live_key_resets(patch: MonkeyPatch) -> None:
    """A live key resets the sandbox of its partner.

    “test_mode_only (sandbox reset with a live key)”
    """
    edit(
        patch,
        SandboxGroup.reset_sandbox,
        ('if scope.mode != "test":', "if False:"),
        (
            "scope = scope_of(context)",
            'scope = __import__("dataclasses").replace(scope_of(context), mode="test")',
        ),
    )


def _failure_is_told(desk: Desk) -> bool:
    found = ordered(desk.api, metadata=played("out_of_stock"))
    return found["status"] == "failed" and found["failure"] is not None


@shown_by(_failure_is_told)
def failure_without_a_reason(patch: MonkeyPatch) -> None:
    """An order that failed does not say why.

    “end_user or null, metadata, failure {code, message} or null”
    """
    edit(
        patch,
        bodies.order,
        (
            "message=failed.message) if failed else None",
            "message=failed.message) if failed and not failed.code else None",
        ),
    )


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
    edit(patch, observation.follow, ("if after != esim:", 'if after.status != "expired":'))


def _failed_is_not_completed(desk: Desk) -> bool:
    ordered(desk.api, metadata=played("out_of_stock"))
    return not eventually(lambda: events(desk.api, "order.completed"), 2)


@shown_by(_failed_is_not_completed)
def failed_order_is_completed(patch: MonkeyPatch) -> None:
    """A failed order sends the event of a completed one.

    “An order is completed: its eSIMs exist.” “processing -> completed or failed (final)”
    """
    edit(
        patch,
        orders.fail,
        (
            "account = yield from ledger.post(",
            "shown = bodies.order(order)\n"
            '    account = yield from events.emit(account, "order.completed", shown, stamp)\n'
            "    account = yield from ledger.post(",
        ),
    )


def _activated_is_dated(desk: Desk) -> bool:
    return esim(desk.api, "activate_fast", "active")["activated_at"] is not None


@shown_by(_activated_is_dated)
def active_without_a_date(patch: MonkeyPatch) -> None:
    """An eSIM becomes active and does not say when.

    “activated_at or null; expires_at always set”
    """
    edit(patch, bodies.esim, ("activated_at=_moment(value.activated_at)", "activated_at=None"))


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
    edit(patch, schedule.acknowledged, ("last_success_at=at,", ""))


def _status_is_stored(desk: Desk) -> bool:
    found = ordered(desk.api)
    listed = desk.api.get("/orders").json()["data"][0]
    return bool(listed["status"] == found["status"] and listed["iccids"] == found["iccids"])


@shown_by(_status_is_stored)
def list_of_orders_lags(patch: MonkeyPatch) -> None:
    """The list of orders shows them as they were when they were placed.

    “status processing -> completed or failed (final)” “exactly what GET returns for the resource”
    """
    edit(
        patch,
        OrderGroup.list_orders,
        (
            "bodies.order(item) for item in items",
            "bodies.order(__import__('dataclasses').replace(item, status='processing', iccids=(),"
            " completed_at=None, failure=None)) for item in items",
        ),
    )
