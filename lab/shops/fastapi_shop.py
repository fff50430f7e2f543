"""A shop as a team would write it with FastAPI; SHOP_BUG names the bug that it has."""

import hashlib
import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

from lab.shops.fastapi_models import (
    BUG,
    Category,
    Limit,
    NewOrder,
    NewProduct,
    NewReview,
    Offset,
    Order,
    OrderChange,
    OrderPage,
    Problem,
    Product,
    ProductChange,
    ProductPage,
    ProductSort,
    Review,
    ReviewPage,
    Status,
    User,
)

USERS = {
    "test-alice": User(name="alice", role="manager"),
    "test-bob": User(name="bob", role="manager"),
    "test-carol": User(name="carol", role="customer"),
    "test-dave": User(name="dave", role="suspended"),
}
products: dict[int, dict[str, Any]] = {}
images: dict[int, tuple[bytes, str]] = {}
reviews: dict[int, dict[str, Any]] = {}
orders: dict[int, dict[str, Any]] = {}
keys: dict[tuple[str, str], tuple[str, int]] = {}
ids = itertools.count(1)
bearer = HTTPBearer(auto_error=BUG != "delete-without-credentials")


def no_entry() -> HTTPException:
    return HTTPException(401, "Not authenticated", {"WWW-Authenticate": "Bearer"})


def user(sent: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> User:
    found = USERS.get(sent.credentials) if sent else None
    if found is None and sent and BUG == "any-credentials":
        found = USERS["test-alice"]
    if found is None:
        raise no_entry()
    if found.role == "suspended" and BUG != "suspended-is-served":
        raise HTTPException(403, "The account is suspended")
    return found


def manager(who: Annotated[User, Depends(user)]) -> User:
    if who.role != "manager" and BUG != "customer-creates-products":
        raise HTTPException(403, "Only managers may do this")
    return who


def remover(sent: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> User:
    return manager(user(sent)) if BUG != "delete-without-credentials" else USERS["test-alice"]


Somebody = Annotated[User, Depends(user)]
Manager = Annotated[User, Depends(manager)]
Remover = Annotated[User, Depends(remover)]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem} for status in statuses}


def created(description: str) -> dict[int | str, dict[str, Any]]:
    location = {"description": "Where it is.", "required": True, "schema": {"type": "string"}}
    return {201: {"description": description, "headers": {"Location": location}}}


def find(table: dict[int, dict[str, Any]], id_: int) -> dict[str, Any]:
    if BUG == "unknown-id-breaks":
        return table[id_]
    if id_ not in table:
        raise HTTPException(404, "Not found")
    return table[id_]


def page(found: list[dict[str, Any]], limit: int, offset: int) -> dict[str, Any]:
    if BUG == "pages-repeat":
        offset = 0
    if BUG == "page-skips-one" and offset:
        offset += 1
    end = None if BUG == "limit-is-ignored" else offset + limit
    return {"items": found[offset:end], "total": len(found)}


def change(record: dict[str, Any], sent: BaseModel) -> dict[str, Any]:
    given = sent.model_dump(exclude_unset=BUG != "change-resets-others", exclude_none=True)
    if BUG == "empty-change-breaks":
        min(given)
    if BUG == "change-resets-others":
        given = {"description": ""} | given
    return record | given


def answer(record: dict[str, Any]) -> dict[str, Any] | Response:
    """Return the response for a record."""
    if BUG == "price-of-another-type" and "price" in record:
        sent = record | {"price": str(record["price"])}
    elif BUG == "date-is-not-a-date":
        sent = record | {"created_at": f"{record['created_at']:%d/%m/%Y %H:%M}"}
    else:
        return record
    return JSONResponse({**sent, "created_at": str(sent["created_at"]).replace("+00:00", "Z")})


CREATED = 200 if BUG == "created-is-200" else 201
app = FastAPI(title="Shop", version="1.0.0")


@app.middleware("http")
async def spelling(request: Any, call_next: Any) -> Response:
    response: Response = await call_next(request)
    if response.status_code == 404 and BUG == "not-found-is-html":
        return HTMLResponse("<h1>Not found</h1>", 404)
    return response


me = APIRouter(responses=problems(401, 403), tags=["me"])


