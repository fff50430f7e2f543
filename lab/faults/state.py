"""Faults in the state and the balance after an operation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest import MonkeyPatch

from esim_service.domain import ledger, orders
from esim_service.domain.lifecycle import NextReport
from esim_service.domain.stamp import Stamp
from esim_service.store.statements.unit import Unit, execute
from esim_service.store.tables import epochs, events
from esim_service.store.tables import orders as order_store
from esim_service.values.entities import Account, LedgerKind, Profile, Scope
from lab.faults.changes import charge_topups, refund_orders, show_balance_before_topups, show_order
from lab.faults.seeding import Exchange, over_http, substitute


def removed_endpoint_stays(patch: MonkeyPatch) -> None:
    """A removal is acknowledged and forgotten. “the resource in the path does not exist”"""

    def kept(_: Scope, endpoint_id: str) -> Unit[bool]:
        return (yield from events.lock_endpoint(endpoint_id)) is not None

    substitute(patch, events.remove_endpoint, kept)


def second_removal_succeeds(patch: MonkeyPatch) -> None:
    """Removing a resource that never existed succeeds. “the resource in the path does not exist”"""
    remove = events.remove_endpoint

    def removed(scope: Scope, endpoint_id: str) -> Unit[bool]:
        yield from remove(scope, endpoint_id)
        return True

    substitute(patch, remove, removed)


def secret_in_list(patch: MonkeyPatch) -> None:
    """The list of endpoints shows their secrets.

    “The create response shows the signing secret once.”
    """
    secrets: dict[str, str] = {}

    def answered(exchange: Exchange) -> None:
        if exchange.status == 201:
            made = exchange.json
            secrets[made["id"]] = made["signing_secret"]
        elif exchange.status == 200:
            page = exchange.json
            for each in page["data"]:
                each["signing_secret"] = secrets.get(each["id"], "")
            exchange.json = page

    over_http(patch, "(GET|POST) /webhook-endpoints", answered=answered)


def order_is_lost(patch: MonkeyPatch) -> None:
    """Every other order is accepted and never stored. “a client stores both”"""
    count = iter(range(1_000_000))

    def answered(exchange: Exchange) -> None:
        if exchange.status == 201 and next(count) % 2:
            order = exchange.json
            order["order_id"] = order["order_id"][:-4] + "0000"
            exchange.json = order

    over_http(patch, "POST /orders", answered=answered)


def charged_twice(patch: MonkeyPatch) -> None:
    """An order is charged when it is placed and when it is completed.

    “Partner price in US dollars.”
    """
    complete = orders.complete

    def charged(
        order_id: str,
        profiles: Sequence[Profile],
        next_report: NextReport,
        account: Account,
        stamp: Stamp,
    ) -> Unit[tuple[Account, None]]:
        before = yield from order_store.find(account.scope, order_id)
        account, _ = yield from complete(order_id, profiles, next_report, account, stamp)
        if before is not None and before.status == "processing":
            account = yield from ledger.post(account, "order", -before.total, order_id, stamp)
        return account, None

    substitute(patch, complete, charged)


def quantity_is_free(patch: MonkeyPatch) -> None:
    """An order of several eSIMs costs as much as one. “total = price x days x quantity”"""
    priced = orders._priced
    substitute(patch, priced, lambda request: priced(replace(request, quantity=1)))


def failed_order_is_kept(patch: MonkeyPatch) -> None:
    """The money of an order that failed is kept. “a failed order is refunded”"""
    refund_orders(patch, lambda order: 0)


def balance_before_topup(patch: MonkeyPatch) -> None:
    """A top-up shows the balance before it. “balance after the top-up, in US dollars”"""
    show_balance_before_topups(patch)


def topup_is_free(patch: MonkeyPatch) -> None:
    """Top-ups are not charged. “buys a top-up for that eSIM”"""
    charge_topups(patch, lambda total: 0)


def reset_keeps_orders(patch: MonkeyPatch) -> None:
    """A reset sets the balance and nothing else.

    “deletes that partner's test orders, eSIMs, top-ups, events, deliveries, references”
    """

    def kept(scope: Scope) -> Unit[None]:
        yield from ()

    substitute(patch, epochs.begin, kept)


def reset_keeps_balance(patch: MonkeyPatch) -> None:
    """A reset leaves the balance as it is. “sets the test balance back to 1000.00”"""
    post = ledger.post

    def unless_reset(
        account: Account, kind: LedgerKind, amount: int, *others: Any
    ) -> Unit[Account]:
        return post(account, kind, 0 if kind == "reset" else amount, *others)

    substitute(patch, post, unless_reset)


def reset_removes_endpoints(patch: MonkeyPatch) -> None:
    """A reset removes the webhook endpoints as well. “keeps keys, endpoints, catalogue”"""
    begin = epochs.begin

    def all_removed(scope: Scope) -> Unit[None]:
        yield from begin(scope)
        yield from execute(
            "DELETE FROM webhook_endpoints WHERE partner_id = $1 AND mode = $2",
            *(scope.partner_id, scope.mode),
        )

    substitute(patch, begin, all_removed)


def completed_without_time(patch: MonkeyPatch) -> None:
    """An order that is completed does not say since when. “created_at, completed_at or null”"""
    show_order(patch, lambda order: replace(order, completed_at=None))
