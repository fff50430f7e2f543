"""Faults of the shop: each is a class that overrides one behaviour, registered by its name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.conformance.shop import (
    ANNA,
    CREDIT,
    HOOKS,
    ITEMS,
    KEYS,
    LIMITS,
    PRICE,
    REQUESTS,
    Payload,
    Refused,
    Shop,
)

FAULTS: dict[str, type[Shop]] = {}


def shop_with(bug: str, requests: int = REQUESTS, most: int = HOOKS) -> Shop:
    """Return a shop with a fault; without a name, a correct one."""
    kind = FAULTS[bug] if bug else Shop
    return kind(requests, most)


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


def _instead(refused: Refused, code: str, other: str) -> Refused:
    """Return a refusal with another code for one of them."""
    return Refused(other, refused.param) if refused.code == code else refused


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
    def _error(self, request: Request, refused: Refused) -> Response:
        answer = super()._error(request, refused)
        answer.status_code = 418
        return answer


@fault("wrong status")
class WrongStatus(Shop):
    def _error(self, request: Request, refused: Refused) -> Response:
        answer = super()._error(request, refused)
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


@fault("body before the key")
class BodyBeforeTheKey(Shop):
    def _look_at(self, body: bytes) -> None:
        if body and not body.endswith(b"}"):
            raise Refused("bad_json")


@fault("another request id")
class AnotherRequestId(Shop):
    def _finish(self, answer: Response, left: int) -> Response:
        finished = super()._finish(answer, left)
        if finished.status_code >= 400:
            value = {**json.loads(bytes(finished.body)), "request_id": "another"}
            finished.body = finished.render(value)
            finished.headers["content-length"] = str(len(finished.body))
        return finished


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


@fault("mistakes are free")
class MistakesAreFree(Shop):
    def _error(self, request: Request, refused: Refused) -> Response:
        if refused.code in ("bad_json", "missing"):
            self.asked[request.headers.get("x-key", "")] -= 1
        return super()._error(request, refused)


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


@fault("asks nothing")
class AsksNothing(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        if not {"colour", "size"} & set(request.query_params):
            return JSONResponse({"data": ITEMS})
        return super().list_items(request, partner, body)


@fault("asks in other words")
class AsksInOtherWords(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        try:
            return super().list_items(request, partner, body)
        except Refused as refused:
            raise _instead(refused, "nothing_asked", "invalid") from None


@fault("any size")
class AnySize(Shop):
    def list_items(self, request: Request, partner: str, body: bytes) -> Response:
        try:
            return super().list_items(request, partner, body)
        except Refused as refused:
            if refused.code != "range":
                raise
            return JSONResponse({"data": []})


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


@fault("page of nothing")
class PageOfNothing(Shop):
    def _check_limit(self, limit: int) -> None:
        if limit:
            super()._check_limit(limit)


@fault("any limit")
class AnyLimit(Shop):
    def _check_limit(self, limit: int) -> None:
        pass


@fault("any cursor")
class AnyCursor(Shop):
    def _last(self, cursor: str) -> int:
        return super()._last(cursor) if cursor.startswith("c-") else 0


@fault("offset")
class Offset(Shop):
    def _after(self, last: int, orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return orders[last:]

    def _next(self, last: int, page: list[dict[str, Any]]) -> str:
        return f"c-{last + len(page)}"


@fault("announces more")
class AnnouncesMore(Shop):
    def _has_more(
        self, page: list[dict[str, Any]], orders: list[dict[str, Any]], size: int
    ) -> bool:
        return super()._has_more(page, orders, size) or 0 < len(page) == size


@fault("skips")
class Skips(Shop):
    def _next(self, last: int, page: list[dict[str, Any]]) -> str:
        return f"c-{page[-1]['number'] - 1}"


@fault("any media type")
class AnyMediaType(Shop):
    def _check_media_type(self, request: Request) -> None:
        pass


@fault("unknown members")
class UnknownMembers(Shop):
    def _check(self, name: str, member: Any) -> None:
        if name in (*LIMITS, "quantity", "labels"):
            super()._check(name, member)


@fault("numbers are texts")
class NumbersAreTexts(Shop):
    def _check(self, name: str, member: Any) -> None:
        if name != "note" or isinstance(member, str):
            super()._check(name, member)


@fault("only Latin")
class OnlyLatin(Shop):
    def _check(self, name: str, member: Any) -> None:
        super()._check(name, member)
        if name == "note" and not member.isascii():
            raise Refused("invalid", name)


@fault("long notes")
class LongNotes(Shop):
    def _check_length(self, name: str, text: str) -> None:
        pass


@fault("wrong code")
class WrongCode(Shop):
    def _check_length(self, name: str, text: str) -> None:
        try:
            super()._check_length(name, text)
        except Refused as refused:
            raise _instead(refused, "length", "range") from None


@fault("any reference")
class AnyReference(Shop):
    def _check_letters(self, name: str, text: str) -> None:
        pass


@fault("long labels")
class LongLabels(Shop):
    def _check_label(self, name: str, label: str) -> None:
        pass


@fault("quantity breaks")
class QuantityBreaks(Shop):
    def _create(
        self, partner: str, value: dict[str, Any], key: tuple[str, str], payload: Payload
    ) -> Response:
        if payload[1] == 5 and value["item_id"] in [item["id"] for item in ITEMS]:
            return JSONResponse({}, 500)
        return super()._create(partner, value, key, payload)


@fault("parcels of any order")
class ParcelsOfAnyOrder(Shop):
    def _sent_orders(self, partner: str, wanted: str | None) -> list[str]:
        if wanted is None:
            return super()._sent_orders(partner, wanted)
        return [order["id"] for order in self.orders]


# --- references ------------------------------------------------------------------------------


@fault("no idempotency")
class NoIdempotency(Shop):
    def create_order(self, request: Request, partner: str, body: bytes) -> Response:
        self.replies = {}
        return super().create_order(request, partner, body)


@fault("no defaults")
class NoDefaults(Shop):
    def _payload(self, value: dict[str, Any]) -> Payload:
        return super()._payload(value)[0], value.get("quantity")


@fault("one scope")
class OneScope(Shop):
    def _scope(self, partner: str) -> str:
        return ""


@fault("keys without case")
class KeysWithoutCase(Shop):
    def _reference(self, value: dict[str, Any]) -> str:
        return super()._reference(value).lower()


@fault("any payload")
class AnyPayload(Shop):
    def _replay(self, partner: str, key: tuple[str, str], payload: Payload) -> Response:
        self.replies[key] = (payload, self.replies[key][1])
        return super()._replay(partner, key, payload)


@fault("unmarked replay")
class UnmarkedReplay(Shop):
    def _replay(self, partner: str, key: tuple[str, str], payload: Payload) -> Response:
        answer = super()._replay(partner, key, payload)
        del answer.headers["Replayed"]
        return answer


@fault("one unmarked scope")
class OneUnmarkedScope(UnmarkedReplay):
    def _scope(self, partner: str) -> str:
        return ""


@fault("charges replays")
class ChargesReplays(Shop):
    def _replay(self, partner: str, key: tuple[str, str], payload: Payload) -> Response:
        answer = super()._replay(partner, key, payload)
        self.spent[partner] += PRICE * payload[1]
        return answer


@fault("replay is 200")
class ReplayIs200(Shop):
    def _replay(self, partner: str, key: tuple[str, str], payload: Payload) -> Response:
        answer = super()._replay(partner, key, payload)
        answer.status_code = 200
        return answer


@fault("failure keeps the key")
class FailureKeepsTheKey(Shop):
    def _create(
        self, partner: str, value: dict[str, Any], key: tuple[str, str], payload: Payload
    ) -> Response:
        self.replies[key] = (payload, b"{}")
        return super()._create(partner, value, key, payload)


@fault("always a replay")
class AlwaysAReplay(Shop):
    def _create(
        self, partner: str, value: dict[str, Any], key: tuple[str, str], payload: Payload
    ) -> Response:
        answer = super()._create(partner, value, key, payload)
        answer.headers["Replayed"] = "yes"
        return answer


@fault("marks what others made")
class MarksWhatOthersMade(Shop):
    def _create(
        self, partner: str, value: dict[str, Any], key: tuple[str, str], payload: Payload
    ) -> Response:
        answer = super()._create(partner, value, key, payload)
        if any(used == key[1] and owner != key[0] for owner, used in self.replies):
            answer.headers["Replayed"] = "yes"
        return answer


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


@fault("asks for the rest")
class AsksForTheRest(Shop):
    def _unpaid(self, price: int, there: int) -> Refused:
        return super()._unpaid(price - there, there)


@fault("shows another balance")
class ShowsAnotherBalance(Shop):
    def _unpaid(self, price: int, there: int) -> Refused:
        return super()._unpaid(price, there + 1)


@fault("credit before")
class CreditBefore(Shop):
    def _credit_after(self, partner: str, price: int) -> int:
        return super()._credit_after(partner, price) + price


@fault("keeps the price")
class KeepsThePrice(Shop):
    def _owe(self, partner: str, price: int) -> None:
        pass


@fault("reset keeps orders")
class ResetKeepsOrders(Shop):
    def _forget_orders(self, partner: str) -> None:
        pass


@fault("reset keeps references")
class ResetKeepsReferences(Shop):
    def _forget_orders(self, partner: str) -> None:
        replies = self.replies
        super()._forget_orders(partner)
        self.replies = replies


@fault("reset keeps credit")
class ResetKeepsCredit(Shop):
    def _refund(self, partner: str) -> None:
        pass


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


@fault("removed hooks count")
class RemovedHooksCount(Shop):
    def __init__(self, requests: int = REQUESTS, most: int = HOOKS) -> None:
        super().__init__(requests, most)
        self.hooked = Counter[str]()

    def _hooks_of(self, partner: str) -> int:
        self.hooked[partner] += 1
        return self.hooked[partner] - 1


@fault("wrong capacity code")
class WrongCapacityCode(Shop):
    def create_hook(self, request: Request, partner: str, body: bytes) -> Response:
        try:
            return super().create_hook(request, partner, body)
        except Refused as refused:
            raise _instead(refused, "full", "busy") from None
