"""Implements and serves two groups of the generated stub, and calls them with the client."""

import socket
import threading

import uvicorn

from partner_esim import EsimClient, errors, models, server
from partner_esim.server import Context
from partner_esim.testing import example

KEY = "pes_test_" + "0" * 48
PLAN = example(models.Plan, plan_id="pln_jp-5gb-30d")


class Plans(server.UnimplementedPlans):
    async def get_plan(self, *, plan_id: str, context: Context) -> models.Plan:
        if plan_id != PLAN.plan_id:
            raise server.Problem("resource_not_found", "There is no such plan.")
        return PLAN


class Orders(server.UnimplementedOrders):
    def __init__(self) -> None:
        self.placed: dict[str, models.Order] = {}

    async def create_order(self, *, body: models.OrderCreate, context: Context) -> models.Order:
        total = PLAN.price_usd * body.quantity
        order = example(models.Order, reference=body.reference, total_usd=total)
        return self.placed.setdefault(order.order_id, order)

    async def get_order(self, *, order_id: str, context: Context) -> models.Order:
        if order_id not in self.placed:
            raise server.Problem("resource_not_found", "There is no such order.")
        return self.placed[order_id]


async def authenticate(key: str, request: object) -> str | None:
    return "the only partner" if key == KEY else None


def main() -> None:
    app = server.create_app(
        plans=Plans(), orders=Orders(), authenticate=authenticate, unimplemented="501"
    )
    listener = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    threading.Thread(target=running.run, args=[[listener]]).start()
    with EsimClient(KEY, base_url=f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
        plan = client.plans.get("pln_jp-5gb-30d")
        order = client.orders.create(plan_id=plan.plan_id, reference="trip-1", quantity=2)
        print(f"{order.reference}: 2 x {plan.price_usd} = {order.total_usd} USD")
        print("the same order:", client.orders.get(order.order_id) == order)
        try:
            client.esims.get("8988044000123450013")
        except errors.ServerError as error:
            print(f"no eSIMs yet: {error.status} {error.code}")
    running.should_exit = True


if __name__ == "__main__":
    main()
