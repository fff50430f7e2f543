"""A small shop that keeps the contract of shop.json, but for a fault; see `shop_faults`."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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
LABEL, REQUESTS, HOOKS = 10, 5_000, 2


class Refused(Exception):  # noqa: N818 - it is an answer
    """An error answer, by its code."""

    def __init__(self, code: str, param: str | None = None, **more: int) -> None:
        super().__init__(code)
        self.code, self.param, self.more = code, param, more


class Shop:
    """The state of the shop; `bug` is its mistake, `requests` and `most` are its limits."""

    def __init__(self, bug: str = "", requests: int = REQUESTS, most: int = HOOKS) -> None:
        self.bug, self.requests, self.most = bug, requests, most
        self.orders: list[dict[str, Any]] = []
        self.replies: dict[tuple[str, str], tuple[Any, bytes]] = {}
        self.hooks: dict[str, tuple[str, str]] = {}
        self.spent, self.owed = Counter[str](), Counter[str]()
        self.asked, self.hooked = Counter[str](), Counter[str]()
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
                if self.bug == "body before the key" and body and not body.endswith(b"}"):
                    raise Refused("bad_json")
                partner = self._partner(request)
                self._once(request)
                with self.lock:
                    answer = handler(request, partner, body)
            except Refused as refused:
                answer = self._error(refused)
                if self.bug == "mistakes are free" and refused.code in ("bad_json", "missing"):
                    self.asked[request.headers.get("x-key", "")] -= 1
            if answer.status_code == 405 and self.bug != "no allow":
                shown = list(handlers)[: 1 if self.bug == "one method allowed" else None]
                answer.headers["Allow"] = ", ".join(shown)
            return self._finish(answer, max(left, 0))

        return endpoint

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

    def _error(self, refused: Refused) -> Response:
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
            value["request_id"] = "another" if self.bug == "another request id" else request_id
            answer = JSONResponse(value, answer.status_code, dict(answer.headers))
            answer.headers["content-length"] = str(len(answer.body))
        answer.headers["RateLimit"] = f'"all";r={left};t=1'
        if answer.status_code == 429:
            answer.headers["Retry-After"] = "60"
        return answer

    def _left(self, request: Request) -> int:
        """Count a request of a key, and return the number of requests left."""
        key = request.headers.get("x-key", "")
        counted = KEYS.get(key, "") if self.bug == "keys together" else key
        self.asked[counted] += 1
        return self.requests - self.asked[counted]

    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        colour, size = request.query_params.get("colour"), request.query_params.get("size")
        if colour is None and size is None and self.bug != "asks nothing":
            raise Refused("invalid" if self.bug == "asks in other words" else "nothing_asked")
        if colour is not None and len(colour) > 10:
            raise Refused("length", "colour")
        if self.bug == "overflow" and size and size.isdecimal() and int(size) >= 2**31:
            return JSONResponse({}, 500)
        if size is not None:
            if not size.isdecimal():
                raise Refused("invalid", "size")
            if not 1 <= int(size) <= 9 and self.bug != "any size":
                raise Refused("range", "size")
        found = [
            item
            for item in ITEMS
            if self._is_of(item, colour) and size in (None, str(item["size"]))
        ]
        if self.bug == "filter forgets":
            found = found[:1] if size is not None else found
        shown = [{**item, "size": str(item["size"])} for item in found]
        return JSONResponse({"data": shown if self.bug == "size is text" else found})

    def _is_of(self, item: dict[str, Any], colour: str | None) -> bool:
        return colour in (None, item["colour"])

    def list_orders(self, request: Request, partner: str, body: bytes) -> Response:
        limit, cursor = request.query_params.get("limit", "20"), request.query_params.get("cursor")
        if not limit.isdecimal():
            raise Refused("invalid" if not limit.lstrip("-").isdecimal() else "range", "limit")
        least = 0 if self.bug == "page of nothing" else 1
        if not least <= int(limit) <= 50 and self.bug != "any limit":
            raise Refused("range", "limit")
        if cursor is not None and len(cursor) > 60:
            raise Refused("length", "cursor")
        own = [order for order in self.orders if order["partner"] == partner]
        if self.bug == "lists everybody's":
            own = self.orders
        if self.bug == "forgets large orders":
            own = [each for each in own if each["quantity"] < 5]
        own = own if self.bug == "oldest first" else own[::-1]
        if cursor is not None:
            if not cursor.startswith("c-") and self.bug != "any cursor":
                raise Refused("bad_cursor", "cursor")
            last = int(cursor.removeprefix("c-")) if cursor.startswith("c-") else 0
            if self.bug == "offset":
                own = own[last:]
            else:
                own = [each for each in own if each["number"] < last or not last]
        size = int(limit) + (self.bug == "one too many")
        if self.bug == "usual page of all" and "limit" not in request.query_params:
            size = 1_000
        page = own[: min(size, 7) if self.bug == "small pages" else size]
        more = 0 < len(page) < len(own) or (self.bug == "announces more" and 0 < len(page) == size)
        at = size + int((cursor or "c-0").removeprefix("c-")) if self.bug == "offset" else 0
        following = f"c-{at or page[-1]['number']}" if more else None
        if self.bug == "skips" and following:
            following = f"c-{page[-1]['number'] - 1}"
        shown = [self._shown(each) for each in page]
        if self.bug == "list differs":
            shown = [{**each, "quantity": each["quantity"] + 1} for each in shown]
        return JSONResponse({"data": shown, "next": following})

    def create_order(self, request: Request, partner: str, body: bytes) -> Response:
        value = self._read(request, body)
        if self.bug == "breaks at many members" and len(value) > 30:
            return JSONResponse({}, 500)
        names = {name: value[name] for name in value if name not in ("quantity", "reference")}
        quantity = value.get("quantity", 1)
        payload = (names, quantity if self.bug != "no defaults" else value.get("quantity"))
        scope = "" if self.bug in ("one scope", "one unmarked scope") else partner
        reference = value["reference"]
        key = (scope, reference.lower() if self.bug == "keys without case" else reference)
        if key in self.replies and self.bug != "no idempotency":
            before, reply = self.replies[key]
            if before != payload and self.bug != "any payload":
                raise Refused("changed")
            is_marked = self.bug not in ("unmarked replay", "one unmarked scope")
            headers = {"Replayed": "yes"} if is_marked else {}
            self.spent[partner] += self.bug == "charges replays" and 2 * quantity
            status = 200 if self.bug == "replay is 200" else 201
            return Response(reply, status, headers, "application/json")
        if self.bug == "failure keeps the key":
            self.replies[key] = (payload, b"{}")
        if value["item_id"] not in [item["id"] for item in ITEMS]:
            raise Refused("no_item", "item_id")
        if self.bug == "quantity breaks" and quantity == 5:
            return JSONResponse({}, 500)
        number, price = next(self.numbers), PRICE * (1 if self.bug == "price of one" else quantity)
        made_at = datetime.now(UTC) + timedelta(hours=2 * (self.bug == "time of another place"))
        if price > (there := CREDIT - self.spent[partner]):
            needed = price - there if self.bug == "asks for the rest" else price
            shown = there + (self.bug == "shows another balance")
            raise Refused("unpaid", needed=needed, there=shown)
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
        times = {"free orders": 0, "charges twice": 2}.get(self.bug, 1)
        self.spent[partner] += times * price
        left = CREDIT - self.spent[partner] + (price if self.bug == "credit before" else 0)
        reply = json.dumps({**self._shown(order), "left": left}).encode()
        if value.get("note") == "sold out" and self.bug != "keeps the price":
            self.owed[partner] += price
        self.replies[key] = (payload, reply)
        is_known = any(used == key[1] for owner, used in self.replies if owner != scope)
        is_marked = is_known and self.bug == "marks what others made"
        headers = {"Replayed": "yes"} if is_marked or self.bug == "always a replay" else {}
        return Response(reply, 201, headers, "application/json")

    def _read(self, request: Request, body: bytes) -> dict[str, Any]:
        """The body, as the contract wants it."""
        if len(body) > 10_000:
            raise Refused("too_large")
        media_type = request.headers.get("content-type", "").partition(";")[0]
        if media_type != "application/json" and self.bug != "any media type":
            raise Refused("bad_media_type")
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
            if name == "quantity":
                self._quantity(member)
            elif name == "labels":
                self._labels(member)
            elif name not in LIMITS:
                if self.bug != "unknown members":
                    raise Refused("unknown", name)
            elif not isinstance(member, str):
                if self.bug != "numbers are texts" or name != "note":
                    raise Refused("invalid", name)
            elif (
                self.bug != "long notes"
                and not (name == "reference") <= len(member) <= LIMITS[name]
            ):
                raise Refused("range" if self.bug == "wrong code" else "length", name)
            elif name == "reference" and not re.fullmatch("[!-~]*", member):
                if self.bug != "any reference":
                    raise Refused("invalid", name)
            elif name == "note" and self.bug == "only Latin" and not member.isascii():
                raise Refused("invalid", name)
        return value

    def _labels(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise Refused("invalid", "labels")
        for name, label in value.items():
            if not isinstance(label, str):
                raise Refused("invalid", f"labels.{name}")
            if len(label) > LABEL and self.bug != "long labels":
                raise Refused("length", f"labels.{name}")

    def _quantity(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value % 1:
            raise Refused("invalid", "quantity")
        most = 4 if self.bug == "four is the most" else 5
        if not 1 <= value <= most:
            raise Refused("range", "quantity")

    def get_order(self, request: Request, partner: str, body: bytes) -> Response:
        for order in self.orders:
            is_own = order["partner"] == partner or self.bug == "shows everybody's"
            if order["id"] == request.path_params["id"] and is_own:
                parcel = order["id"].replace("ord", "par")
                shown = {**self._shown(order), "parcel_id": parcel}
                if self.bug == "old version":
                    shown["changed_at"] = "2020-01-01T00:00:00Z"
                return JSONResponse(shown)
        raise Refused("not_found")

    def _shown(self, order: dict[str, Any]) -> dict[str, Any]:
        shown = {name: value for name, value in order.items() if name != "partner"}
        return shown

    def list_parcels(self, request: Request, partner: str, body: bytes) -> Response:
        wanted = request.query_params.get("order_id")
        if wanted is not None and len(wanted) > 60:
            raise Refused("length", "order_id")
        is_open = wanted is not None and self.bug == "parcels of any order"
        own = [order["id"] for order in self.orders if is_open or order["partner"] == partner]
        shown = [self._parcel(each) for each in own if wanted in (None, each)]
        return JSONResponse({"data": shown})

    def get_parcel(self, request: Request, partner: str, body: bytes) -> Response:
        order = self._order_of(request, partner, self.bug == "any parcel")
        return JSONResponse(self._parcel(order))

    def call_parcel(self, request: Request, partner: str, body: bytes) -> Response:
        order = self._order_of(request, partner, self.bug == "any parcel is called")
        return JSONResponse({"parcel_id": self._parcel(order)["id"]}, 202)

    def _order_of(self, request: Request, partner: str, is_open: bool) -> str:
        """The id of the order that a parcel belongs to."""
        wanted = request.path_params["id"].replace("par-", "ord-")
        for order in self.orders:
            if order["id"] == wanted and (is_open or order["partner"] == partner):
                return wanted
        raise Refused("not_found")

    def _parcel(self, order: str) -> dict[str, str]:
        return {"id": order.replace("ord", "par"), "order_id": order}

    def get_credit(self, request: Request, partner: str, body: bytes) -> Response:
        left = CREDIT - self.spent[partner]
        # What is owed is there the next time.
        self.spent[partner] -= self.owed.pop(partner, 0)
        return JSONResponse({"left": left, "mode": "live" if self.bug == "two modes" else "test"})

    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        if self.bug == "reset keeps references":
            self.orders = [order for order in self.orders if order["partner"] != partner]
        elif self.bug != "reset keeps orders":
            self.orders = [order for order in self.orders if order["partner"] != partner]
            self.replies = {key: each for key, each in self.replies.items() if key[0] != partner}
        if self.bug != "reset keeps credit":
            self.spent[partner] = self.owed[partner] = 0
        return self.get_credit(request, partner, body)

    def list_hooks(self, request: Request, partner: str, body: bytes) -> Response:
        own = [{"id": name} for name, (owner, _) in self.hooks.items() if owner == partner]
        return JSONResponse({"data": own})

    def create_hook(self, request: Request, partner: str, body: bytes) -> Response:
        most = {"three hooks": 3, "one hook": 1}.get(self.bug, self.most)
        self.hooked[partner] += 1
        there = sum(1 for owner, _ in self.hooks.values() if owner == partner)
        if self.bug == "removed hooks count":
            there = self.hooked[partner] - 1
        if there >= most:
            raise Refused("busy" if self.bug == "wrong capacity code" else "full")
        number = next(self.numbers)
        name, secret = f"hook-{number:06}", f"whsec-{number:020}"
        self.hooks[name] = (partner, secret)
        return JSONResponse({"id": name, "secret": secret}, 201)

    def get_hook(self, request: Request, partner: str, body: bytes) -> Response:
        if self.hooks.get(request.path_params["id"], ("",))[0] != partner:
            raise Refused("not_found")
        return JSONResponse({"id": request.path_params["id"]})

    def delete_hook(self, request: Request, partner: str, body: bytes) -> Response:
        name = request.path_params["id"]
        is_open = self.bug == "anybody removes hooks" and name in self.hooks
        if self.hooks.get(name, ("",))[0] != partner and not is_open:
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