@me.get("/me")
def read_me(who: Somebody) -> User:
    return who


catalogue = APIRouter(prefix="/products", responses=problems(400, 401, 403), tags=["products"])


@catalogue.post("/", status_code=CREATED, responses=created("The product."))
def create_product(who: Manager, product: NewProduct, response: Response) -> Product:
    if BUG == "non-ascii-breaks":
        product.name.encode("ascii")
    id_ = next(ids)
    products[id_] = {**product.model_dump(), "id": id_, "created_at": datetime.now(UTC)}
    response.headers["Location"] = f"/products/{id_ + (BUG == 'location-of-another')}"
    if BUG == "no-location":
        del response.headers["Location"]
    return products[id_]  # type: ignore[return-value]


@catalogue.get("/")
def list_products(
    who: Somebody,
    limit: Limit = 20,
    offset: Offset = 0,
    category: Category | None = None,
    sort: ProductSort | None = None,
) -> ProductPage:
    found = list(products.values())
    if category is not None and BUG != "filter-is-ignored":
        found = [product for product in found if product["category"] == category]
    if sort is not None and BUG != "sort-is-ignored":
        found.sort(key=lambda each: each[sort.lstrip("-")], reverse=sort.startswith("-"))
    shown = page(found, limit, offset)
    if BUG == "list-lacks-a-field":
        items = [
            Product(**item).model_dump(mode="json", exclude={"category"}) for item in shown["items"]
        ]
        return JSONResponse({**shown, "items": items})  # type: ignore[return-value]
    return shown  # type: ignore[return-value]


@catalogue.get("/{product_id}", responses=problems(404))
def read_product(who: Somebody, product_id: int) -> Product:
    return answer(find(products, product_id))  # type: ignore[return-value]


@catalogue.patch("/{product_id}", responses=problems(404))
def change_product(who: Manager, product_id: int, product: ProductChange) -> Product:
    record = change(find(products, product_id), product)
    if BUG != "change-is-not-stored":
        products[product_id] = record
    return answer(record)  # type: ignore[return-value]


@catalogue.delete("/{product_id}", status_code=204, responses=problems(404))
def delete_product(who: Remover, product_id: int) -> Response:
    find(products, product_id)
    if BUG != "delete-deletes-nothing":
        del products[product_id]
        images.pop(product_id, None)
    if BUG == "deleted-has-a-body":
        return JSONResponse({"deleted": product_id})
    return Response(status_code=204)


@catalogue.put("/{product_id}/image", status_code=204, responses=problems(404))
async def upload_image(who: Manager, product_id: int, image: UploadFile) -> None:
    find(products, product_id)
    content = await image.read()
    if BUG == "upload-is-lost":
        content = await image.read()
    images[product_id] = content, "application/octet-stream"


