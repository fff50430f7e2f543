"""Faults of the shop: each is a class that overrides one behaviour, registered by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.conformance.shop import ANNA, CREDIT, HOOKS, ITEMS, KEYS, PRICE, REQUESTS, Refused, Shop

FAULTS: dict[str, type[Shop]] = {}


def shop_with(bug: str, requests: int = REQUESTS, most: int = HOOKS) -> Shop:
    """Return a shop with a fault."""
    return FAULTS.get(bug, Shop)(bug, requests, most)


def fault(name: str) -> Callable[[type[Shop]], type[Shop]]:
    """Register a class as the shop with a fault."""

    def register(kind: type[Shop]) -> type[Shop]:
        assert name not in FAULTS
        FAULTS[name] = kind
        return kind

    return register


def _data(response: Response) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(bytes(response.body))["data"]
    return items


def _owner(shop: Shop, request: Request, partner: str) -> str:
    """The partner that a parcel belongs to."""
    owners = {order["id"].replace("ord-", "par-"): order["partner"] for order in shop.orders}
    owner: str = owners.get(request.path_params["id"], partner)
    return owner


# --- credentials -----------------------------------------------------------------------------


@fault("no authentication")
class NoAuthentication(Shop):
    def _partner(self, request: Request) -> str:
        return "anna"


@fault("any key")
class AnyKey(Shop):
    def _partner(self, request: Request) -> str:
        try:
            return super()._partner(request)
        except Refused as refused:
            if refused.code != "bad_key":
                raise
            return "anna"


@fault("key in the query")
class KeyInTheQuery(Shop):
    def _key(self, request: Request) -> str | None:
        return super()._key(request) or request.query_params.get("api_key")


@fault("key in another header")
class KeyInAnotherHeader(Shop):
    def _key(self, request: Request) -> str | None:
        return super()._key(request) or request.headers.get("x-api-key")


@fault("key in any letters")
class KeyInAnyLetters(Shop):
    def _key(self, request: Request) -> str | None:
        key = super()._key(request)
        return key and key.lower()


@fault("beginning of a key")
class BeginningOfAKey(Shop):
    def _key(self, request: Request) -> str | None:
        key = super()._key(request)
        return key and key[: len(ANNA)]


# --- routes and errors -----------------------------------------------------------------------


@fault("slashes")
class Slashes(Shop):
    def find_nothing(self, request: Request, partner: str, body: bytes) -> Response:
        if request.url.path.endswith("/"):
            return self.get_credit(request, partner, body)
        return super().find_nothing(request, partner, body)


@fault("nothing is a thing")
class NothingIsAThing(Shop):
    def find_nothing(self, request: Request, partner: str, body: bytes) -> Response:
        raise Refused("not_found")


@fault("last parameter")
class LastParameter(Shop):
    def _once(self, request: Request) -> None:
        pass


@fault("undeclared type")
class UndeclaredStatus(Shop):
    def _error(self, refused: Refused) -> Response:
        answer = super()._error(refused)
        answer.status_code = 418
        return answer


@fault("wrong status")
class WrongStatus(Shop):
    def _error(self, refused: Refused) -> Response:
        answer = super()._error(refused)
        if refused.code == "not_found":
            answer.status_code = 400
        return answer


@fault("wrong type")
class WrongType(Shop):
    def _error_body(self, refused: Refused) -> dict[str, Any]:
        return {**super()._error_body(refused), "type": "other"}


@fault("unlisted code")
class UnlistedCode(Shop):
    def _error_body(self, refused: Refused) -> dict[str, Any]:
        return {**super()._error_body(refused), "code": "oops"}


@fault("one request id")
class OneRequestId(Shop):
    def _request_id(self) -> str:
        return "same"


@fault("no request id")
class NoRequestId(Shop):
    def _finish(self, answer: Response, left: int) -> Response:
        finished = super()._finish(answer, left)
        del finished.headers["Request-Id"]
        return finished


@fault("html")
class Html(Shop):
    def _finish(self, answer: Response, left: int) -> Response:
        finished = super()._finish(answer, left)
        finished.headers["content-type"] = "text/html"
        return finished


@fault("no allow")
class NoAllow(Shop):
    def _allow(self, answer: Response, methods: list[str]) -> None:
        pass


@fault("one method allowed")
class OneMethodAllowed(Shop):
    def _allow(self, answer: Response, methods: list[str]) -> None:
        super()._allow(answer, methods[:1])


# --- rate limits -----------------------------------------------------------------------------


@fault("no rate header")
class NoRateHeader(Shop):
    def _finish(self, answer: Response, left: int) -> Response:
        finished = super()._finish(answer, left)
        del finished.headers["RateLimit"]
        return finished


@fault("come again at once")
class ComeAgainAtOnce(Shop):
    def _finish(self, answer: Response, left: int) -> Response:
        finished = super()._finish(answer, left)
        if finished.status_code == 429:
            finished.headers["Retry-After"] = "1"
        return finished


@fault("requests left over")
class RequestsLeftOver(Shop):
    def _left(self, request: Request) -> int:
        return self.requests


@fault("keys together")
class KeysTogether(Shop):
    def _counted(self, key: str) -> str:
        return KEYS.get(key, "")


# --- items -----------------------------------------------------------------------------------


@fault("filter by prefix")
class FilterByPrefix(Shop):
    def _is_of(self, item: dict[str, Any], colour: str | None) -> bool:
        return super()._is_of(item, colour) or item["colour"].startswith(colour)


@fault("filter without case")
class FilterWithoutCase(Shop):
    def _is_of(self, item: dict[str, Any], colour: str | None) -> bool:
        return super()._is_of(item, colour and colour.lower())


@fault("filter lets all through")
class FilterLetsAllThrough(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        answer = super().list_items(request, partner, body)
        return JSONResponse({"data": ITEMS}) if "size" in request.query_params else answer


@fault("overflow")
class Overflow(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        size = request.query_params.get("size", "")
        if size.isdecimal() and int(size) >= 2**31:
            return JSONResponse({}, 500)
        return super().list_items(request, partner, body)


@fault("filter forgets")
class FilterForgets(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        items = _data(super().list_items(request, partner, body))
        return JSONResponse({"data": items[:1] if "size" in request.query_params else items})


@fault("size is text")
class SizeIsText(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        items = _data(super().list_items(request, partner, body))
        return JSONResponse({"data": [{**item, "size": str(item["size"])} for item in items]})


# --- orders and parcels ----------------------------------------------------------------------


@fault("breaks without a body")
class BreaksWithoutABody(Shop):
    def create_order(self, request: Request, partner: str, body: bytes) -> Response:
        if not body:
            return JSONResponse({}, 500)
        return super().create_order(request, partner, body)


@fault("no quantity")
class NoQuantity(Shop):
    def _shown(self, order: dict[str, Any]) -> dict[str, Any]:
        shown = super()._shown(order)
        del shown["quantity"]
        return shown


@fault("everything is there")
class EverythingIsThere(Shop):
    def get_order(self, request: Request, partner: str, body: bytes) -> Response:
        try:
            return super().get_order(request, partner, body)
        except Refused:
            if not self.orders:
                raise
            return JSONResponse(self._shown(self.orders[0]))


@fault("tells what is there")
class TellsWhatIsThere(Shop):
    def get_order(self, request: Request, partner: str, body: bytes) -> Response:
        try:
            return super().get_order(request, partner, body)
        except Refused:
            if request.path_params["id"] in [order["id"] for order in self.orders]:
                raise Refused("forbidden") from None
            raise


@fault("lists everybody's")
class ListsEverybodys(Shop):
    def _own_orders(self, partner: str) -> list[dict[str, Any]]:
        return self.orders[::-1]


@fault("forgets large orders")
class ForgetsLargeOrders(Shop):
    def _own_orders(self, partner: str) -> list[dict[str, Any]]:
        return [order for order in super()._own_orders(partner) if order["quantity"] < 5]


@fault("oldest first")
class OldestFirst(Shop):
    def _own_orders(self, partner: str) -> list[dict[str, Any]]:
        return super()._own_orders(partner)[::-1]


@fault("one too many")
class OneTooMany(Shop):
    def _page_size(self, request: Request, limit: int) -> int:
        return limit + 1


@fault("small pages")
class SmallPages(Shop):
    def _page_size(self, request: Request, limit: int) -> int:
        return min(limit, 7)


@fault("usual page of all")
class UsualPageOfAll(Shop):
    def _page_size(self, request: Request, limit: int) -> int:
        return limit if "limit" in request.query_params else 1_000


@fault("list differs")
class ListDiffers(Shop):
    def _listed(self, order: dict[str, Any]) -> dict[str, Any]:
        return {**super()._listed(order), "quantity": order["quantity"] + 1}


@fault("breaks at many members")
class BreaksAtManyMembers(Shop):
    def create_order(self, request: Request, partner: str, body: bytes) -> Response:
        if len(self._read(request, body)) > 30:
            return JSONResponse({}, 500)
        return super().create_order(request, partner, body)


@fault("four is the most")
class FourIsTheMost(Shop):
    def _quantity(self, value: Any) -> None:
        super()._quantity(value)
        if value > 4:
            raise Refused("range", "quantity")


@fault("time of another place")
class TimeOfAnotherPlace(Shop):
    def _now(self) -> datetime:
        return super()._now() + timedelta(hours=2)


@fault("shows everybody's")
class ShowsEverybodys(Shop):
    def get_order(self, request: Request, partner: str, body: bytes) -> Response:
        owners = {order["id"]: order["partner"] for order in self.orders}
        owner = owners.get(request.path_params["id"], partner)
        return super().get_order(request, owner, body)


@fault("old version")
class OldVersion(Shop):
    def get_order(self, request: Request, partner: str, body: bytes) -> Response:
        order = json.loads(bytes(super().get_order(request, partner, body).body))
        return JSONResponse({**order, "changed_at": "2020-01-01T00:00:00Z"})


@fault("any parcel")
class AnyParcel(Shop):
    def get_parcel(self, request: Request, partner: str, body: bytes) -> Response:
        return super().get_parcel(request, _owner(self, request, partner), body)


@fault("any parcel is called")
class AnyParcelIsCalled(Shop):
    def call_parcel(self, request: Request, partner: str, body: bytes) -> Response:
        return super().call_parcel(request, _owner(self, request, partner), body)


# --- credit and resets -----------------------------------------------------------------------


@fault("reset of everybody")
class ResetOfEverybody(Shop):
    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        self.orders, self.replies = [], {}
        return super().reset(request, partner, body)


@fault("reset leaves no credit")
class ResetLeavesNoCredit(Shop):
    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        super().reset(request, partner, body)
        self.spent[partner] = CREDIT
        return self.get_credit(request, partner, body)


@fault("reset fails without credit")
class ResetFailsWithoutCredit(Shop):
    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        super().reset(request, partner, body)
        self.spent[partner] = CREDIT
        return JSONResponse({}, 501)


@fault("reset removes hooks")
class ResetRemovesHooks(Shop):
    def reset(self, request: Request, partner: str, body: bytes) -> Response:
        self.hooks = {name: hook for name, hook in self.hooks.items() if hook[0] != partner}
        return super().reset(request, partner, body)


@fault("price of one")
class PriceOfOne(Shop):
    def _price(self, quantity: int) -> int:
        return PRICE


@fault("free orders")
class FreeOrders(Shop):
    def _charge(self, partner: str, price: int) -> None:
        pass


@fault("charges twice")
class ChargesTwice(Shop):
    def _charge(self, partner: str, price: int) -> None:
        super()._charge(partner, 2 * price)


@fault("two modes")
class TwoModes(Shop):
    @property
    def _mode(self) -> str:
        return "live"


# --- hooks -----------------------------------------------------------------------------------


@fault("everybody's hooks")
class EverybodysHooks(Shop):
    def list_hooks(self, request: Request, partner: str, body: bytes) -> Response:
        return JSONResponse({"data": [{"id": name} for name in self.hooks]})


@fault("secret again")
class SecretAgain(Shop):
    def get_hook(self, request: Request, partner: str, body: bytes) -> Response:
        super().get_hook(request, partner, body)
        name = request.path_params["id"]
        return JSONResponse({"id": name, "secret": self.hooks[name][1]})


@fault("keeps its place")
class KeepsItsPlace(Shop):
    def delete_hook(self, request: Request, partner: str, body: bytes) -> Response:
        name = request.path_params["id"]
        hook = self.hooks.get(name)
        answer = super().delete_hook(request, partner, body)
        if hook is not None:
            self.hooks[name[::-1]] = hook
        return answer


@fault("deletes nothing")
class DeletesNothing(Shop):
    def delete_hook(self, request: Request, partner: str, body: bytes) -> Response:
        hooks = dict(self.hooks)
        answer = super().delete_hook(request, partner, body)
        self.hooks = hooks
        return answer


@fault("three hooks")
class ThreeHooks(Shop):
    def create_hook(self, request: Request, partner: str, body: bytes) -> Response:
        self.most = 3
        return super().create_hook(request, partner, body)


@fault("one hook")
class OneHook(Shop):
    def create_hook(self, request: Request, partner: str, body: bytes) -> Response:
        self.most = 1
        return super().create_hook(request, partner, body)


@fault("anybody removes hooks")
class AnybodyRemovesHooks(Shop):
    def delete_hook(self, request: Request, partner: str, body: bytes) -> Response:
        owner, _ = self.hooks.get(request.path_params["id"], (partner, ""))
        return super().delete_hook(request, owner, body)
