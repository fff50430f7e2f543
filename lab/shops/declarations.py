"""The declarations that a team would add to each shop, by operation or parameter."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

# A method and a path; for a declaration of a parameter, its name behind them.
Declarations = Mapping[tuple[str, ...], Mapping[str, Any]]


def _pages(items: str, **given: Any) -> Mapping[str, Any]:
    least = {"cursor": None, "next": None, "more": None, "id": "/id"}
    return {"x-contract-pagination": {**least, "items": items, **given}}


def _equals(property_: str) -> Mapping[str, Any]:
    return {"x-contract-filter": {"property": property_, "match": "equals"}}


def _sorted(*properties: str) -> Mapping[str, Any]:
    ways = (("", "ascending"), ("-", "descending"))
    orders = {
        f"{sign}{name}": {"by": f"/{name}", "direction": direction}
        for name in properties
        for sign, direction in ways
    }
    return {"x-contract-sort": {"orders": orders}}


_BY_KEY = {
    "x-contract-idempotency": {
        "header": "Idempotency-Key",
        "replay": {"status": 201},
        "changed": {"status": 422},
        "scope": ["user"],
    }
}


def _allowed(read: str, **moves: str) -> Mapping[str, Any]:
    return {"x-contract-transition": {"read": read, "at": "/status", "moves": moves}}


def _of_managers(scheme: str) -> Mapping[str, Any]:
    """Return a requirement of a role (OpenAPI 3.1.1, 4.8.30)."""
    return {"security": [{scheme: ["manager"]}]}


_PAY, _SHIP = {"open": "paid"}, {"paid": "shipped"}
_CANCEL = {"open": "cancelled", "paid": "cancelled"}
_READ = {"fastapi": "read_order_orders__order_id__get", "django": "orders_retrieve"}
_BY_OFFSET = _pages("/items", limit="limit", offset="offset", total="/total")
DECLARATIONS: Mapping[str, Declarations] = {
    "fastapi": {
        ("get", "/products/"): _BY_OFFSET,
        ("get", "/products/{product_id}/reviews/"): _BY_OFFSET,
        ("get", "/orders/"): _BY_OFFSET,
        ("post", "/products/"): _of_managers("HTTPBearer"),
        ("patch", "/products/{product_id}"): _of_managers("HTTPBearer"),
        ("delete", "/products/{product_id}"): _of_managers("HTTPBearer"),
        ("put", "/products/{product_id}/image"): _of_managers("HTTPBearer"),
        ("post", "/orders/"): _BY_KEY,
        ("post", "/orders/{order_id}/pay"): _allowed(_READ["fastapi"], **_PAY),
        ("post", "/orders/{order_id}/ship"): _allowed(_READ["fastapi"], **_SHIP),
        ("post", "/orders/{order_id}/cancel"): _allowed(_READ["fastapi"], **_CANCEL),
        ("get", "/products/", "category"): _equals("/category"),
        ("get", "/products/", "sort"): _sorted("name", "price"),
        ("get", "/orders/", "status"): _equals("/status"),
    },
    "django": {
        ("get", "/api/products/"): _pages("/results", limit="page_size", next_url="/next"),
        ("get", "/api/products/{product_id}/reviews/"): _pages(
            "/results", limit="page_size", page="page", total="/count"
        ),
        ("get", "/api/orders/"): _pages("", limit="page_size", link=True),
        ("post", "/api/products/"): _of_managers("basicAuth"),
        ("patch", "/api/products/{id}/"): _of_managers("basicAuth"),
        ("delete", "/api/products/{id}/"): _of_managers("basicAuth"),
        ("put", "/api/products/{product_id}/image/"): _of_managers("basicAuth"),
        ("post", "/api/orders/"): _BY_KEY,
        ("post", "/api/orders/{id}/pay/"): _allowed(_READ["django"], **_PAY),
        ("post", "/api/orders/{id}/ship/"): _allowed(_READ["django"], **_SHIP),
        ("post", "/api/orders/{id}/cancel/"): _allowed(_READ["django"], **_CANCEL),
        ("get", "/api/products/", "category"): _equals("/category"),
        ("get", "/api/products/", "ordering"): _sorted("name", "price"),
        ("get", "/api/orders/", "status"): _equals("/status"),
    },
}


def declared(document: Any, shop: str) -> Any:
    """Return the document of a shop with its declarations."""
    made = copy.deepcopy(document)
    for (method, path, *parameter), keys in DECLARATIONS[shop].items():
        holder = made["paths"][path][method]
        for name in parameter:
            holder = next(
                parameter for parameter in holder["parameters"] if parameter["name"] == name
            )
        holder.update(keys)
    return made
