"""Faults in requests that are repeated under their reference."""

import asyncio
import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from pytest import MonkeyPatch

from esim_service.api import orders as order_api
from esim_service.api import payloads
from esim_service.api.backend import ApiBackend
from esim_service.api.orders import OrderGroup
from esim_service.api.topups import TopupGroup
from esim_service.carrier.port import Inquiry
from esim_service.domain import idempotency
from esim_service.domain.idempotency import IdempotentRequest, StoredResponse
from esim_service.domain.stamp import AccountRule, account_change
from esim_service.store.drivers import migrate
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import orders
from lab.faults.changes import ANY, compare_payloads, replay_current_order
from lab.faults.seeding import REFUSED, Exchange, in_statements, over_http, substitute
from partner_esim import models
from partner_esim.server import CREATE_TOPUP_REPLAY_HEADERS, Context, Problem, Reply


def _allow_repeated_references(patch: MonkeyPatch) -> None:
    """Let the table of orders have several orders with one reference."""
    steps = tuple(
        replace(
            step,
            statements=tuple(
                statement.replace("UNIQUE (partner_id, mode, reference)", "CHECK (1 = 1)")
                for statement in step.statements
            ),
        )
        for step in migrate.migrations()
    )
    if steps == migrate.migrations():
        raise LookupError("the table of orders does not say that references are unique")
    substitute(patch, migrate.migrations, lambda: steps)


def _forget(patch: MonkeyPatch, operation: str) -> None:
    """Do the requests of an operation again, as if their reference had never been used."""
    replay, store_response = idempotency.replay, idempotency.store_response

    def unless_forgotten(request: IdempotentRequest) -> Unit[StoredResponse | None]:
        return None if request.operation == operation else (yield from replay(request))

    def forgotten(request: IdempotentRequest, body: bytes) -> Unit[StoredResponse]:
        if request.operation == operation:
            return StoredResponse(body, is_replay=False)
        return (yield from store_response(request, body))

    substitute(patch, replay, unless_forgotten)
    substitute(patch, store_response, forgotten)
    _allow_repeated_references(patch)


def _stored(request: IdempotentRequest) -> Unit[tuple[bytes, bytes] | None]:
    return orders.stored_response(request.scope, request.operation, request.reference)


def repeated_order_runs_again(patch: MonkeyPatch) -> None:
    """An order that is sent again is placed again.

    “The order reference is unique per partner and makes order creation idempotent.”
    """
    _forget(patch, "createOrder")


def repeated_topup_runs_again(patch: MonkeyPatch) -> None:
    """A top-up that is sent again is bought again.

    “Idempotency rules 3 to 6 hold for top-ups too.”
    """
    _forget(patch, "createTopup")


def replay_is_not_marked(patch: MonkeyPatch) -> None:
    """A replay looks like a first response. “with the header Idempotent-Replay: true”"""
    patch.setattr(order_api, "CREATE_ORDER_REPLAY_HEADERS", {})


def first_answer_is_marked(patch: MonkeyPatch) -> None:
    """Every response is marked as a replay. “with the header Idempotent-Replay: true”"""
    served = TopupGroup.create_topup

    async def marked(self: TopupGroup, **request: Any) -> Reply[models.Topup]:
        reply = await served(self, **request)
        return Reply(reply.value, headers=CREATE_TOPUP_REPLAY_HEADERS)

    patch.setattr(TopupGroup, "create_topup", marked)


def replay_is_200(patch: MonkeyPatch) -> None:
    """A replay created nothing, and so is answered with 200. “The stored 201 body comes back”"""

    def answered(exchange: Exchange) -> None:
        if "idempotent-replay" in exchange.headers:
            exchange.status = 200

    over_http(patch, "POST .*", answered=answered)


def replay_shows_current_state(patch: MonkeyPatch) -> None:
    """A replay shows the order as it is now. “then the original response is returned”"""
    replay_current_order(patch)


def changed_payload_is_replayed(patch: MonkeyPatch) -> None:
    """Any request with a known reference gets its response.

    “reuses a reference with a changed payload, then the response is 422”
    """

    def replay(request: IdempotentRequest) -> Unit[StoredResponse | None]:
        stored = yield from _stored(request)
        return None if stored is None else StoredResponse(stored[1], is_replay=True)

    substitute(patch, idempotency.replay, replay)


