"""Top-ups: bought and charged at once, applied or refunded by the carrier's response."""

from __future__ import annotations

from dataclasses import dataclass, replace

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import esims as store
from ..store.tables import jobs, partners, plans
from ..values.entities import Account, Esim, Topup, TopupPlan
from ..values.ids import Prefix
from . import bodies, esims, events, ledger, lifecycle
from .idempotency import IdempotentRequest, StoredResponse, enqueue, replay, store_response
from .orders import check_days, check_total
from .stamp import Stamp


@dataclass(frozen=True, slots=True)
class TopupRequest:
    """A request of a partner for a top-up of an eSIM."""

    purchase: IdempotentRequest
    iccid: str
    topup_plan_id: str
    days: int | None


def can_be_topped_up(esim: Esim) -> bool:
    """Return whether an eSIM in its current state can have top-up plans."""
    return lifecycle.is_alive(esim) and esim.topup_supported is not False


def check_eligible(esim: Esim) -> None:
    """Check that an eSIM in its current state can be topped up.

    Raises:
        Problem: it cannot.
    """
    if esim.topup_supported is False:
        raise Problem("topup_not_supported", "eSIMs of this plan cannot be topped up.")
    if not lifecycle.is_alive(esim):
        raise Problem("esim_not_eligible", f"The eSIM is {esim.status}.")


def check(request: TopupRequest) -> Unit[StoredResponse | None]:
    """Return the response to an earlier request; None if the top-up may be bought.

    Raises:
        Problem: it may not.
    """
    known = yield from replay(request.purchase)
    if known is None:
        _, _, total = yield from _priced(request)
        account = yield from partners.account(request.purchase.scope)
        ledger.require(account, total)
    return known


def buy(
    request: TopupRequest, account: Account, stamp: Stamp
) -> Unit[tuple[Account, StoredResponse]]:
    """Buy a top-up and charge it, or return the response to an earlier request.

    Raises:
        Problem: the top-up breaks a rule; nothing is changed.
    """
    known = yield from replay(request.purchase)
    if known is not None:
        return account, known
    esim, plan, total = yield from _priced(request)
    days = request.days or plan.validity_days or 1
    data = plan.data_bytes
    topup_id = stamp.new(Prefix.TOPUP)
    account = yield from ledger.charge(account, "topup", total, topup_id, stamp)
    topup = Topup(
        topup_id=topup_id,
        scope=esim.scope,
        esim_id=esim.esim_id,
        iccid=request.iccid,
        topup_plan_id=plan.topup_plan_id,
        reference=request.purchase.reference,
        status="processing",
        days=request.days,
        price=plan.price,
        total=total,
        data_bytes=data * days if data is not None and plan.per_day else data,
        validity_days=days,
        balance_after=account.balance,
        created_at=stamp.date,
        completed_at=None,
    )
    response = yield from store_response(request.purchase, bodies.encoded(bodies.topup(topup)))
    yield from store.add_topup(topup)
    response = yield from enqueue(request.purchase, response, "topup", topup_id, stamp)
    return account, response


def complete(topup_id: str, account: Account, stamp: Stamp) -> Unit[tuple[Account, None]]:
    """Add a top-up to its eSIM; a top-up that has ended is left unchanged."""
    topup = yield from store.find_topup(account.scope, topup_id)
    if topup is None or topup.status != "processing":
        return account, None
    esim = yield from store.find(account.scope, topup.iccid)
    if esim is None or not lifecycle.is_alive(esim):
        return (yield from fail(topup_id, account, stamp))
    yield from store.save(lifecycle.top_up(esim, topup, stamp.date))
    topup = replace(topup, status="completed", completed_at=stamp.date)
    yield from store.finish_topup(topup)
    yield from jobs.remove("topup", topup_id)
    account = yield from events.emit(account, "topup.completed", bodies.topup(topup), stamp)
    return account, None


def fail(topup_id: str, account: Account, stamp: Stamp) -> Unit[tuple[Account, None]]:
    """End a top-up without data and refund it; a top-up that has ended is left unchanged."""
    topup = yield from store.find_topup(account.scope, topup_id)
    if topup is None or topup.status != "processing":
        return account, None
    yield from store.finish_topup(replace(topup, status="failed", completed_at=stamp.date))
    yield from jobs.remove("topup", topup_id)
    account = yield from ledger.post(account, "refund", topup.total, topup_id, stamp)
    return account, None


def _priced(request: TopupRequest) -> Unit[tuple[Esim, TopupPlan, int]]:
    esim = yield from esims.find(request.purchase.scope, request.iccid)
    offer = yield from plans.topup_plan(esim.plan_id, request.topup_plan_id)
    if offer is None:
        raise Problem("topup_plan_not_found", "No such top-up plan.", param="topup_plan_id")
    plan, is_offered = offer
    check_eligible(esim)
    # A withdrawn plan is not offered for the eSIM either, so check that first.
    if not plan.available:
        message = "This top-up plan cannot be bought now."
        raise Problem("plan_unavailable", message, param="topup_plan_id")
    if not is_offered:
        message = "This top-up plan is not for this eSIM."
        raise Problem("esim_not_eligible", message, param="topup_plan_id")
    total = plan.price * check_days(plan.plan_type, request.days)
    return esim, plan, check_total(total, "days")
