"""Faults in the meaning of references."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

from pytest import MonkeyPatch

from esim_service.api import topups
from esim_service.api.backend import ApiBackend, scope_of
from esim_service.api.orders import OrderGroup
from esim_service.api.payloads import payload
from esim_service.domain import idempotency
from esim_service.domain.idempotency import IdempotentRequest, StoredResponse
from esim_service.store.statements.unit import Unit, execute, rows
from esim_service.store.tables import epochs
from esim_service.values.entities import Scope
from lab.faults.changes import compare_payloads, replay_current_order
from lab.faults.seeding import Exchange, over_http, substitute
from lab.faults_by_others.by_hand import (
    DEAR_PLAN,
    PLAN,
    Api,
    Desk,
    code,
    ended,
    esim,
    fresh,
    order,
    played,
    shown_by,
    topup,
)
from lab.faults_by_others.edits import refuse
from partner_esim.server import Problem


def _same_metadata(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference, metadata={"a": "1", "b": "2"})
    again = order(desk.api, reference=reference, metadata={"b": "2", "a": "1"})
    return bool(again.status_code == 201)


@shown_by(_same_metadata)
def order_of_keys_matters(patch: MonkeyPatch) -> None:
    """Metadata in another order are another payload.

    “quantity left out = 1; key order does not matter”
    """
    compare_payloads(patch, lambda body: body.model_dump(mode="json"), sort_keys=False)


def _default_is_no_change(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference)
    return bool(order(desk.api, reference=reference, quantity=1).status_code == 201)


@shown_by(_default_is_no_change)
def default_is_a_change(patch: MonkeyPatch) -> None:
    """A default that is written out is another payload.

    “equal after parsing with defaults applied (quantity left out = 1”
    """
    compare_payloads(patch, lambda body: sorted(body.model_fields_set))


def _changed_metadata(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference, metadata={"a": "1"})
    return bool(order(desk.api, reference=reference, metadata={"a": "2"}).status_code == 422)


@shown_by(_changed_metadata)
def metadata_are_not_compared(patch: MonkeyPatch) -> None:
    """An order with other metadata and the same reference gets the response of the first one.

    “When an order request reuses a reference with a changed payload, then the response is 422.”
    """
    compare_payloads(
        patch, lambda body: body.model_dump(mode="json", exclude={"metadata", "end_user"})
    )


def _spent(api: Api) -> None:
    for _ in range(2):
        order(api, DEAR_PLAN, quantity=20)


def _free_after_402(desk: Desk) -> bool:
    _spent(desk.api)
    reference = fresh()
    assert order(desk.api, DEAR_PLAN, quantity=20, reference=reference).status_code == 402
    return bool(order(desk.api, reference=reference).status_code == 201)


def _bound_by(patch: MonkeyPatch, refusal: str, code: str) -> None:
    served, bound = OrderGroup.create_order, set[object]()

    async def create_order(self: OrderGroup, *, body: Any, context: Any) -> Any:
        key = scope_of(context), body.reference
        if key in bound:
            raise Problem(code, "This reference was used.")
        try:
            return await served(self, body=body, context=context)
        except Problem as problem:
            if problem.code == refusal:
                bound.add(key)
            raise

    patch.setattr(OrderGroup, "create_order", create_order)


@shown_by(_free_after_402)
def unpaid_reference_is_used(patch: MonkeyPatch) -> None:
    """A reference whose order could not be paid is taken.

    “400/402/403/502 leave the reference free”
    """
    _bound_by(patch, "insufficient_balance", "reference_reused")


def _free_after_502(desk: Desk) -> bool:
    reference = fresh()
    first = order(desk.api, reference=reference, metadata=played("upstream_502"))
    assert first.status_code == 502
    return bool(order(desk.api, reference=reference).status_code == 201)


@shown_by(_free_after_502)
def refused_reference_stays_in_progress(patch: MonkeyPatch) -> None:
    """After the carrier has refused an order, its reference stays in progress.

    “carrier refused for good: nothing charged, reference free again”
    """
    _bound_by(patch, "upstream_error", "reference_in_progress")


def _two_at_once(desk: Desk) -> Any:
    reference, metadata = fresh(), played("slow_order")
    found: list[Any] = []

    def place() -> None:
        client = desk.client(key)
        found.append(order(client, reference=reference, metadata=metadata))

    key = desk.key()
    threads = [threading.Thread(target=place) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The refusal comes first, as the other one takes three seconds.
    refused = found[0]
    return refused, order(desk.client(key), reference=reference, metadata=metadata)


def _conflict(desk: Desk) -> bool:
    refused, _ = _two_at_once(desk)
    return bool(refused.status_code == 409)


@shown_by(_conflict)
def busy_reference_waits(patch: MonkeyPatch) -> None:
    """A request whose reference is in progress waits for the first one and gets its response.

    “When an order request reuses a reference whose first request is still in progress, then the
    response is 409.”
    """
    served = ApiBackend.run_idempotent

    async def waiting(
        self: ApiBackend, purchase: IdempotentRequest, *others: Any
    ) -> StoredResponse:
        # At most so long as a client waits for its response.
        for _ in range(300):
            try:
                return await served(self, purchase, *others)
            except Problem as problem:
                if problem.code != "reference_in_progress":
                    raise
            await asyncio.sleep(0.1)
        return await served(self, purchase, *others)

    patch.setattr(ApiBackend, "run_idempotent", waiting)


def _conflict_with_pause(desk: Desk) -> bool:
    refused, _ = _two_at_once(desk)
    return bool(refused.headers.get("retry-after") == "1")


@shown_by(_conflict_with_pause)
def conflict_without_pause(patch: MonkeyPatch) -> None:
    """A reference in progress is refused without a word about when to come again.

    “reference_in_progress (+ `Retry-After: 1`), for orders and top-ups”
    """
    substitute(
        patch,
        idempotency.in_progress,
        lambda: Problem("reference_in_progress", "The first request is still in progress."),
    )


def _answer_after_conflict(desk: Desk) -> bool:
    _, after = _two_at_once(desk)
    return bool(after.status_code == 201 and after.headers.get("idempotent-replay") == "true")


def _reference_in(exchange: Exchange) -> str | None:
    try:
        body = json.loads(exchange.sent)
    except (ValueError, RecursionError):
        return None
    reference = body.get("reference") if isinstance(body, dict) else None
    return reference if isinstance(reference, str) else None


@shown_by(_answer_after_conflict)
def conflict_lasts(patch: MonkeyPatch) -> None:
    """A reference that was once refused as in progress is refused forever.

    “When an order request is retried with the same reference and the same payload after a timeout
    and the first request has completed, then the original response is returned”
    """
    refused: set[str] = set()

    def answered(exchange: Exchange) -> None:
        reference = exchange.fields.get("authorization"), _reference_in(exchange)
        if exchange.status == 409:
            refused.add(reference)
        elif (
            exchange.status == 201
            and reference in refused
            and "idempotent-replay" in (exchange.headers)
        ):
            refuse(exchange, 409, "reference_in_progress")
            exchange.headers["retry-after"] = "1"

    over_http(patch, "POST /orders", answered=answered)


def _same_after_429(desk: Desk) -> bool:
    reference = fresh()
    for _ in range(60):
        desk.limited.post("/orders", json={})
    assert order(desk.limited, reference=reference).status_code == 429
    return bool(order(desk.api, reference=reference).status_code == 201)


@shown_by(_same_after_429)
def limited_reference_is_used(patch: MonkeyPatch) -> None:
    """A reference that met the rate limit is taken.

    “Only success is remembered” “authentication, rate limit, route, body and query”
    """
    used: set[str] = set()

    def asked(exchange: Exchange) -> None:
        if _reference_in(exchange) in used:
            exchange.fields["content-type"] = "none"

    def answered(exchange: Exchange) -> None:
        reference = _reference_in(exchange)
        if exchange.status == 429 and reference is not None:
            used.add(reference)
        elif reference in used:
            refuse(exchange, 422, "reference_reused")

    over_http(patch, "POST /orders", asked=asked, answered=answered)


def _order_and_topup(desk: Desk) -> bool:
    reference = fresh()
    (iccid,) = ended(desk.api, order(desk.api, reference=reference).json()["order_id"])["iccids"]
    return bool(topup(desk.api, iccid, reference=reference).status_code == 201)


@shown_by(_order_and_topup)
def one_space_of_references(patch: MonkeyPatch) -> None:
    """A top-up cannot have the reference of an order.

    “Scope: partner, mode, operation; for ever.”
    """

    def as_order(scope: Scope, _: str, *others: Any) -> IdempotentRequest:
        return IdempotentRequest(scope, "createOrder", *others)

    patch.setattr(topups, "IdempotentRequest", as_order)


def _first_answer(desk: Desk) -> bool:
    reference = fresh()
    first = order(desk.api, reference=reference)
    ended(desk.api, first.json()["order_id"])
    return bool(order(desk.api, reference=reference).content == first.content)


@shown_by(_first_answer)
def replay_of_today(patch: MonkeyPatch) -> None:
    """A repeated request is answered with the order as it is by then.

    “The stored 201 body comes back byte for byte with `Idempotent-Replay: true`.”
    """
    replay_current_order(patch)


def _another_esim(desk: Desk) -> bool:
    reference = fresh()
    topup(desk.api, esim(desk.api)["iccid"], reference=reference)
    return bool(topup(desk.api, esim(desk.api)["iccid"], reference=reference).status_code == 422)


@shown_by(_another_esim)
def topup_of_another_esim_is_a_replay(patch: MonkeyPatch) -> None:
    """A top-up of another eSIM with the same reference gets the response of the first one.

    “Idempotency rules 3 to 6 hold for top-ups too.” “The iccid is part of the payload.”
    """
    patch.setattr(topups, "payload", lambda body, iccid: payload(body))


def _free_after_reset(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference)
    desk.api.post("/sandbox/reset")
    again = order(desk.api, reference=reference)
    return "idempotent-replay" not in again.headers


@shown_by(_free_after_reset)
def references_survive_a_reset(patch: MonkeyPatch) -> None:
    """After a reset a reference still gets the response of an order that is gone.

    “deletes that partner's test orders, eSIMs, top-ups, events, deliveries, references”
    """
    begin = epochs.begin

    def references_kept(scope: Scope) -> Unit[None]:
        account = (scope.partner_id, scope.mode)
        [before] = yield from rows(f"SELECT {epochs.EPOCH} AS epoch", *account)
        yield from begin(scope)
        yield from execute(
            f"UPDATE answers SET mode = {epochs.EPOCH} WHERE partner_id = $1 AND mode = $3",
            *(*account, before["epoch"]),
        )

    substitute(patch, begin, references_kept)


def _first_is_not_marked(desk: Desk) -> bool:
    return "idempotent-replay" not in order(desk.api).headers


@shown_by(_first_is_not_marked)
def every_answer_is_marked(patch: MonkeyPatch) -> None:
    """The first response, too, says that it is a replay.

    “then the original response is returned with the header Idempotent-Replay: true”
    """

    def mark(exchange: Exchange) -> None:
        if exchange.status == 201:
            exchange.headers["idempotent-replay"] = "true"

    over_http(patch, "POST /orders", answered=mark)


def _conflict_code(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, PLAN, reference=reference)
    return code(order(desk.api, DEAR_PLAN, reference=reference)) == "reference_reused"


@shown_by(_conflict_code)
def changed_order_is_a_conflict(patch: MonkeyPatch) -> None:
    """A changed payload is answered as if the first one were in progress.

    “422 means the same reference was reused with a changed payload”
    """

    def rename(exchange: Exchange) -> None:
        if exchange.status == 422:
            refuse(exchange, 409, "reference_in_progress")
            exchange.headers["retry-after"] = "1"

    over_http(patch, "POST /orders", answered=rename)
