"""The operations on plans."""

from __future__ import annotations

from functools import partial

from partner_esim import models
from partner_esim.server import Context, Plans, Problem, Reply

from ..store.tables import plans as store
from .backend import OLDEST, ApiBackend, list_body, page, scope_of


class PlanGroup(Plans):
    """The plan catalogue."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def list_plans(
        self,
        *,
        country: str | None,
        coverage: models.CoverageFilter | None,
        limit: int,
        cursor: str | None,
        context: Context,
    ) -> Reply[models.PlanList]:
        """List plans in ascending order of their ids."""
        scope = scope_of(context)
        wanted = country and country.upper()
        items, more, following = await page(
            self._backend,
            scope,
            partial(store.plans, wanted, coverage),
            lambda plan: plan.plan_id,
            limit,
            cursor,
            OLDEST,
            "plans",
            wanted,
            coverage,
        )
        return Reply(list_body((plan.body for plan in items), more, following))

    async def get_plan(self, *, plan_id: str, context: Context) -> Reply[models.Plan]:
        """Return one plan."""
        plan = await self._backend.read(scope_of(context), partial(store.plan, plan_id))
        if plan is None:
            raise Problem("resource_not_found", "There is no such plan.", param="path.plan_id")
        return Reply(plan.body)
