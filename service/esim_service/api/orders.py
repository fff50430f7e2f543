"""The operations on orders."""

from __future__ import annotations

from functools import partial

from partner_esim import models
from partner_esim.server import CREATE_ORDER_REPLAY_HEADERS, Context, Orders, Problem, Reply

from ..carrier.port import Inquiry
from ..domain import bodies, orders
from ..domain.idempotency import IdempotentRequest
from ..store.tables import orders as store
from .backend import NEWEST, ApiBackend, page, scope_of
from .payloads import older_payloads, payload


class OrderGroup(Orders):
    """Orders for eSIMs."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def list_orders(
        self, *, reference: str | None, limit: int, cursor: str | None, context: Context
    ) -> models.OrderList:
        """List orders, newest first."""
        scope = scope_of(context)
        items, more, following = await page(
            self._backend,
            scope,
            partial(store.page, scope, reference),
            lambda order: order.order_id,
            limit,
            cursor,
            NEWEST,
            "orders",
            scope.partner_id,
            scope.mode,
            reference,
        )
        return models.OrderList(
            data=[bodies.order(item) for item in items], has_more=more, next_cursor=following
        )

    async def create_order(
        self, *, body: models.OrderCreate, context: Context
    ) -> Reply[models.Order]:
        """Place an order, once per reference."""
        purchase = IdempotentRequest(
            scope_of(context),
            "createOrder",
            body.reference,
            payload(body),
            self._backend.work.lease("provision"),
            partial(older_payloads, body, "end_user", "metadata"),
        )
        end_user = body.end_user
        label = None if end_user is None else end_user.label
        request = orders.OrderRequest(
            purchase=purchase,
            plan_id=body.plan_id,
            quantity=body.quantity,
            days=body.days,
            has_end_user=end_user is not None,
            end_user_label=label,
            metadata=body.metadata or {},
        )
        inquiry = Inquiry(purchase.scope.mode, request.scenario, purchase.reference)
        response = await self._backend.run_idempotent(
            purchase, inquiry, partial(orders.check, request), partial(orders.place, request)
        )
        return Reply(
            response.body, headers=CREATE_ORDER_REPLAY_HEADERS if response.is_replay else {}
        )

    async def get_order(self, *, order_id: str, context: Context) -> models.Order:
        """Return one order."""
        scope = scope_of(context)
        order = await self._backend.read(scope, partial(store.find, scope, order_id))
        if order is None:
            raise Problem("resource_not_found", "There is no such order.", param="path.order_id")
        return bodies.order(order)
