"""Faults in prices and balances."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from pytest import MonkeyPatch

from esim_service.domain import bodies, ledger, lifecycle, orders, topups
from lab.faults.seeding import edit
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


def _total_of_days(desk: Desk) -> bool:
    found = order(desk.api, DAILY_PLAN, days=3, quantity=2).json()
    return Decimal(found["total_usd"]) == Decimal(found["unit_price_usd"]) * 6


@shown_by(_total_of_days)
def days_cost_nothing(patch: MonkeyPatch) -> None:
    """An order of a daily plan costs the price of one day.

    “Daily plan: total = price x days x quantity.”
    """
    edit(patch, orders._priced, ("plan.price * times * request", "plan.price * request"))


def _total_of_topup_days(desk: Desk) -> bool:
    found = topup(desk.api, esim(desk.api)["iccid"], DAILY_TOPUP_PLAN, days=3).json()
    return Decimal(found["total_usd"]) == Decimal(found["price_usd"]) * 3


@shown_by(_total_of_topup_days)
def days_of_a_topup_cost_nothing(patch: MonkeyPatch) -> None:
    """A daily top-up costs the price of one day.

    “For a daily plan it is the price per day.” “times the days”
    """
    edit(
        patch,
        topups._priced,
        (
            "total = plan.price * check_days(plan.plan_type, request.days)",
            "check_days(plan.plan_type, request.days); total = plan.price",
        ),
    )


def _total_of_quantity(desk: Desk) -> bool:
    found = order(desk.api, PLAN, quantity=3).json()
    return Decimal(found["total_usd"]) == Decimal(found["unit_price_usd"]) * 3


@shown_by(_total_of_quantity)
def whole_cents(patch: MonkeyPatch) -> None:
    """The price of an order is rounded to cents.

    “the price times the quantity and, for a daily plan, times the days”
    """
    edit(
        patch,
        orders._priced,
        (
            "plan.price * times * request.quantity",
            "(plan.price * times * request.quantity + 50) // 100 * 100",
        ),
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
    edit(patch, orders.fail, ("order.total", "order.unit_price"))


def _balance_after(desk: Desk) -> bool:
    iccid = esim(desk.api)["iccid"]
    found = topup(desk.api, iccid).json()
    return Decimal(found["balance_after_usd"]) == balance(desk.api)


@shown_by(_balance_after)
def balance_before_the_topup(patch: MonkeyPatch) -> None:
    """A top-up shows the balance before it.

    “It has a balance_after_usd field (balance after the top-up, in US dollars).”
    """
    edit(
        patch,
        topups.buy,
        ("balance_after=account.balance,", "balance_after=account.balance + total,"),
    )


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
    edit(
        patch,
        orders.place,
        (
            "return account, known",
            "_, total = yield from _priced(request); account = yield from ledger.charge(account,"
            ' "order", total, request.purchase.reference, stamp); return account, known',
        ),
    )


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
    edit(patch, ledger.require, ("account.balance >= amount", "account.balance > amount"))


def _not_low_at_the_threshold(desk: Desk) -> bool:
    return _bought(desk, LEAVES_100) and not events(desk.api, "balance.low")


@shown_by(_not_low_at_the_threshold)
def low_at_the_threshold(patch: MonkeyPatch) -> None:
    """A balance that is at the threshold counts as low.

    “balance.low fires on crossing below”
    """
    edit(patch, ledger.post, ("account.balance < account", "account.balance <= account"))


def _rest_is_less(desk: Desk) -> bool:
    found = esim(desk.api, "deplete_fast", "depleted")
    return bool(found["data"]["remaining_bytes"] == 0)


@shown_by(_rest_is_less)
def rest_stays_whole(patch: MonkeyPatch) -> None:
    """The remaining data is always all of it.

    “data {total_bytes or null, used_bytes, remaining_bytes or null, observed_at or null}”
    """
    edit(patch, bodies.esim, ("max(0, total - value.used_bytes)", "total"))


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
    edit(
        patch,
        ledger.require,
        ("to_text(amount), to_text", "to_text(amount - account.balance), to_text"),
    )


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
    edit(
        patch,
        lifecycle.top_up,
        ("else esim.total_bytes + topup.data_bytes", "else esim.total_bytes"),
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
    edit(
        patch, orders._esim, ("data * days if data is not None and plan.per_day else data", "data")
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
    edit(
        patch,
        topups.buy,
        ('ledger.charge(account, "topup", total,', 'ledger.charge(account, "topup", total // 3,'),
    )
