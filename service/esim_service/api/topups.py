"""The operations on top-ups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from partner_esim import models
from partner_esim.server import CREATE_TOPUP_REPLAY_HEADERS, Context, Reply, Topups

from ..carrier.port import Inquiry
from ..domain import esims, topups
from ..domain.idempotency import IdempotentRequest
from ..store.statements.unit import Unit
from ..store.tables import plans
from ..values.entities import Scope, TopupPlan
from .backend import OLDEST, ApiBackend, list_body, page, scope_of
from .payloads import payload


class TopupGroup(Topups):
    """Top-up plans and top-ups of eSIMs."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def list_topup_plans(
        self, *, iccid: str, limit: int, cursor: str | None, context: Context
    ) -> Reply[models.TopupPlanList]:
        """List the top-up plans of an eSIM, in ascending order of their ids."""
        # The agreed text names one list without pages, which is a different one; its table of
        # parameters lacks this list, but does not claim to be complete.
        scope = scope_of(context)
        items, more, following = await page(
            self._backend,
            scope,
            partial(_topup_plans, scope, iccid),
            lambda plan: plan.topup_plan_id,
            limit,
            cursor,
            OLDEST,
            "topup-plans",
            scope.partner_id,
            scope.mode,
            iccid,
        )
        return Reply(list_body((plan.body for plan in items), more, following))

    async def create_topup(
        self, *, iccid: str, body: models.TopupCreate, context: Context
    ) -> Reply[models.Topup]:
        """Buy a top-up, once per reference."""
        purchase = IdempotentRequest(
            scope_of(context),
            "createTopup",
            body.reference,
            payload(body, iccid),
            self._backend.work.lease("topup"),
        )
        request = topups.TopupRequest(
            purchase=purchase,
            iccid=iccid,
            topup_plan_id=body.topup_plan_id,
            days=body.days,
        )
        inquiry = Inquiry(purchase.scope.mode, None, purchase.reference)
        response = await self._backend.run_idempotent(
            purchase, inquiry, partial(topups.check, request), partial(topups.buy, request)
        )
        return Reply(
            response.body, headers=CREATE_TOPUP_REPLAY_HEADERS if response.is_replay else {}
        )


def _topup_plans(scope: Scope, iccid: str, after: str, count: int) -> Unit[Sequence[TopupPlan]]:
    esim = yield from esims.find(scope, iccid)
    if not topups.can_be_topped_up(esim):
        return ()
    return (yield from plans.topup_plans(esim.plan_id, after, count))
