"""Changes of the service that several faults make."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel
from pytest import MonkeyPatch

from esim_service.api import backend, payloads
from esim_service.api.backend import ApiBackend, scope_of
from esim_service.api.orders import OrderGroup
from esim_service.api.plans import PlanGroup
from esim_service.delivery import outbox
from esim_service.delivery.runner import DueDelivery
from esim_service.delivery.schedule import acknowledged
from esim_service.domain import bodies, ledger
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import attempts, events, orders
from esim_service.store.tables import outbox as queue
from esim_service.values.entities import Account, Esim, LedgerKind, Order, Scope
from lab.faults.seeding import in_statements, substitute
from partner_esim import models
from partner_esim.server import Context, Problem, Reply

# For calls of which only the statement counts.
ANY = Scope("prt_any", "test")


def compare_payloads(
    patch: MonkeyPatch, dump: Callable[[BaseModel], object], *, sort_keys: bool = True
) -> None:
    """Let two requests with one reference be the same if this part of them is."""

    def payload(body: BaseModel, *others: str) -> bytes:
        text = json.dumps([dump(body), *others], sort_keys=sort_keys)
        return hashlib.sha256(text.encode()).digest()

    substitute(patch, payloads.payload, payload)


def find_no_small_letters(patch: MonkeyPatch) -> None:
    """Find no plans for a country in lower case."""
    served = PlanGroup.list_plans

    async def list_plans(self: PlanGroup, *, country: str | None, **others: Any) -> models.PlanList:
        known = country is None or country.isupper()
        return await served(self, country=country if known else "no country", **others)

    patch.setattr(PlanGroup, "list_plans", list_plans)


def find_by_prefix(patch: MonkeyPatch) -> None:
    """Find also the orders whose reference begins with the one in the query."""
    in_statements(
        patch,
        orders.page,
        lambda sql: sql.replace("reference >= $3 AND reference <= $3", "reference LIKE $3 || '%'"),
    )(ANY, "", "", 1)


def forbid_orders_of_others(patch: MonkeyPatch) -> None:
    """Answer with 403 for an order that another partner has placed."""
    known: set[str] = set()
    add, served = orders.add, OrderGroup.get_order

    def kept(order: Order) -> Unit[None]:
        known.add(order.order_id)
        return add(order)

    async def get_order(self: OrderGroup, *, order_id: str, context: Context) -> models.Order:
        try:
            return await served(self, order_id=order_id, context=context)
        except Problem as problem:
            if problem.code == "resource_not_found" and order_id in known:
                raise Problem("partner_suspended", "This order is not yours.") from None
            raise

    substitute(patch, add, kept)
    patch.setattr(OrderGroup, "get_order", get_order)


def replay_current_order(patch: MonkeyPatch) -> None:
    """Replay an order as it is now, in place of the stored response."""
    served = OrderGroup.create_order

    async def create_order(self: OrderGroup, *, body: Any, context: Context) -> Any:
        reply = await served(self, body=body, context=context)
        if not reply.headers:
            return reply
        order_id = json.loads(reply.value)["order_id"]
        scope = scope_of(context)
        order = await self._backend.read(scope, partial(orders.find, scope, order_id))
        return Reply(bodies.order(order), headers=reply.headers)

    patch.setattr(OrderGroup, "create_order", create_order)


def continue_behind_the_next(patch: MonkeyPatch) -> None:
    """Let cursors be the first item of the next page, which then begins behind it."""
    page = backend.page

    async def skipping(
        api: ApiBackend,
        scope: Any,
        query: Any,
        key: Any,
        limit: int,
        cursor: Any,
        start: str,
        *cursor_scope: object,
    ) -> tuple[Sequence[Any], bool, str | None]:
        request = cursor, start, *cursor_scope
        items, _, _ = await page(api, scope, query, key, limit + 1, *request)
        if len(items) <= limit:
            return items, False, None
        return items[:limit], True, api.cursors.encode(key(items[limit]), *cursor_scope)

    substitute(patch, page, skipping)


def show_order(patch: MonkeyPatch, change: Callable[[Order], Order]) -> None:
    """Show orders otherwise than they are stored."""
    shown = bodies.order
    substitute(patch, shown, lambda value: shown(change(value)))


def show_esim(patch: MonkeyPatch, change: Callable[[Esim], Esim]) -> None:
    """Show eSIMs otherwise than they are stored."""
    shown = bodies.esim
    substitute(patch, shown, lambda value: shown(change(value)))


def show_balance_before_topups(patch: MonkeyPatch) -> None:
    """Show with a top-up the balance before it."""
    shown = bodies.topup
    substitute(
        patch,
        shown,
        lambda value: shown(replace(value, balance_after=value.balance_after + value.total)),
    )


def charge_topups(patch: MonkeyPatch, amount: Callable[[int], int]) -> None:
    """Charge for top-ups another amount than their total."""
    charge = ledger.charge

    def charged(account: Account, kind: LedgerKind, total: int, *others: Any) -> Unit[Account]:
        return charge(account, kind, amount(total) if kind == "topup" else total, *others)

    substitute(patch, charge, charged)


def refund_orders(patch: MonkeyPatch, amount: Callable[[Order], int]) -> None:
    """Refund for failed orders another amount than their total."""
    post = ledger.post

    def posted(
        account: Account, kind: LedgerKind, total: int, subject_id: Any, *others: Any
    ) -> Unit[Account]:
        if kind == "refund":
            order = yield from orders.find(account.scope, subject_id)
            total = total if order is None else amount(order)
        return (yield from post(account, kind, total, subject_id, *others))

    substitute(patch, post, posted)


def send_acknowledged_again(patch: MonkeyPatch) -> None:
    """Keep a delivery that is acknowledged at its first attempt for another one."""
    acknowledge = outbox._acknowledge

    def kept(claim: DueDelivery, attempt: attempts.StoredAttempt, at: int) -> Unit[None]:
        if claim.attempts:
            yield from acknowledge(claim, attempt, at)
            return
        endpoint = yield from events.lock_endpoint(claim.endpoint_id)
        yield from queue.postpone(claim.delivery_id, at, 1)
        if endpoint is not None:
            yield from events.save_endpoint(acknowledged(endpoint, at))
            yield from attempts.add(claim.delivery_id, claim.message.event_id, endpoint, attempt)

    substitute(patch, acknowledge, kept)
