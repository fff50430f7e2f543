"""POST /orders with Litestar."""

from litestar import Litestar, post
from orders import Order, OrderCreate, made_from


@post("/orders", status_code=201)
async def create_order(data: OrderCreate) -> Order:
    return made_from(data)


app = Litestar([create_order])
