"""Faults in prices and balances."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from types import ModuleType
from typing import Any

from pytest import MonkeyPatch

from esim_service.domain import bodies, ledger, lifecycle, orders, topups
from esim_service.domain.idempotency import StoredResponse
from esim_service.domain.stamp import Stamp
from esim_service.store.statements.unit import Unit
from esim_service.values.entities import Account, Esim, PlanType
from lab.faults.changes import charge_topups, refund_orders, show_balance_before_topups
from lab.faults.seeding import in_answers, substitute
from lab.faults_by_others.by_hand import (
    DAILY_PLAN,
    DAILY_TOPUP_PLAN,
    DEAR_PLAN,
    PLAN,
    Desk,
    balance,
    esim,
    event,
    events,
    eventually,
    fresh,
    order,
    ordered,
    played,
    shown_by,
    topup,
)
from partner_esim import models


def _once(patch: MonkeyPatch, module: ModuleType) -> None:
    """Let a price be due once, however many days are bought."""
    check = orders.check_days

    def checked(plan_type: PlanType, days: int | None) -> int:
        check(plan_type, days)
        return 1

    patch.setattr(module, "check_days", checked)


def _total_of_days(desk: Desk) -> bool:
    found = order(desk.api, DAILY_PLAN, days=3, quantity=2).json()
    return Decimal(found["total_usd"]) == Decimal(found["unit_price_usd"]) * 6


@shown_by(_total_of_days)
def days_cost_nothing(patch: MonkeyPatch) -> None:
    """An order of a daily plan costs the price of one day.

    “Daily plan: total = price x days x quantity.”
    """
    _once(patch, orders)


def _total_of_topup_days(desk: Desk) -> bool:
    found = topup(desk.api, esim(desk.api)["iccid"], DAILY_TOPUP_PLAN, days=3).json()
    return Decimal(found["total_usd"]) == Decimal(found["price_usd"]) * 3


@shown_by(_total_of_topup_days)
def days_of_a_topup_cost_nothing(patch: MonkeyPatch) -> None:
    """A daily top-up costs the price of one day.

    “For a daily plan it is the price per day.” “times the days”
    """
    _once(patch, topups)


def _total_of_quantity(desk: Desk) -> bool:
    found = order(desk.api, PLAN, quantity=3).json()
    return Decimal(found["total_usd"]) == Decimal(found["unit_price_usd"]) * 3


@shown_by(_total_of_quantity)
def whole_cents(patch: MonkeyPatch) -> None:
    """The price of an order is rounded to cents.

    “the price times the quantity and, for a daily plan, times the days”
    """
    check = orders.check_total
    patch.setattr(
        orders, "check_total", lambda total, param: check((total + 50) // 100 * 100, param)
    )


def _whole_refund(desk: Desk) -> bool:
    before = balance(desk.api)
    ordered(desk.api, quantity=3, metadata=played("out_of_stock"))
    return balance(desk.api) == before


@shown_by(_whole_refund)
def refund_of_one(patch: MonkeyPatch) -> None:
    """A failed order of several eSIMs gives the price of one back.

    “All or nothing over quantity; a failed order is refunded.”
    """
    refund_orders(patch, lambda order: order.unit_price)


def _balance_after(desk: Desk) -> bool:
    iccid = esim(desk.api)["iccid"]
    found = topup(desk.api, iccid).json()
    return Decimal(found["balance_after_usd"]) == balance(desk.api)


@shown_by(_balance_after)
def balance_before_the_topup(patch: MonkeyPatch) -> None:
    """A top-up shows the balance before it.

    “It has a balance_after_usd field (balance after the top-up, in US dollars).”
    """
    show_balance_before_topups(patch)


def _charged_once(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference)
    before = balance(desk.api)
    order(desk.api, reference=reference)
    return balance(desk.api) == before


@shown_by(_charged_once)
def replay_is_charged(patch: MonkeyPatch) -> None:
    """A repeated order is charged again.

    “The order reference is unique per partner and makes order creation idempotent.”
    """
    place = orders.place

    def charged(
        request: orders.OrderRequest, account: Account, stamp: Stamp
    ) -> Unit[tuple[Account, StoredResponse]]:
        account, response = yield from place(request, account, stamp)
        if response.is_replay:
            reference, (_, total) = request.purchase.reference, (yield from orders._priced(request))
            account = yield from ledger.charge(account, "order", total, reference, stamp)
        return account, response

    substitute(patch, place, charged)


# What comes to exactly 1000.00, and to 900.00.
SPENDS_ALL = (("pln_ae-10gb-30d", 20), ("pln_americas-10gb-30d", 15), ("pln_americas-10gb-30d", 8))
LEAVES_100 = (("pln_ae-10gb-30d", 20), ("pln_eu-50gb-90d", 20), ("pln_ae-10gb-30d", 5))


def _bought(desk: Desk, purchases: Iterable[tuple[str, int]]) -> bool:
    answers = [order(desk.api, plan_id, quantity=quantity) for plan_id, quantity in purchases]
    return all(answer.status_code == 201 for answer in answers)


def _last_cent(desk: Desk) -> bool:
    return _bought(desk, SPENDS_ALL)


@shown_by(_last_cent)
def last_cent_cannot_be_spent(patch: MonkeyPatch) -> None:
    """An order that costs all of the balance is refused.

    “insufficient_balance (details carry required_usd, balance_usd)”
    “reads the prepaid account balance”
    """
    require = ledger.require

    def more_than(account: Account, amount: int) -> None:
        require(account, amount + (account.balance == amount))

    substitute(patch, require, more_than)


def _not_low_at_the_threshold(desk: Desk) -> bool:
    return _bought(desk, LEAVES_100) and not events(desk.api, "balance.low")


@shown_by(_not_low_at_the_threshold)
def low_at_the_threshold(patch: MonkeyPatch) -> None:
    """A balance that is at the threshold counts as low.

    “balance.low fires on crossing below”
    """
    substitute(patch, ledger.is_low, lambda account: account.balance <= account.low_threshold)


def _rest_is_less(desk: Desk) -> bool:
    found = esim(desk.api, "deplete_fast", "depleted")
    return bool(found["data"]["remaining_bytes"] == 0)


@shown_by(_rest_is_less)
def rest_stays_whole(patch: MonkeyPatch) -> None:
    """The remaining data is always all of it.

    “data {total_bytes or null, used_bytes, remaining_bytes or null, observed_at or null}”
    """
    shown = bodies.esim

    def whole(value: Esim) -> models.Esim:
        esim = shown(value)
        data = esim.data.model_copy(update={"remaining_bytes": value.total_bytes})
        return esim.model_copy(update={"data": data})

    substitute(patch, shown, whole)


def _amounts_of_a_refusal(desk: Desk) -> bool:
    for _ in range(2):
        order(desk.api, DEAR_PLAN, quantity=20)
    (detail,) = order(desk.api, DEAR_PLAN, quantity=20).json()["error"]["details"]
    return Decimal(detail["required_usd"]) == 475 and Decimal(detail["balance_usd"]) == 50


@shown_by(_amounts_of_a_refusal)
def price_of_one_is_missing(patch: MonkeyPatch) -> None:
    """An order that cannot be paid shows the missing amount in place of its price.

    “insufficient_balance (details carry required_usd, balance_usd)”
    """

    def show_missing(body: Any) -> None:
        for detail in body["error"]["details"]:
            missing = Decimal(detail["required_usd"]) - Decimal(detail["balance_usd"])
            detail["required_usd"] = str(missing)

    in_answers(patch, "POST .*", show_missing, statuses="402")


def _data_are_added(desk: Desk) -> bool:
    before = esim(desk.api)
    made = topup(desk.api, before["iccid"]).json()
    event(desk.api, "topup.completed")
    after = desk.api.get(f"/esims/{before['iccid']}").json()
    added = after["data"]["total_bytes"] - before["data"]["total_bytes"]
    return bool(added == made["data_bytes"])


@shown_by(_data_are_added)
def topup_adds_no_data(patch: MonkeyPatch) -> None:
    """A top-up is charged and completed, and its eSIM has no more data than before.

    “The whole allowance, top-ups included” “A top-up is completed: its data can be used.”
    """
    top_up = lifecycle.top_up
    substitute(
        patch,
        top_up,
        lambda esim, topup, now: top_up(
            esim, replace(topup, data_bytes=topup.data_bytes and 0), now
        ),
    )


def _data_of_all_days(desk: Desk) -> bool:
    (iccid,) = ordered(desk.api, DAILY_PLAN, days=3)["iccids"]
    found = eventually(lambda: desk.api.get(f"/esims/{iccid}").json())
    return bool(found["data"]["total_bytes"] == 3_000_000_000)


@shown_by(_data_of_all_days)
def data_of_one_day(patch: MonkeyPatch) -> None:
    """An eSIM of a daily plan has the data of one day in all.

    “True when the allowance is renewed every day.” “The whole allowance, top-ups included”
    """
    make = orders._esim
    substitute(
        patch,
        make,
        lambda order, plan, profile, stamp: make(
            order, replace(plan, per_day=False), profile, stamp
        ),
    )


def _shown_is_charged(desk: Desk) -> bool:
    iccid = esim(desk.api)["iccid"]
    before = balance(desk.api)
    found = topup(desk.api, iccid).json()
    return before - balance(desk.api) == Decimal(found["total_usd"])


@shown_by(_shown_is_charged)
def topup_at_a_discount(patch: MonkeyPatch) -> None:
    """A top-up of three gigabytes is charged a third of the price that it shows.

    “Buys a top-up for an eSIM that is `ready`, `active` or `depleted`, and charges the balance.”
    """
    charge_topups(patch, lambda total: total // 3)