@catalogue.get(
    "/{product_id}/image",
    response_class=Response,
    responses={
        **problems(404),
        200: {
            "description": "The image.",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
    },
)
def read_image(who: Somebody, product_id: int) -> Response:
    if product_id not in images:
        raise HTTPException(404, "Not found")
    content, type_ = images[product_id]
    return Response(content, media_type=type_)


opinions = APIRouter(
    prefix="/products/{product_id}/reviews",
    responses=problems(400, 401, 403, 404),
    tags=["reviews"],
)


def review_of(product_id: int, review_id: int) -> dict[str, Any]:
    find(products, product_id)
    found = find(reviews, review_id)
    if found["product_id"] != product_id and BUG != "review-of-another-product":
        raise HTTPException(404, "Not found")
    return found


@opinions.post("/", status_code=201, responses=created("The review."))
def create_review(who: Somebody, product_id: int, review: NewReview, response: Response) -> Review:
    find(products, product_id)
    id_ = next(ids)
    reviews[id_] = {
        **review.model_dump(), "id": id_, "product_id": product_id, "author": who.name
    }  # fmt: skip
    response.headers["Location"] = f"/products/{product_id}/reviews/{id_}"
    return reviews[id_]  # type: ignore[return-value]


@opinions.get("/")
def list_reviews(
    who: Somebody, product_id: int, limit: Limit = 20, offset: Offset = 0
) -> ReviewPage:
    find(products, product_id)
    found = [review for review in reviews.values() if review["product_id"] == product_id]
    return page(found, limit, offset)  # type: ignore[return-value]


@opinions.get("/{review_id}")
def read_review(who: Somebody, product_id: int, review_id: int) -> Review:
    return review_of(product_id, review_id)  # type: ignore[return-value]


@opinions.delete("/{review_id}", status_code=204)
def delete_review(who: Somebody, product_id: int, review_id: int) -> None:
    if review_of(product_id, review_id)["author"] != who.name:
        raise HTTPException(403, "This is a review by somebody else")
    del reviews[review_id]


sales = APIRouter(prefix="/orders", responses=problems(400, 401, 403), tags=["orders"])


def own(who: User, order_id: int, *, bug: str) -> dict[str, Any]:
    found = find(orders, order_id)
    if found["owner"] != who.name and bug != BUG:
        raise HTTPException(404, "Not found")
    return found


def repeated(key: tuple[str, str], fingerprint: str) -> dict[str, Any] | None:
    """Return the order that was made with a key; raise for a key of another body."""
    if key not in keys or BUG == "key-is-ignored":
        return None
    first, order_id = keys[key]
    if first != fingerprint and BUG != "key-for-another-body":
        said = "was used with another body"
        where = ("header", "Idempotency-Key")
        raise RequestValidationError([{"loc": where, "msg": said, "type": "key_reused"}])
    return orders[order_id]


@sales.post("/", status_code=201, responses={**created("The order."), **problems(404)})
def create_order(
    who: Somebody,
    order: NewOrder,
    response: Response,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=100)] = None,
) -> Order:
    fingerprint = hashlib.sha256(order.model_dump_json().encode()).hexdigest()
    key = (who.name, idempotency_key or "")
    made = repeated(key, fingerprint) if idempotency_key else None
    if made is None:
        total = 0
        for line in order.lines:
            price = find(products, line.product_id)["price"]
            total += price * (1 if BUG == "total-without-quantity" else line.quantity)
        id_ = next(ids)
        made = orders[id_] = {
            **order.model_dump(), "id": id_, "owner": who.name, "status": Status.open,
            "total": total, "created_at": datetime.now(UTC),
        }  # fmt: skip
        if idempotency_key:
            keys[key] = fingerprint, id_
    response.headers["Location"] = f"/orders/{made['id']}"
    return made  # type: ignore[return-value]


@sales.get("/")
def list_orders(
    who: Somebody, limit: Limit = 20, offset: Offset = 0, status: Status | None = None
) -> OrderPage:
    found = [
        order
        for order in orders.values()
        if (order["owner"] == who.name or BUG == "list-of-others")
        and (status is None or order["status"] == status)
    ]
    return page(found, limit, offset)  # type: ignore[return-value]


@sales.get("/{order_id}", responses=problems(404))
def read_order(who: Somebody, order_id: int) -> Order:
    return own(who, order_id, bug="order-of-others")  # type: ignore[return-value]


@sales.patch("/{order_id}", responses=problems(404))
def change_order(who: Somebody, order_id: int, sent: OrderChange) -> Order:
    own(who, order_id, bug="change-of-others").update(sent.model_dump())
    return orders[order_id]  # type: ignore[return-value]


def move(to: Status, *, allowed: set[Status]) -> Callable[..., Any]:
    def act(who: Somebody, order_id: int) -> Order:
        found = own(who, order_id, bug="")
        if found["status"] not in allowed:
            raise HTTPException(409, f"The order is {found['status']}")
        found["status"] = to
        return found  # type: ignore[return-value]

    return act


for verb, to, allowed in (
    ("pay", Status.paid, {Status.open} | ({Status.paid} if BUG == "paid-twice" else set())),
    (
        "ship",
        Status.shipped,
        {Status.paid} | ({Status.open} if BUG == "unpaid-is-shipped" else set()),
    ),
    ("cancel", Status.cancelled, {Status.open, Status.paid}),
):
    sales.post(f"/{{order_id}}/{verb}", operation_id=f"{verb}_order", responses=problems(404, 409))(
        move(to, allowed=allowed)
    )

for router in (me, catalogue, opinions, sales):
    app.include_router(router)
