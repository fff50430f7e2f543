"""Faults in the responses to odd requests."""

import asyncio
import base64
import os
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import JsonValue
from pytest import MonkeyPatch

from esim_service.api.backend import scope_of
from esim_service.api.esims import EsimGroup
from esim_service.api.orders import OrderGroup
from esim_service.api.plans import PlanGroup
from esim_service.api.sandbox import SandboxGroup
from lab.faults.seeding import Exchange, over_http
from partner_esim import models
from partner_esim._runtime.server.application import _Service
from partner_esim._runtime.server.bodies import BodyReader
from partner_esim._runtime.server.hooks import Cursors
from partner_esim._runtime.server.parameters import Reader, Sent
from partner_esim._runtime.server.problems import Fault, ServerResponse
from partner_esim.server import Context, Problem, Reply


def _before(
    patch: MonkeyPatch, group: type, operation: str, act: Callable[..., Awaitable[None]]
) -> None:
    """Let an operation do something with its arguments first, if its caller may use it."""
    served = getattr(group, operation)

    async def changed(self: object, *, context: Context, **arguments: Any) -> object:
        scope_of(context)
        await act(**arguments)
        return await served(self, context=context, **arguments)

    patch.setattr(group, operation, changed)


def unknown_plan_fails(patch: MonkeyPatch) -> None:
    """A plan that is not there causes an internal error.

    “the resource in the path does not exist”
    """
    served = PlanGroup.get_plan

    async def get_plan(self: PlanGroup, **request: Any) -> Reply[models.Plan]:
        try:
            return await served(self, **request)
        except Problem as problem:
            if problem.code == "resource_not_found":
                raise LookupError(problem.message) from problem
            raise

    patch.setattr(PlanGroup, "get_plan", get_plan)


def garbage_cursor_fails(patch: MonkeyPatch) -> None:
    """A cursor that cannot be decoded causes an internal error.

    “or garbage: 400 invalid_cursor”
    """
    decode = Cursors.decode

    def unguarded(cursors: Cursors, cursor: str, *scope: object) -> object:
        text = cursor.removeprefix("c1_")
        base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
        return decode(cursors, cursor, *scope)

    patch.setattr(Cursors, "decode", unguarded)


def body_without_json_fails(patch: MonkeyPatch) -> None:
    """A body that is not valid JSON causes an internal error.

    “every validation failure (never 422): invalid_json”
    """
    read = BodyReader.read

    async def unguarded(reader: BodyReader, context: Context, wrong: list[Fault]) -> object:
        try:
            return await read(reader, context, wrong)
        except Problem as problem:
            if problem.code == "invalid_json":
                raise ValueError(problem.message) from problem
            raise

    patch.setattr(BodyReader, "read", unguarded)


def big_number_fails(patch: MonkeyPatch) -> None:
    """A limit beyond a machine word causes an internal error.

    “limit | integer | no | 1 to 200”
    """
    read = Reader.read

    def in_a_word(reader: Reader, sent: Sent) -> JsonValue:
        value = read(reader, sent)
        if isinstance(value, int) and abs(value) >= 2**31:
            raise OverflowError
        return value

    patch.setattr(Reader, "read", in_a_word)


def null_character_fails(patch: MonkeyPatch) -> None:
    """A reference with a null character causes an internal error.

    “filters orders by reference”
    """

    async def check(reference: str | None, **others: object) -> None:
        if reference and "\0" in reference:
            raise ValueError("a null character")

    _before(patch, OrderGroup, "list_orders", check)


def label_in_emoji_fails(patch: MonkeyPatch) -> None:
    """Labels beyond Latin letters cause an internal error. “label (string, length 1 to 120)”"""

    async def check(body: models.OrderCreate, **others: object) -> None:
        if body.end_user is not None:
            (body.end_user.label or "").encode("latin-1")

    _before(patch, OrderGroup, "create_order", check)


def long_reference_fails(patch: MonkeyPatch) -> None:
    """References of the full length do not fit their column.

    “1 to 200 printable ASCII characters”
    """

    async def check(body: models.OrderCreate, **others: object) -> None:
        if len(body.reference) > 191:
            raise ValueError("the value is too long for its column")

    _before(patch, OrderGroup, "create_order", check)


def wrong_method_is_404(patch: MonkeyPatch) -> None:
    """A method that a path does not have is not found. “A wrong method is 405 + Allow”"""
    respond = _Service._respond

    async def by_path_and_method(service: _Service, context: Context) -> ServerResponse:
        try:
            return await respond(service, context)
        except Problem as problem:
            if problem.code == "method_not_allowed":
                raise Problem("route_not_found", "There is nothing at this path.") from None
            raise

    patch.setattr(_Service, "_respond", by_path_and_method)


def no_allow(patch: MonkeyPatch) -> None:
    """The response does not list the methods.

    “A wrong method is 405 + Allow with the same body.”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 405:
            del exchange.headers["allow"]

    over_http(patch, ".*", answered=answered)


def answers_never_end(patch: MonkeyPatch) -> None:
    """The list of eSIMs waits for a lock that is never released.

    “GET | /esims | query: order_id”
    """

    async def wait(cursor: str | None, **others: object) -> None:
        if cursor:
            await asyncio.Event().wait()

    _before(patch, EsimGroup, "list_esims", wait)


def connection_is_closed(patch: MonkeyPatch) -> None:
    """A reset ends the process that answers it. “Every endpoint can answer with an error”"""

    async def end(**_: object) -> None:
        os._exit(1)

    _before(patch, SandboxGroup, "reset_sandbox", end)
