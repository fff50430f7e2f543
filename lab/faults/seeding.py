"""Seeding of faults: other behaviour at a seam of the service, or in requests and responses.

A tool that finds nothing in a correct service may be a good one or a blind one. So each fault is
written from a sentence of the contract, which its docstring quotes, and never from a rule; one that
no rule finds stays in the list and on the page. A fault replaces a function, a method, a constant
or a part of a statement; one that finds nothing to replace is an error, so that none grows stale
without a word. The service is a process of its own and is asked over HTTP only.
Faults that HTTP cannot show, such as secrets in a log, are not in the list.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pytest import MonkeyPatch
from starlette.types import Message, Receive, Scope, Send

from esim_service.http import document
from esim_service.http.middleware import RequestMiddleware
from esim_service.settings import API_PATH
from esim_service.store.statements.unit import Row, Unit
from esim_service.store.tables.epochs import EPOCH

P = ParamSpec("P")
T = TypeVar("T")

Seed = Callable[[MonkeyPatch], None]

# A body that every operation refuses, in place of one that a fault wants refused.
REFUSED = b'{"refused": "by a fault"}'

# Every operation, such as `GET /orders/{order_id}`.
CALLS = [
    f"{method.upper()} {path}"
    for path, operations in document.load()["paths"].items()
    for method in operations
]


def substitute(patch: MonkeyPatch, function: Callable[..., Any], by: Callable[..., Any]) -> None:
    """Let all modules use another function in place of one of the service.

    Raises:
        LookupError: no module has it.
    """
    places = [
        (module, name)
        for module in tuple(sys.modules.values())
        if module.__name__.partition(".")[0] in ("esim_service", "partner_esim")
        for name, value in tuple(vars(module).items())
        if value is function
    ]
    if not places:
        raise LookupError(f"no module has {function!r}")
    for module, name in places:
        patch.setattr(module, name, by)


def in_statements(
    patch: MonkeyPatch, make: Callable[P, Unit[T]], change: Callable[[str], str]
) -> Callable[P, None]:
    """Change the SQL of a unit of work; the result takes the arguments of a call to try it with.

    The first statement of this call must change, or the fault would not be there.
    """

    def changed(*args: P.args, **named: P.kwargs) -> Unit[T]:
        return _rewritten(make(*args, **named), change)

    def try_with(*args: P.args, **named: P.kwargs) -> None:
        sql = next(make(*args, **named)).sql
        if change(sql) == sql:
            raise LookupError(f"the change leaves {sql!r} as it is")

    substitute(patch, make, changed)
    return try_with


def _rewritten(unit: Unit[T], change: Callable[[str], str]) -> Unit[T]:
    rows: Sequence[Row] | None = None
    while True:
        try:
            statement = next(unit) if rows is None else unit.send(rows)
        except StopIteration as end:
            result: T = end.value
            return result
        rows = yield replace(statement, sql=change(statement.sql))


def of_anybody(sql: str) -> str:
    """Return SQL that no longer asks to which partner and mode a row belongs."""
    return re.sub(r"\b(?:partner_id|mode) = (\$\d)", r"\1 = \1", sql.replace(EPOCH, "$2"))


def unchecked(patch: MonkeyPatch, model: type[BaseModel], name: str, annotation: Any) -> None:
    """Give a property of a model another annotation, keeping its default."""
    fields = model.__pydantic_fields__
    default = fields[name].default
    patch.setitem(fields, name, FieldInfo.from_annotated_attribute(annotation, default))


@dataclass
class Exchange:
    """A request with its response, both of which a fault may change.

    Attributes:
        call: method and path below the version segment, such as `GET /orders/ord_1`.
        fields: the headers of the request, by lower-case name.
        query: the query string.
        sent: the body of the request.
        status: 0 before the request was answered.
        headers: of the response, by lower-case name.
        body: that of the response.
    """

    call: str
    fields: dict[str, str]
    query: str
    sent: bytes
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:
        """The body of the response as JSON."""
        return json.loads(self.body)

    @json.setter
    def json(self, value: object) -> None:
        self.body = json.dumps(value, separators=(",", ":")).encode()


Change = Callable[[Exchange], None]


def _unchanged(_: Exchange) -> None:
    """Leave it as it is."""


def over_http(
    patch: MonkeyPatch, calls: str, *, asked: Change = _unchanged, answered: Change = _unchanged
) -> None:
    """Change the calls that fit a pattern: before the service sees them, or its responses.

    Raises:
        LookupError: the pattern fits no operation.
    """
    if not any(re.fullmatch(calls, call) for call in CALLS):
        raise LookupError(f"no operation is {calls!r}")
    served = RequestMiddleware.__call__

    async def changed(self: RequestMiddleware, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(API_PATH)
        if scope["type"] != "http" or not re.fullmatch(calls, f"{scope['method']} {path}"):
            await served(self, scope, receive, send)
            return
        exchange = Exchange(
            f"{scope['method']} {path}",
            {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]},
            scope["query_string"].decode("latin-1"),
            await _body(receive),
        )
        asked(exchange)
        await _answer(served, self, scope, receive, exchange)
        answered(exchange)
        if exchange.body:
            exchange.headers["content-length"] = str(len(exchange.body))
        headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in exchange.headers.items()]
        await send({"type": "http.response.start", "status": exchange.status, "headers": headers})
        await send({"type": "http.response.body", "body": exchange.body})

    patch.setattr(RequestMiddleware, "__call__", changed)


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _answer(
    served: Callable[..., Any],
    front: RequestMiddleware,
    scope: Scope,
    receive: Receive,
    exchange: Exchange,
) -> None:
    passed = [exchange.sent]

    async def again() -> Message:
        # What follows the body is that the client went away.
        if not passed:
            return await receive()
        return {"type": "http.request", "body": passed.pop(), "more_body": False}

    async def keep(message: Message) -> None:
        if message["type"] == "http.response.start":
            exchange.status = message["status"]
            exchange.headers = {
                name.decode("latin-1"): value.decode("latin-1")
                for name, value in message["headers"]
            }
        exchange.body += message.get("body", b"")

    headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in exchange.fields.items()]
    query = exchange.query.encode("latin-1")
    await served(front, {**scope, "headers": headers, "query_string": query}, again, keep)


def in_answers(
    patch: MonkeyPatch, calls: str, change: Callable[[Any], object], statuses: str = "2.."
) -> None:
    """Change the JSON of responses in place, or replace it by the result of `change`."""

    def answered(exchange: Exchange) -> None:
        # HEAD has nothing to change.
        if exchange.body and re.fullmatch(statuses, str(exchange.status)):
            value = exchange.json
            returned = change(value)
            exchange.json = value if returned is None else returned

    over_http(patch, calls, answered=answered)


def in_requests(patch: MonkeyPatch, calls: str, change: Callable[[Any], None]) -> None:
    """Change the JSON objects of requests before anything checks them."""

    def asked(exchange: Exchange) -> None:
        try:
            value = json.loads(exchange.sent)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            change(value)
            exchange.sent = json.dumps(value).encode()

    over_http(patch, calls, asked=asked)
