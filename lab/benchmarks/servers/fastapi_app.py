"""POST /orders with FastAPI."""

from fastapi import FastAPI
from orders import Order, OrderCreate, made_from

app = FastAPI()


@app.post("/orders", status_code=201)
async def create_order(body: OrderCreate) -> Order:
    return made_from(body)
