"""Orders: placed and charged at once, completed or refunded by the carrier's response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import esims, jobs, partners, plans
from ..store.tables import orders as store
from ..values.clock import DAY
from ..values.entities import Account, Esim, Failure, Job, Order, Plan, PlanType, Profile
from ..values.ids import Prefix
from ..values.money import LIMIT, to_text
from . import bodies, events, ledger, lifecycle
from .idempotency import IdempotentRequest, StoredResponse, enqueue, replay, store_response
from .lifecycle import NextReport
from .stamp import Stamp

SCENARIO = "sandbox_scenario"
# How long an eSIM can wait for its activation.
SHELF_LIFE = 365 * DAY


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """An order request of a partner."""

    purchase: IdempotentRequest
    plan_id: str
    quantity: int
    days: int | None
    has_end_user: bool
    end_user_label: str | None
    metadata: Mapping[str, str]

    @property
    def scenario(self) -> str | None:
        """The sandbox scenario of the order, in test mode only."""
        is_test = self.purchase.scope.mode == "test"
        return self.metadata.get(SCENARIO) if is_test else None


def check_days(plan_type: PlanType, days: int | None) -> int:
    """Return how many times a price is due: once, or for each day.

    Raises:
        Problem: a daily plan without days, or a fixed plan with them.
    """
    if plan_type == "daily":
        if days is None:
            raise Problem("days_required", "A daily plan requires days.", param="days")
        return days
    if days is not None:
        raise Problem("days_not_allowed", "A fixed plan does not allow days.", param="days")
    return 1


def check_total(total: int, param: str) -> int:
    """Return the total of a purchase.

    Raises:
        Problem: the amount is too large for the contract, and for any account.
    """
    if total >= LIMIT:
        raise Problem("out_of_range", f"The total is {to_text(LIMIT)} USD or more.", param=param)
    return total


def check_count(order: Order, profiles: Sequence[Profile]) -> None:
    """Check that the carrier has made all eSIMs of an order.

    Raises:
        ValueError: it has made fewer or more.
    """
    if len(profiles) != order.quantity:
        raise ValueError(f"{order.order_id} needs {order.quantity} eSIMs, not {len(profiles)}")


def check(request: OrderRequest) -> Unit[StoredResponse | None]:
    """Return the response to an earlier request; None if the order may be placed.

    Raises:
        Problem: it may not.
    """
    known = yield from replay(request.purchase)
    if known is None:
        _, total = yield from _priced(request)
        account = yield from partners.account(request.purchase.scope)
        ledger.require(account, total)
    return known


def place(
    request: OrderRequest, account: Account, stamp: Stamp
) -> Unit[tuple[Account, StoredResponse]]:
    """Place an order and charge it, or return the response to an earlier request.

    Raises:
        Problem: the order breaks a rule; nothing is changed.
    """
    known = yield from replay(request.purchase)
    if known is not None:
        return account, known
    plan, total = yield from _priced(request)
    order_id = stamp.new(Prefix.ORDER)
    account = yield from ledger.charge(account, "order", total, order_id, stamp)
    order = Order(
        order_id=order_id,
        scope=request.purchase.scope,
        reference=request.purchase.reference,
        status="processing",
        plan_id=plan.plan_id,
        quantity=request.quantity,
        days=request.days,
        unit_price=plan.price,
        total=total,
        iccids=(),
        has_end_user=request.has_end_user,
        end_user_label=request.end_user_label,
        metadata=request.metadata,
        failure=None,
        created_at=stamp.date,
        completed_at=None,
    )
    response = yield from store_response(request.purchase, bodies.encoded(bodies.order(order)))
    yield from store.add(order)
    response = yield from enqueue(request.purchase, response, "provision", order_id, stamp, order)
    return account, response


def complete(
    order_id: str,
    profiles: Sequence[Profile],
    next_report: NextReport,
    account: Account,
    stamp: Stamp,
) -> Unit[tuple[Account, None]]:
    """Store the eSIMs of an order; an order that has ended is left unchanged."""
    order = yield from store.find(account.scope, order_id)
    if order is None or order.status != "processing":
        return account, None
    check_count(order, profiles)
    plan = yield from plans.plan(order.plan_id)
    if plan is None:
        raise LookupError(f"the plan {order.plan_id} of {order_id} is gone")
    for profile in profiles:
        esim = _esim(order, plan, profile, stamp)
        # An eSIM that the contract does not allow would break every list that contains it.
        bodies.checked_esim(esim)
        yield from esims.add(esim)
        due_at = lifecycle.next_look(esim, stamp.now, next_report)
        if due_at is not None:
            job = Job(stamp.new(Prefix.JOB), order.scope, "observe", esim.esim_id, 0, due_at)
            yield from jobs.add(job)
    order = replace(
        order,
        status="completed",
        iccids=tuple(profile.iccid for profile in profiles),
        completed_at=stamp.date,
    )
    yield from store.finish(order)
    yield from jobs.remove("provision", order_id)
    account = yield from events.emit(account, "order.completed", bodies.order(order), stamp)
    return account, None


def fail(
    order_id: str, failure: Failure, account: Account, stamp: Stamp
) -> Unit[tuple[Account, None]]:
    """End an order without eSIMs and refund it; an order that has ended is left unchanged."""
    order = yield from store.find(account.scope, order_id)
    if order is None or order.status != "processing":
        return account, None
    order = replace(order, status="failed", failure=failure, completed_at=stamp.date)
    yield from store.finish(order)
    yield from jobs.remove("provision", order_id)
    account = yield from ledger.post(account, "refund", order.total, order_id, stamp)
    return account, None


def _priced(request: OrderRequest) -> Unit[tuple[Plan, int]]:
    plan = yield from plans.plan(request.plan_id)
    if plan is None:
        raise Problem("plan_not_found", "There is no such plan.", param="plan_id")
    if not plan.available:
        raise Problem("plan_unavailable", "This plan cannot be ordered now.", param="plan_id")
    times = check_days(plan.plan_type, request.days)
    return plan, check_total(plan.price * times * request.quantity, "quantity")


def _esim(order: Order, plan: Plan, profile: Profile, stamp: Stamp) -> Esim:
    days = order.days or plan.validity_days or 1
    data = plan.data_bytes
    starts_now = plan.starts_on == "purchase"
    return Esim(
        esim_id=stamp.new(Prefix.ESIM),
        scope=order.scope,
        order_id=order.order_id,
        plan_id=plan.plan_id,
        scenario=order.metadata.get(SCENARIO) if order.scope.mode == "test" else None,
        status="ready",
        profile=profile,
        profile_status="released",
        total_bytes=data * days if data is not None and plan.per_day else data,
        used_bytes=0,
        observed_at=None,
        activated_at=None,
        validity_days=0 if starts_now else days,
        expires_at=stamp.now + (days * DAY if starts_now else SHELF_LIFE),
        topup_supported=plan.topup_supported,
        usage_reported=0,
        expiring_reported=False,
        created_at=stamp.date,
        updated_at=stamp.date,
    )
