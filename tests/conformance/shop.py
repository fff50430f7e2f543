"""A small shop that keeps the contract of shop.json, but for a fault; see `shop_faults`."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

DOCUMENT = Path(__file__).with_name("shop.json")
CODES = json.loads(DOCUMENT.read_text("utf-8"))["x-contract-error"]["codes"]
KEYS = {
    "test-key-of-anna-00000001": "anna",
    "test-key-of-bert-00000002": "bert",
    "test-key-of-anna-00000003": "anna",
}
ANNA = next(iter(KEYS))
CREDIT, PRICE = 100_000, 2
# It is in items, which everybody sees, and in orders.
ORIGIN = {"origin": "Garden of Anna"}
ITEMS = [
    {"id": "itm-apple", "colour": "red", "size": 3, **ORIGIN},
    {"id": "itm-cherry", "colour": "red", "size": 1, **ORIGIN},
    {"id": "itm-beetroot", "colour": "red", "size": 3, **ORIGIN},
    {"id": "itm-lemon", "colour": "yellow", "size": 3, **ORIGIN},
]
LIMITS = {"reference": 60, "item_id": 60, "note": 20}
# What a request orders: its members and the quantity.
Payload = tuple[dict[str, Any], Any]
LABEL, REQUESTS, HOOKS = 10, 5_000, 2


class Refused(Exception):  # noqa: N818 - it is an answer
    """An error answer, by its code."""

    def __init__(self, code: str, param: str | None = None, **more: int) -> None:
        super().__init__(code)
        self.code, self.param, self.more = code, param, more


class Shop:
    """The state of the shop; `requests` and `most` are its limits.

    Its methods are small, so that a fault overrides one of them.
    """

    def __init__(self, requests: int = REQUESTS, most: int = HOOKS) -> None:
        self.requests, self.most = requests, most
        self.orders: list[dict[str, Any]] = []
        self.replies: dict[tuple[str, str], tuple[Any, bytes]] = {}
        self.hooks: dict[str, tuple[str, str]] = {}
        self.spent, self.owed = Counter[str](), Counter[str]()
        self.asked = Counter[str]()
        self.numbers, self.ids = count(1), count(1)
        self.lock = threading.Lock()

    def app(self) -> Starlette:
        routes = {
            "/v1/items": {"GET": self.list_items},
            "/v1/orders": {"GET": self.list_orders, "POST": self.create_order},
            "/v1/orders/{id}": {"GET": self.get_order},
            "/v1/parcels": {"GET": self.list_parcels},
            "/v1/parcels/{id}": {"GET": self.get_parcel},
            "/v1/parcels/{id}/calls": {"POST": self.call_parcel},
            "/v1/credit": {"GET": self.get_credit},
            "/v1/reset": {"POST": self.reset},
            "/v1/hooks": {"GET": self.list_hooks, "POST": self.create_hook},
            "/v1/hooks/{id}": {"GET": self.get_hook, "DELETE": self.delete_hook},
        }
        methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        nowhere = dict.fromkeys(methods, self.find_nothing)
        return Starlette(
            routes=[
                Route(path, self._endpoint(handlers), methods=methods)
                for path, handlers in {**routes, "/{path:path}": nowhere}.items()
            ]
        )

    def find_nothing(self, request: Request, partner: str, body: bytes) -> Response:
        raise Refused("no_route")

    def _endpoint(self, handlers: dict[str, Any]) -> Any:
        async def endpoint(request: Request) -> Response:
            body = await request.body()
            left = self._left(request)
            try:
                if left < 0:
                    raise Refused("slow_down")
                handler = handlers.get(request.method)
                if handler is None:
                    raise Refused("no_method")
                self._look_at(body)
                partner = self._partner(request)
                self._once(request)
                with self.lock:
                    answer = handler(request, partner, body)
            except Refused as refused:
                answer = self._error(request, refused)
            if answer.status_code == 405:
                self._allow(answer, list(handlers))
            return self._finish(answer, max(left, 0))

        return endpoint

    def _look_at(self, body: bytes) -> None:
        """Nothing is looked at before the key."""

    def _allow(self, answer: Response, methods: list[str]) -> None:
        answer.headers["Allow"] = ", ".join(methods)

    def _partner(self, request: Request) -> str:
        key = self._key(request)
        if key is None:
            raise Refused("no_key")
        if key not in KEYS:
            raise Refused("bad_key")
        return KEYS[key]

    def _key(self, request: Request) -> str | None:
        return request.headers.get("x-key")

    def _once(self, request: Request) -> None:
        """Every parameter is given once."""
        names = [name for name, _ in request.query_params.multi_items()]
        for name in names:
            if names.count(name) > 1:
                raise Refused("invalid", name)

    def _error(self, request: Request, refused: Refused) -> Response:
        return JSONResponse(self._error_body(refused), CODES[refused.code]["status"])

    def _error_body(self, refused: Refused) -> dict[str, Any]:
        kind = CODES[refused.code]["type"]
        body = {"type": kind, "code": refused.code, "message": "No.", "param": refused.param}
        return {**body, **refused.more, "request_id": ""}

    def _request_id(self) -> str:
        return f"req-{next(self.ids)}"

    def _finish(self, answer: Response, left: int) -> Response:
        request_id = self._request_id()
        answer.headers["Request-Id"] = request_id
        if answer.status_code >= 400:
            value = json.loads(bytes(answer.body))
            value["request_id"] = request_id
            answer = JSONResponse(value, answer.status_code, dict(answer.headers))
            answer.headers["content-length"] = str(len(answer.body))
        answer.headers["RateLimit"] = f'"all";r={left};t=1'
        if answer.status_code == 429:
            answer.headers["Retry-After"] = "60"
        return answer

    def _left(self, request: Request) -> int:
        """Count a request of a key, and return the number of requests left."""
        counted = self._counted(request.headers.get("x-key", ""))
        self.asked[counted] += 1
        return self.requests - self.asked[counted]

    def _counted(self, key: str) -> str:
        """The name that requests of a key are counted under."""
        return key

    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        colour, size = request.query_params.get("colour"), request.query_params.get("size")
        if colour is None and size is None:
            raise Refused("nothing_asked")
        if colour is not None and len(colour) > 10:
            raise Refused("length", "colour")
        if size is not None:
            if not size.isdecimal():
                raise Refused("invalid", "size")
            if not 1 <= int(size) <= 9:
                raise Refused("range", "size")
        found = [
            item
            for item in ITEMS
            if self._is_of(item, colour) and size in (None, str(item["size"]))
        ]
        return JSONResponse({"data": found})

    def _is_of(self, item: dict[str, Any], colour: str | None) -> bool:
        return colour in (None, item["colour"])

    def list_orders(self, request: Request, partner: str, body: bytes) -> Response:
        limit, cursor = request.query_params.get("limit", "20"), request.query_params.get("cursor")
        if not limit.isdecimal():
            raise Refused("invalid" if not limit.lstrip("-").isdecimal() else "range", "limit")
        self._check_limit(int(limit))
        if cursor is not None and len(cursor) > 60:
            raise Refused("length", "cursor")
        last = 0 if cursor is None else self._last(cursor)
        own = self._after(last, self._own_orders(partner))
        size = self._page_size(request, int(limit))
        page = own[:size]
        following = self._next(last, page) if self._has_more(page, own, size) else None
        return JSONResponse({"data": [self._listed(order) for order in page], "next": following})

    def _check_limit(self, limit: int) -> None:
        if not 1 <= limit <= 50:
            raise Refused("range", "limit")

    def _last(self, cursor: str) -> int:
        """The number of the order that a cursor comes after."""
        if not cursor.startswith("c-"):
            raise Refused("bad_cursor", "cursor")
        return int(cursor.removeprefix("c-"))

    def _after(self, last: int, orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [order for order in orders if order["number"] < last or not last]

    def _has_more(
        self, page: list[dict[str, Any]], orders: list[dict[str, Any]], size: int
    ) -> bool:
        return 0 < len(page) < len(orders)

    def _next(self, last: int, page: list[dict[str, Any]]) -> str:
        return f"c-{page[-1]['number']}"

    def _own_orders(self, partner: str) -> list[dict[str, Any]]:
        """The orders of a partner, the latest first."""
        return [order for order in self.orders if order["partner"] == partner][::-1]

    def _page_size(self, request: Request, limit: int) -> int:
        return limit

    def _listed(self, order: dict[str, Any]) -> dict[str, Any]:
        return self._shown(order)

    def create_order(self, request: Request, partner: str, body: bytes) -> Response:
        value = self._read(request, body)
        key, payload = (self._scope(partner), self._reference(value)), self._payload(value)
        if key in self.replies:
            return self._replay(partner, key, payload)
        return self._create(partner, value, key, payload)

    def _scope(self, partner: str) -> str:
        """The owner of a reference."""
        return partner

    def _reference(self, value: dict[str, Any]) -> str:
        return str(value["reference"])

    def _payload(self, value: dict[str, Any]) -> Payload:
        names = {name: value[name] for name in value if name not in ("quantity", "reference")}
        return names, value.get("quantity", 1)

    def _replay(self, partner: str, key: tuple[str, str], payload: Payload) -> Response:
        before, reply = self.replies[key]
        if before != payload:
            raise Refused("changed")
        return Response(reply, 201, {"Replayed": "yes"}, "application/json")

    def _create(
        self, partner: str, value: dict[str, Any], key: tuple[str, str], payload: Payload
    ) -> Response:
        quantity = value.get("quantity", 1)
        if value["item_id"] not in [item["id"] for item in ITEMS]:
            raise Refused("no_item", "item_id")
        number, price = next(self.numbers), self._price(quantity)
        made_at = self._now()
        if price > (there := CREDIT - self.spent[partner]):
            raise self._unpaid(price, there)
        order = {
            "id": f"ord-{number:06}",
            "reference": value["reference"],
            "number": number,
            "quantity": quantity,
            "price": price,
            "each": PRICE,
            "made_at": made_at.isoformat(),
            "changed_at": made_at.isoformat(),
            "mode": "test",
            "partner": partner,
            **ORIGIN,
        }
        self.orders.append(order)
        self._charge(partner, price)
        left = self._credit_after(partner, price)
        reply = json.dumps({**self._shown(order), "left": left}).encode()
        if value.get("note") == "sold out":
            self._owe(partner, price)
        self.replies[key] = (payload, reply)
        return Response(reply, 201, None, "application/json")

    def _unpaid(self, price: int, there: int) -> Refused:
        return Refused("unpaid", needed=price, there=there)

    def _credit_after(self, partner: str, price: int) -> int:
        """The credit that the response to an order names."""
        return CREDIT - self.spent[partner]

    def _owe(self, partner: str, price: int) -> None:
        self.owed[partner] += price

    def _price(self, quantity: int) -> int:
        return PRICE * quantity

    def _charge(self, partner: str, price: int) -> None:
        self.spent[partner] += price

    def _now(self) -> datetime:
        return datetime.now(UTC)

    def _read(self, request: Request, body: bytes) -> dict[str, Any]:
        """The body, as the contract wants it."""
        if len(body) > 10_000:
            raise Refused("too_large")
        self._check_media_type(request)
        try:
            value = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise Refused("bad_json") from None
        if not isinstance(value, dict):
            raise Refused("invalid")
        for name in ("reference", "item_id"):
            if name not in value:
                raise Refused("missing", name)
        for name, member in value.items():
            self._check(name, member)
        return value

    def _check_media_type(self, request: Request) -> None:
        media_type = request.headers.get("content-type", "").partition(";")[0]
        if media_type != "application/json":
            raise Refused("bad_media_type")

    def _check(self, name: str, member: Any) -> None:
        """A member of an order is as the contract wants it."""
        if name == "quantity":
            self._quantity(member)
        elif name == "labels":
            self._labels(member)
        elif name not in LIMITS:
            raise Refused("unknown", name)
        elif not isinstance(member, str):
            raise Refused("invalid", name)
        else:
            self._check_length(name, member)
            self._check_letters(name, member)

    def _check_length(self, name: str, text: str) -> None:
        if not (name == "reference") <= len(text) <= LIMITS[name]:
            raise Refused("length", name)

    def _check_letters(self, name: str, text: str) -> None:
        if name == "reference" and not re.fullmatch("[!-~]*", text):
            raise Refused("invalid", name)

    def _labels(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise Refused("invalid", "labels")
        for name, label in value.items():
            if not isinstance(label, str):
                raise Refused("invalid", f"labels.{name}")
            self._check_label(name, label)

    def _check_label(self, name: str, label: str) -> None:
        if len(label) > LABEL:
            raise Refused("length", f"labels.{name}")

    def _quantity(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value % 1:
            raise Refused("invalid", "quantity")
        if not 1 <= value <= 5:
            raise Refused("range", "quantity")

    def get_order(self, request: Request, partner: str, body: bytes) -> Response:
        for order in self.orders:
            if (order["id"], order["partner"]) == (request.path_params["id"], partner):
                parcel = order["id"].replace("ord", "par")
                shown = {**self._shown(order), "parcel_id": parcel}
                return JSONResponse(shown)
        raise Refused("not_found")

    def _shown(self, order: dict[str, Any]) -> dict[str, Any]:
        shown = {name: value for name, value in order.items() if name != "partner"}
        return shown

    def list_parcels(self, request: Request, partner: str, body: bytes) -> Response:
        wanted = request.query_params.get("order_id")
        if wanted is not None and len(wanted) > 60:
            raise Refused("length", "order_id")
        own = self._sent_orders(partner, wanted)
        shown = [self._parcel(order) for order in own if wanted in (None, order)]
        return JSONResponse({"data": shown})

    def _sent_orders(self, partner: str, wanted: str | None) -> list[str]:
        """The ids of the orders whose parcels are shown."""
        return [order["id"] for order in self.orders if order["partner"] == partner]

    def get_parcel(self, request: Request, partner: str, body: bytes) -> Response:
        order = self._order_of(request, partner)
        return JSONResponse(self._parcel(order))

    def call_parcel(self, request: Request, partner: str, body: bytes) -> Response:
        order = self._order_of(request, partner)
        return JSONResponse({"parcel_id": self._parcel(order)["id"]}, 202)

    def _order_of(self, request: Request, partner: str) -> str:
        """The id of the order that a parcel belongs to."""
        wanted = request.path_params["id"].replace("par-", "ord-")
        for order in self.orders:
            if order["id"] == wanted and order["partner"] == partner:
                return wanted
        raise Refused("not_found")

    def _parcel(self, order: str) -> dict[str, str]:
        return {"id": order.replace("ord", "par"), "order_id": order}

    def get_credit(self, request: Request, partner: str, body: bytes) -> Response:
        left = CREDIT - self.spent[partner]
        # What is owed is there the next time.
        self.spent[partner] -= self.owed.pop(partner, 0)
        return JSONResponse({"left": left, "mode": self._mode})

    @property
    def _mode(self) -> str:
        """The mode that the credit names."""
        return "test"

    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        self._forget_orders(partner)
        self._refund(partner)
        return self.get_credit(request, partner, body)

    def _forget_orders(self, partner: str) -> None:
        self.orders = [order for order in self.orders if order["partner"] != partner]
        self.replies = {key: reply for key, reply in self.replies.items() if key[0] != partner}

    def _refund(self, partner: str) -> None:
        self.spent[partner] = self.owed[partner] = 0

    def list_hooks(self, request: Request, partner: str, body: bytes) -> Response:
        own = [{"id": name} for name, (owner, _) in self.hooks.items() if owner == partner]
        return JSONResponse({"data": own})

    def create_hook(self, request: Request, partner: str, body: bytes) -> Response:
        if self._hooks_of(partner) >= self.most:
            raise Refused("full")
        number = next(self.numbers)
        name, secret = f"hook-{number:06}", f"whsec-{number:020}"
        self.hooks[name] = (partner, secret)
        return JSONResponse({"id": name, "secret": secret}, 201)

    def _hooks_of(self, partner: str) -> int:
        """The number of hooks that count."""
        return sum(1 for owner, _ in self.hooks.values() if owner == partner)

    def get_hook(self, request: Request, partner: str, body: bytes) -> Response:
        if self.hooks.get(request.path_params["id"], ("",))[0] != partner:
            raise Refused("not_found")
        return JSONResponse({"id": request.path_params["id"]})

    def delete_hook(self, request: Request, partner: str, body: bytes) -> Response:
        name = request.path_params["id"]
        if self.hooks.get(name, ("",))[0] != partner:
            raise Refused("not_found")
        del self.hooks[name]
        return Response(status_code=204)


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """An application on a free port of this machine; gives the base URL."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    started = threading.Event()
    startup = server.startup

    async def begun(sockets: Any = None) -> None:
        await startup(sockets)
        started.set()

    server.startup = begun  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(10)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join(10)
