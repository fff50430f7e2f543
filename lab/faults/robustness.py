"""Faults in the responses to odd requests."""

import asyncio

from pytest import MonkeyPatch

from esim_service.api.orders import OrderGroup
from esim_service.api.plans import PlanGroup
from lab.faults.seeding import edit
from partner_esim._runtime.server.application import _Service
from partner_esim._runtime.server.bodies import BodyReader
from partner_esim._runtime.server.endpoint import Endpoint
from partner_esim._runtime.server.hooks import Cursors


def unknown_plan_fails(patch: MonkeyPatch) -> None:
    """A plan that is not there causes an internal error.

    “the resource in the path does not exist”
    """
    edit(patch, PlanGroup.get_plan, ("if plan is None:", "if False:"))


def garbage_cursor_fails(patch: MonkeyPatch) -> None:
    """A cursor that cannot be decoded causes an internal error.

    “or garbage: 400 invalid_cursor”
    """
    edit(patch, Cursors.decode, ("except ValueError:", "except LookupError:"))


def body_without_json_fails(patch: MonkeyPatch) -> None:
    """A body that is not valid JSON causes an internal error.

    “every validation failure (never 422): invalid_json”
    """
    edit(patch, BodyReader.read, ("except ValueError as error:", "except LookupError as error:"))


def big_number_fails(patch: MonkeyPatch) -> None:
    """A limit beyond a machine word causes an internal error.

    “limit | integer | no | 1 to 200”
    """
    edit(
        patch,
        Endpoint._read_parameters,
        (
            "value = reader.read(sent)\n",
            "value = reader.read(sent)\n"
            "                if isinstance(value, int) and abs(value) >= 2**31:\n"
            "                    raise OverflowError\n",
        ),
    )


def null_character_fails(patch: MonkeyPatch) -> None:
    """A reference with a null character causes an internal error.

    “filters orders by reference”
    """
    edit(
        patch,
        OrderGroup.list_orders,
        (
            "scope = scope_of(context)\n",
            "scope = scope_of(context)\n"
            '        if reference and "\\0" in reference:\n'
            '            raise ValueError("a null character")\n',
        ),
    )


def label_in_emoji_fails(patch: MonkeyPatch) -> None:
    """Labels beyond Latin letters cause an internal error. “label (string, length 1 to 120)”"""
    edit(
        patch,
        OrderGroup.create_order,
        (
            "request = orders.OrderRequest(",
            '(label or "").encode("latin-1")\n        request = orders.OrderRequest(',
        ),
    )


def long_reference_fails(patch: MonkeyPatch) -> None:
    """References of the full length do not fit their column.

    “1 to 200 printable ASCII characters”
    """
    edit(
        patch,
        OrderGroup.create_order,
        (
            "label = None",
            "if len(body.reference) > 191:\n"
            '            raise ValueError("the value is too long for its column")\n'
            "        label = None",
        ),
    )


def wrong_method_is_404(patch: MonkeyPatch) -> None:
    """A method that a path does not have is not found. “A wrong method is 405 + Allow”"""
    edit(patch, _Service._answer, ("if methods:", "if not methods and methods:"))


def no_allow(patch: MonkeyPatch) -> None:
    """The response does not list the methods.

    “A wrong method is 405 + Allow with the same body.”"""
    edit(
        patch,
        _Service._answer,
        ('"method_not_allowed", message, headers=_allow(methods)', '"method_not_allowed", message'),
    )


def answers_never_end(patch: MonkeyPatch) -> None:
    """The list of eSIMs waits for a lock that is never released.

    “GET | /esims | query: order_id”
    """
    from esim_service.api.esims import EsimGroup

    patch.setitem(EsimGroup.list_esims.__globals__, "_lock", asyncio.Event())
    edit(
        patch,
        EsimGroup.list_esims,
        (
            "scope = scope_of(context)\n",
            "scope = scope_of(context)\n        cursor and await _lock.wait()\n",
        ),
    )


def connection_is_closed(patch: MonkeyPatch) -> None:
    """A reset ends the process that answers it. “Every endpoint can answer with an error”"""
    from esim_service.api.sandbox import SandboxGroup

    edit(
        patch,
        SandboxGroup.reset_sandbox,
        (
            "scope = scope_of(context)\n",
            "scope = scope_of(context)\n        __import__('os')._exit(1)\n",
        ),
    )