def metadata_does_not_count(patch: MonkeyPatch) -> None:
    """Requests that differ in their metadata are the same. “equal after parsing with defaults”"""
    compare_payloads(patch, lambda body: body.model_dump(mode="json", exclude={"metadata"}))


def defaults_do_not_count(patch: MonkeyPatch) -> None:
    """A request that writes a default out is another one. “quantity left out = 1”"""
    compare_payloads(patch, lambda body: body.model_dump(mode="json", exclude_unset=True))


def order_of_keys_counts(patch: MonkeyPatch) -> None:
    """The bytes of a request are compared. “key order does not matter”"""
    sent: ContextVar[str] = ContextVar("sent")
    served = OrderGroup.create_order

    async def create_order(self: OrderGroup, *, body: Any, context: Context) -> Any:
        sent.set(str(context.body))
        return await served(self, body=body, context=context)

    patch.setattr(OrderGroup, "create_order", create_order)
    patch.setattr(order_api, "payload", lambda body: payloads.payload(body, sent.get()))


def requests_at_once_both_run(patch: MonkeyPatch) -> None:
    """The reference is looked up first, but not held. “then the response is 409”"""
    replay, store_response = idempotency.replay, idempotency.store_response
    unused: dict[int, IdempotentRequest] = {}

    async def run_idempotent(
        self: ApiBackend,
        purchase: IdempotentRequest,
        inquiry: Inquiry,
        check: Callable[[], Unit[StoredResponse | None]],
        rule: AccountRule[StoredResponse],
    ) -> StoredResponse:
        known = await self.read(purchase.scope, check)
        if known is not None:
            return known
        unused[id(purchase)] = purchase
        # While another system is asked.
        await asyncio.sleep(0.05)
        return await self.database.change(
            account_change(purchase.scope, purchase.name, rule, self.stamp())
        )

    def unless_looked_up(request: IdempotentRequest) -> Unit[StoredResponse | None]:
        return None if id(request) in unused else (yield from replay(request))

    def keep_first(request: IdempotentRequest, body: bytes) -> Unit[StoredResponse]:
        if (yield from _stored(request)) is None:
            return (yield from store_response(request, body))
        return StoredResponse(body, is_replay=False)

    patch.setattr(ApiBackend, "run_idempotent", run_idempotent)
    substitute(patch, replay, unless_looked_up)
    substitute(patch, store_response, keep_first)
    _allow_repeated_references(patch)


def in_progress_fails(patch: MonkeyPatch) -> None:
    """Requests at once cause an internal error. “then the response is 409”"""
    substitute(
        patch, idempotency.in_progress, lambda: Problem("database_is_locked", "Try again later.")
    )


def refused_reference_is_used_up(patch: MonkeyPatch) -> None:
    """A reference is bound before the order is checked.

    “400/402/403/502 leave the reference free”
    """
    used_up: set[tuple[str, bytes]] = set()

    def claim(exchange: Exchange) -> tuple[str, bytes]:
        found = re.search(rb'"reference": ?("[^"]*")', exchange.sent)
        return exchange.fields.get("authorization", ""), found[1] if found else b""

    def asked(exchange: Exchange) -> None:
        if claim(exchange) in used_up:
            exchange.sent = REFUSED

    def answered(exchange: Exchange) -> None:
        if exchange.status != 400:
            return
        answer = exchange.json
        if exchange.sent == REFUSED:
            del answer["error"]["details"]
            answer["error"].update(type="idempotency_error", code="reference_reused", param=None)
            exchange.status, exchange.json = 422, answer
        elif answer["error"]["code"] == "plan_not_found":
            used_up.add(claim(exchange))

    over_http(patch, "POST /orders", asked=asked, answered=answered)


def reference_of_any_operation(patch: MonkeyPatch) -> None:
    """Orders and top-ups share their references. “Scope: partner, mode, operation; for ever.”"""
    in_statements(
        patch, orders.stored_response, lambda sql: sql.replace("operation = $3", "$3 = $3")
    )(ANY, "", "")


def reference_without_case(patch: MonkeyPatch) -> None:
    """The database compares references without their case. “unique per partner”"""
    in_statements(
        patch,
        orders.stored_response,
        lambda sql: sql.replace("reference = $4", "lower(reference) = lower($4)"),
    )(ANY, "", "")
