"""Faults in the state and the balance after an operation."""

from pytest import MonkeyPatch

from esim_service.domain import bodies, endpoints, orders, sandbox, topups
from lab.faults.seeding import Exchange, edit, over_http


def removed_endpoint_stays(patch: MonkeyPatch) -> None:
    """A removal is acknowledged and forgotten. “the resource in the path does not exist”"""
    edit(
        patch,
        endpoints.remove,
        ("store.remove_endpoint(scope, endpoint_id)", "store.lock_endpoint(endpoint_id)"),
    )


def second_removal_succeeds(patch: MonkeyPatch) -> None:
    """Removing a resource that never existed succeeds. “the resource in the path does not exist”"""
    edit(
        patch,
        endpoints.remove,
        (
            "if not (yield from store.remove_endpoint(scope, endpoint_id)):",
            "if (yield from store.remove_endpoint(scope, endpoint_id)) is None:",
        ),
    )


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
    edit(
        patch,
        orders.complete,
        (
            "account = yield from events.emit(",
            'account = yield from ledger.post(account, "order", -order.total, order_id, stamp)\n'
            "    account = yield from events.emit(",
        ),
    )


def quantity_is_free(patch: MonkeyPatch) -> None:
    """An order of several eSIMs costs as much as one. “total = price x days x quantity”"""
    edit(patch, orders._priced, ("plan.price * times * request.quantity", "plan.price * times"))


def failed_order_is_kept(patch: MonkeyPatch) -> None:
    """The money of an order that failed is kept. “a failed order is refunded”"""
    edit(patch, orders.fail, ('"refund", order.total', '"refund", 0'))


def balance_before_topup(patch: MonkeyPatch) -> None:
    """A top-up shows the balance before it. “balance after the top-up, in US dollars”"""
    edit(
        patch,
        topups.buy,
        ("balance_after=account.balance,", "balance_after=account.balance + total,"),
    )


def topup_is_free(patch: MonkeyPatch) -> None:
    """Top-ups are not charged. “buys a top-up for that eSIM”"""
    edit(
        patch,
        topups.buy,
        (
            'ledger.charge(account, "topup", total,',
            'ledger.charge(account, "topup", 0,',
        ),
    )


def reset_keeps_orders(patch: MonkeyPatch) -> None:
    """A reset sets the balance and nothing else.

    “deletes that partner's test orders, eSIMs, top-ups, events, deliveries, references”
    """
    edit(patch, sandbox.reset, ("yield from sandbox.forget(scope)", "sandbox.forget(scope)"))


def reset_keeps_balance(patch: MonkeyPatch) -> None:
    """A reset leaves the balance as it is. “sets the test balance back to 1000.00”"""
    edit(patch, sandbox.reset, ("missing = TEST_BALANCE - account.balance", "missing = 0"))


def reset_removes_endpoints(patch: MonkeyPatch) -> None:
    """A reset removes the webhook endpoints as well. “keeps keys, endpoints, catalogue”"""
    from esim_service.store.tables import sandbox as store

    patch.setattr(store, "_TABLES", (*store._TABLES, "webhook_endpoints"))


def completed_without_time(patch: MonkeyPatch) -> None:
    """An order that is completed does not say since when. “created_at, completed_at or null”"""
    edit(
        patch,
        bodies.order,
        ("completed_at=_moment(value.completed_at)", "completed_at=None"),
    )
