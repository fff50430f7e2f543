"""Faults of the shop: each is a class that overrides one behaviour, registered by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.conformance.shop import ANNA, CREDIT, HOOKS, ITEMS, REQUESTS, Refused, Shop

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
