"""A shop as a team would write it in FastAPI; its clients and tests come from its document.

Run it with `uvicorn app:app`; README.md explains the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import (
    Depends,
    FastAPI,
    File,
    Form,
    Header,
    HTTPException,
    Path,
    Query,
    Response,
    UploadFile,
)
from fastapi.responses import PlainTextResponse, StreamingResponse
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from pydantic import BaseModel, Field

PASSWORDS = {"ann": "secret of Ann"}

app = FastAPI(
    title="Shop",
    version="1.0.0",
    generate_unique_id_function=lambda route: route.name,
)
signed_in = OAuth2PasswordBearer(tokenUrl="/token")


class Item(BaseModel):
    id: int
    name: str
    price: float = Field(ge=0)


class NewItem(BaseModel):
    name: str = Field(min_length=1)
    price: float = Field(ge=0)


class ItemChange(BaseModel):
    name: str | None = None
    price: float | None = None


class Order(BaseModel):
    id: int
    item_id: int
    quantity: int
    status: str = "open"


class NewOrder(BaseModel):
    item_id: int
    quantity: int = Field(default=1, ge=1, le=10)


class OrderPage(BaseModel):
    items: list[Order]
    total: int


class Token(BaseModel):
    access_token: str
    token_type: str = "bearer"


class Picture(BaseModel):
    filename: str | None
    size: int


class Progress(BaseModel):
    percent: int


class Missing(BaseModel):
    detail: str


items: dict[int, Item] = {}
orders: dict[int, Order] = {}
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Missing}}


def user(token: Annotated[str, Depends(signed_in)]) -> str:
    name = token.removeprefix("token of ")
    if name not in PASSWORDS:
        raise HTTPException(401, "This token is unknown.")
    return name


User = Annotated[str, Depends(user)]
ItemId = Annotated[int, Path(ge=1)]


def found(item_id: int) -> Item:
    if item_id not in items:
        raise HTTPException(404, "There is no such item.")
    return items[item_id]


@app.post("/token", tags=["account"])
def log_in(form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> Token:
    if PASSWORDS.get(form.username) != form.password:
        raise HTTPException(401, "Name or password are wrong.")
    return Token(access_token=f"token of {form.username}")


@app.get("/me", tags=["account"])
def who_am_i(name: User) -> dict[str, str]:
    return {"name": name}


@app.get("/items/", tags=["items"])
def list_items(skip: int = 0, limit: Annotated[int, Query(le=100)] = 10) -> list[Item]:
    return list(items.values())[skip : skip + limit]


@app.post("/items/", tags=["items"], status_code=201)
def create_item(item: NewItem, name: User) -> Item:
    made = Item(id=len(items) + 1, **item.model_dump())
    items[made.id] = made
    return made


@app.get("/items/{item_id}", tags=["items"], responses=NOT_FOUND)
def get_item(item_id: ItemId) -> Item:
    return found(item_id)


@app.put("/items/{item_id}", tags=["items"], responses=NOT_FOUND)
def replace_item(item_id: ItemId, item: NewItem, name: User) -> Item:
    found(item_id)
    items[item_id] = Item(id=item_id, **item.model_dump())
    return items[item_id]


@app.patch("/items/{item_id}", tags=["items"], responses=NOT_FOUND)
def change_item(item_id: ItemId, change: ItemChange, name: User) -> Item:
    items[item_id] = found(item_id).model_copy(update=change.model_dump(exclude_unset=True))
    return items[item_id]


@app.delete("/items/{item_id}", tags=["items"], status_code=204)
def delete_item(item_id: ItemId, name: User) -> None:
    found(item_id)
    del items[item_id]


@app.put("/items/{item_id}/picture", tags=["items"])
async def set_picture(item_id: ItemId, picture: UploadFile, name: User) -> Picture:
    return Picture(filename=picture.filename, size=len(await picture.read()))


@app.post("/items/{item_id}/attachments", tags=["items"])
async def attach(
    item_id: ItemId,
    files: Annotated[list[UploadFile], File()],
    note: Annotated[str, Form()],
    name: User,
) -> list[Picture]:
    return [Picture(filename=file.filename, size=len(await file.read())) for file in files]


@app.post("/items/{item_id}/stock", tags=["items"])
def restock(item_id: ItemId, count: Annotated[int, Form(ge=1)], name: User) -> dict[str, int]:
    return {"count": count}


@app.get("/items/{item_id}/tags", tags=["items"])
def tags_of(
    item_id: ItemId, only: Annotated[list[str] | None, Query()] = None
) -> dict[str, list[str]]:
    return {"tags": only or []}


@app.get("/orders", tags=["orders"])
def list_orders(name: User, page: int = 1, per_page: int = 2) -> OrderPage:
    start = (page - 1) * per_page
    return OrderPage(items=list(orders.values())[start : start + per_page], total=len(orders))


@app.post("/orders", tags=["orders"], status_code=201, responses=NOT_FOUND)
def create_order(order: NewOrder, name: User) -> Order:
    found(order.item_id)
    made = Order(id=len(orders) + 1, **order.model_dump())
    orders[made.id] = made
    return made


@app.get("/orders/{order_id}", tags=["orders"])
def get_order(order_id: int, name: User) -> Order:
    # Undeclared, as in most applications.
    if order_id not in orders:
        raise HTTPException(404, "There is no such order.")
    return orders[order_id]


@app.post("/orders/{order_id}/cancel", tags=["orders"])
def cancel_order(
    order_id: int, name: User, x_reason: Annotated[str | None, Header()] = None
) -> Order:
    orders[order_id].status = x_reason or "cancelled"
    return orders[order_id]


@app.get(
    "/orders/{order_id}/progress",
    tags=["orders"],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": Progress.model_json_schema()}}}},
)
async def watch_order(order_id: int, name: User) -> StreamingResponse:
    async def events() -> AsyncIterator[str]:
        for percent in (0, 50, 100):
            yield f"data: {Progress(percent=percent).model_dump_json()}\n\n"
            await asyncio.sleep(0)

    return StreamingResponse(events(), media_type="text/event-stream")


@app.get(
    "/orders/{order_id}/invoice",
    tags=["orders"],
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}}},
)
def invoice(order_id: int, name: User) -> Response:
    return Response(b"%PDF-1.7", media_type="application/pdf")


@app.get(
    "/report",
    tags=["reports"],
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/csv": {}}}},
)
def report(name: User) -> PlainTextResponse:
    lines = [f"{item.id},{item.name},{item.price}" for item in items.values()]
    return PlainTextResponse("\n".join(["id,name,price", *lines]), media_type="text/csv")


@app.get("/health", tags=["reports"])
def health() -> dict[str, bool]:
    return {"healthy": True}
