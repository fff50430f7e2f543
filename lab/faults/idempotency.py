"""Faults in requests that are repeated under their reference."""

import asyncio
import re
from collections.abc import Callable

from pytest import MonkeyPatch

from esim_service.api import backend
from esim_service.api.backend import ApiBackend
from esim_service.api.orders import OrderGroup
from esim_service.api.topups import TopupGroup
from esim_service.carrier.port import Inquiry
from esim_service.domain import idempotency
from esim_service.domain import orders as placing
from esim_service.domain.idempotency import IdempotentRequest, StoredResponse
from esim_service.domain.stamp import Act, account_change
from esim_service.store.drivers import migrate
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import orders
from lab.faults.seeding import REFUSED, Exchange, edit, over_http

# Nor does the table of orders know that a reference is used once.
_NOT_UNIQUE = 'statement.replace("UNIQUE (partner_id, mode, reference)", "CHECK (1 = 1)")'


def _forgetful(patch: MonkeyPatch, condition: str) -> None:
    """Do some requests again, as if their reference had never been used."""
    edit(patch, idempotency.replay, ("if known is None:", f"if known is None or {condition}:"))
    kept = (
        "store.add_response(\n"
        "        purchase.scope, purchase.operation, purchase.reference, purchase.payload, body\n"
        "    )"
    )
    edit(patch, idempotency.store_response, (kept, "()"))
    edit(patch, migrate._upgrade, ("execute(statement)", f"execute({_NOT_UNIQUE})"))


def repeated_order_runs_again(patch: MonkeyPatch) -> None:
    """An order that is sent again is placed again.

    “The order reference is unique per partner and makes order creation idempotent.”
    """
    _forgetful(patch, 'purchase.operation == "createOrder"')


def repeated_topup_runs_again(patch: MonkeyPatch) -> None:
    """A top-up that is sent again is bought again.

    “Idempotency rules 3 to 6 hold for top-ups too.”
    """
    _forgetful(patch, 'purchase.operation == "createTopup"')


def replay_is_not_marked(patch: MonkeyPatch) -> None:
    """A replay looks like a first response. “with the header Idempotent-Replay: true”"""
    edit(
        patch,
        OrderGroup.create_order,
        ("CREATE_ORDER_REPLAY_HEADERS if response.is_replay else {}", "{}"),
    )


def first_answer_is_marked(patch: MonkeyPatch) -> None:
    """Every response is marked as a replay. “with the header Idempotent-Replay: true”"""
    edit(
        patch,
        TopupGroup.create_topup,
        (
            "CREATE_TOPUP_REPLAY_HEADERS if response.is_replay else {}",
            "CREATE_TOPUP_REPLAY_HEADERS",
        ),
    )


def replay_is_200(patch: MonkeyPatch) -> None:
    """A replay created nothing, and so is answered with 200. “The stored 201 body comes back”"""

    def answered(exchange: Exchange) -> None:
        if "idempotent-replay" in exchange.headers:
            exchange.status = 200

    over_http(patch, "POST .*", answered=answered)


def replay_shows_current_state(patch: MonkeyPatch) -> None:
    """A replay shows the order as it is now. “then the original response is returned”"""
    edit(
        patch,
        OrderGroup.create_order,
        (
            "return Reply(",
            "if response.is_replay:\n"
            "            page = await self.list_orders(\n"
            "                reference=body.reference, limit=1, cursor=None, context=context\n"
            "            )\n"
            "            return Reply(page.data[0], headers=CREATE_ORDER_REPLAY_HEADERS)\n"
            "        return Reply(",
        ),
    )


def changed_payload_is_replayed(patch: MonkeyPatch) -> None:
    """Any request with a known reference gets its response.

    “reuses a reference with a changed payload, then the response is 422”
    """
    edit(patch, idempotency.replay, ("if not hmac", "if False and not hmac"))


def metadata_does_not_count(patch: MonkeyPatch) -> None:
    """Requests that differ in their metadata are the same. “equal after parsing with defaults”"""
    edit(patch, backend.payload, ('mode="json"', 'mode="json", exclude={"metadata"}'))


def defaults_do_not_count(patch: MonkeyPatch) -> None:
    """A request that writes a default out is another one. “quantity left out = 1”"""
    edit(patch, backend.payload, ('mode="json"', 'mode="json", exclude_unset=True'))


def order_of_keys_counts(patch: MonkeyPatch) -> None:
    """The bytes of a request are compared. “key order does not matter”"""
    edit(
        patch,
        OrderGroup.create_order,
        ("or None})),", "or None}), str(context.body)),"),
    )


def requests_at_once_both_run(patch: MonkeyPatch) -> None:
    """The reference is looked up first, but not held. “then the response is 409”"""

    async def run_idempotent(
        self: ApiBackend,
        purchase: IdempotentRequest,
        inquiry: Inquiry,
        check: Callable[[], Unit[StoredResponse | None]],
        act: Act[StoredResponse],
    ) -> StoredResponse:
        known = await self.read(check)
        if known is not None:
            return known
        # While another system is asked.
        await asyncio.sleep(0.05)
        return await self.database.change(
            account_change(purchase.scope, purchase.name, act, self.stamp())
        )

    patch.setattr(ApiBackend, "run_idempotent", run_idempotent)
    edit(patch, placing.place, ("known = yield from replay(request.purchase)", "known = None"))
    kept = (
        "store.add_response(\n"
        "        purchase.scope, purchase.operation, purchase.reference, purchase.payload, body\n"
        "    )"
    )
    edit(patch, idempotency.store_response, (kept, "()"))
    edit(patch, migrate._upgrade, ("execute(statement)", f"execute({_NOT_UNIQUE})"))


def in_progress_fails(patch: MonkeyPatch) -> None:
    """Requests at once cause an internal error. “then the response is 409”"""
    edit(patch, idempotency.in_progress, ('"reference_in_progress"', '"database_is_locked"'))


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
    edit(patch, orders.stored_response, ("operation = $3", "$3 = $3"))


def reference_without_case(patch: MonkeyPatch) -> None:
    """The database compares references without their case. “unique per partner”"""
    edit(patch, orders.stored_response, ("reference = $4", "lower(reference) = lower($4)"))
