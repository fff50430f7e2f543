"""Faults in the isolation of partners, and of modes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType

from pytest import MonkeyPatch

from esim_service.api import balance as balance_api
from esim_service.api import events as event_api
from esim_service.api.backend import scope_of
from esim_service.domain import endpoints, events, idempotency
from esim_service.store.statements.unit import Unit, rows
from esim_service.store.tables import epochs
from esim_service.store.tables import esims as esim_store
from esim_service.store.tables import events as event_store
from esim_service.store.tables import orders as order_store
from esim_service.values.entities import Scope, WebhookEndpoint
from lab.faults.changes import ANY, forbid_orders_of_others
from lab.faults.seeding import in_statements, substitute
from lab.faults_by_others.by_hand import (
    Desk,
    balance,
    esim,
    event,
    fresh,
    order,
    ordered,
    played,
    receiving,
    register,
    shown_by,
)


def _of_both_modes(sql: str) -> str:
    return re.sub(r"\bmode = (\$\d)", r"\1 = \1", sql.replace(epochs.EPOCH, "$2"))


def _of_all_partners(sql: str) -> str:
    of_mode = sql.replace(f"mode = {epochs.EPOCH}", "mode LIKE $2 || '%'")
    return re.sub(r"\bpartner_id = (\$\d)", r"\1 = \1", of_mode)


def _always_test_mode(patch: MonkeyPatch, group: ModuleType) -> None:
    """Let some operations show the data of test mode to every key."""
    patch.setattr(group, "scope_of", lambda context: replace(scope_of(context), mode="test"))


def _order_of_the_other_mode(desk: Desk) -> bool:
    made = order(desk.api).json()["order_id"]
    return desk.live.get(f"/orders/{made}").status_code == 404


@shown_by(_order_of_the_other_mode)
def order_of_the_other_mode(patch: MonkeyPatch) -> None:
    """A live key finds an order that was placed in test mode.

    “the resource in the path does not exist, or belongs to another partner or mode”
    """
    in_statements(patch, order_store.find, _of_both_modes)(ANY, "")


def _esims_of_one_mode(desk: Desk) -> bool:
    esim(desk.api)
    return desk.live.get("/esims").json()["data"] == []


@shown_by(_esims_of_one_mode)
def esims_of_both_modes(patch: MonkeyPatch) -> None:
    """A list of eSIMs has those of both modes.

    “What exists in one mode is not visible in the other.”
    """
    in_statements(patch, esim_store.page, _of_both_modes)(ANY, None, "", 1)


def _events_of_one_mode(desk: Desk) -> bool:
    ordered(desk.api)
    return desk.live.get("/events?type=order.completed").json()["data"] == []


@shown_by(_events_of_one_mode)
def test_events_with_a_live_key(patch: MonkeyPatch) -> None:
    """The feed of live mode has the events of test mode.

    “The key decides the mode.”
    """
    _always_test_mode(patch, event_api)


def _balance_of_one_mode(desk: Desk) -> bool:
    order(desk.api)
    return balance(desk.live) != balance(desk.api)


@shown_by(_balance_of_one_mode)
def one_balance(patch: MonkeyPatch) -> None:
    """A live key is shown the balance of test mode.

    “The prepaid balance of the partner in one mode.”
    """
    _always_test_mode(patch, balance_api)


def _esims_of_another_order(desk: Desk) -> bool:
    made = ordered(desk.api)["order_id"]
    return desk.other.get("/esims", params={"order_id": made}).json()["data"] == []


@shown_by(_esims_of_another_order)
def esims_of_any_order(patch: MonkeyPatch) -> None:
    """A list of the eSIMs of an order has them for another partner, too.

    “404 | the resource in the path does not exist, or belongs to another partner or mode”
    “Lists the eSIMs of the partner in the mode of the key, newest first”
    """

    def or_of_the_order(sql: str) -> str:
        own = "partner_id = $1"
        return sql.replace(own, f"({own} OR order_id = $5)") if "$5" in sql else sql

    in_statements(patch, esim_store.page, or_of_the_order)(ANY, "ord", "", 1)


def _test_of_another(desk: Desk) -> bool:
    endpoint = register(desk.api)
    answer = desk.other.post(f"/webhook-endpoints/{endpoint['id']}/test")
    return answer.status_code == 404


@shown_by(_test_of_another)
def endpoint_tested_by_others(patch: MonkeyPatch) -> None:
    """A partner can send a test to an endpoint of another one.

    “the resource in the path does not exist, or belongs to another partner or mode”
    """

    def check_known(_: Scope, endpoint_id: str) -> Unit[None]:
        if (yield from event_store.lock_endpoint(endpoint_id)) is None:
            raise endpoints.not_found()

    substitute(patch, endpoints.check_known, check_known)


def _hidden(desk: Desk) -> bool:
    made = order(desk.api).json()["order_id"]
    return desk.other.get(f"/orders/{made}").status_code == 404


@shown_by(_hidden)
def order_of_another_is_forbidden(patch: MonkeyPatch) -> None:
    """An order of another partner is answered with 403, which says that it exists.

    “404 | the resource in the path does not exist, or belongs to another partner or mode”
    """
    forbid_orders_of_others(patch)


def _own_references(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference)
    answer = order(desk.other, reference=reference, quantity=2)
    return answer.status_code == 201


@shown_by(_own_references)
def one_reference_for_all_partners(patch: MonkeyPatch) -> None:
    """A reference that one partner has used is taken for all.

    “The order reference is unique per partner and makes order creation idempotent.”
    """
    in_statements(patch, order_store.stored_response, _of_all_partners)(ANY, "", "")


def _own_progress(desk: Desk) -> bool:
    reference, other = fresh(), desk.other
    slow = threading.Thread(
        target=lambda: order(desk.api, reference=reference, metadata=played("slow_order"))
    )
    assert desk.api.get("/balance").status_code == 200
    slow.start()
    time.sleep(1)
    answer = order(other, reference=reference, metadata=played("slow_order"))
    slow.join()
    return answer.status_code == 201


@shown_by(_own_progress)
def progress_of_another_partner(patch: MonkeyPatch) -> None:
    """A reference that another partner has in progress is refused.

    “Scope: partner, mode, operation; for ever.”
    """

    def name(request: idempotency.IdempotentRequest) -> str:
        return f"{request.operation} {request.reference}"

    patch.setattr(idempotency.IdempotentRequest, "name", property(name))


def _own_reset(desk: Desk) -> bool:
    made = ordered(desk.api)["order_id"]
    desk.other.post("/sandbox/reset")
    return desk.api.get(f"/orders/{made}").status_code == 200


@shown_by(_own_reset)
def reset_of_all_partners(patch: MonkeyPatch) -> None:
    """A reset deletes the test orders of all partners.

    “deletes that partner's test orders, eSIMs, top-ups, events, deliveries, references”
    """
    begin = epochs.begin

    def of_all(scope: Scope) -> Unit[None]:
        accounts = yield from rows("SELECT partner_id FROM accounts WHERE mode = $1", scope.mode)
        for account in accounts:
            yield from begin(Scope(account["partner_id"], scope.mode))

    substitute(patch, begin, of_all)


def _endpoints_of_one_mode(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        register(desk.live, receiver.url)
        ordered(desk.api)
        event(desk.api, "order.completed")
        return not receiver.has(1, 3)


@shown_by(_endpoints_of_one_mode)
def test_events_for_live_endpoints(patch: MonkeyPatch) -> None:
    """An endpoint that was registered with a live key gets the events of test mode.

    “Registers an HTTPS address for events of the mode of the key.”
    """
    subscribers = events.subscribers

    def of_both_modes(scope: Scope, type_: str) -> Unit[Sequence[WebhookEndpoint]]:
        live = yield from subscribers(replace(scope, mode="live"), type_)
        return [*live, *(yield from subscribers(replace(scope, mode="test"), type_))]

    substitute(patch, events.subscribers, of_both_modes)
