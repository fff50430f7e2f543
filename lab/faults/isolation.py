"""Faults that show or hand over the resources of another partner."""

from functools import partial

from pytest import MonkeyPatch

from esim_service.api.orders import OrderGroup
from esim_service.domain import endpoints, topups
from esim_service.domain import esims as rules
from esim_service.store.statements.unit import Unit, row
from esim_service.store.tables import esims, events, orders
from esim_service.values.entities import Esim, Scope
from lab.faults.seeding import edit, substitute

OWN = "partner_id = $1 AND mode = $2"
ALL = "$1 = $1 AND $2 = $2"


def order_of_anybody(patch: MonkeyPatch) -> None:
    """An order is found by its id alone. “belongs to another partner or mode”"""
    edit(
        patch,
        orders.find,
        ("partner_id = $2 AND mode = $3", "$2 = $2 AND $3 = $3"),
    )


def esim_of_anybody(patch: MonkeyPatch) -> None:
    """An eSIM is found by its iccid alone. “belongs to another partner or mode”"""
    edit(patch, esims.find, ("partner_id = $2 AND mode = $3", "$2 = $2 AND $3 = $3"))


def orders_of_all(patch: MonkeyPatch) -> None:
    """The list has the orders of all partners. “or belongs to another partner or mode”"""
    edit(patch, orders.page, (OWN, ALL))


def esims_of_an_order_of_anybody(patch: MonkeyPatch) -> None:
    """With an order's id, the list has its eSIMs of any owner. “another partner or mode”"""
    edit(
        patch,
        esims.page,
        ('"SELECT', 'f"SELECT'),
        (OWN, f"({{order_id is not None:d}} = 1 OR {OWN})"),
    )


def events_of_all(patch: MonkeyPatch) -> None:
    """The feed has the events of all partners. “or belongs to another partner or mode”"""
    edit(patch, events.feed, (OWN, ALL))


def endpoints_of_all(patch: MonkeyPatch) -> None:
    """The list of webhook endpoints has everybody's. “or belongs to another partner or mode”"""
    edit(patch, events.endpoints, (OWN, ALL))


def endpoint_of_anybody_removed(patch: MonkeyPatch) -> None:
    """Any partner with the id of an endpoint removes it. “or belongs to another partner or mode”"""
    edit(
        patch,
        events.remove_endpoint,
        ("partner_id = $2 AND mode = $3", "$2 = $2 AND $3 = $3"),
    )


def endpoint_of_anybody_tested(patch: MonkeyPatch) -> None:
    """Any partner with the id of an endpoint sends test events to it.

    “or belongs to another partner”
    """

    def known(_: Scope, endpoint_id: str) -> Unit[None]:
        yield from ()

    substitute(patch, endpoints.check_known, known)


def esim_of_anybody_topped_up(patch: MonkeyPatch) -> None:
    """Top-ups can be bought for any eSIM. “buys a top-up for that eSIM”"""

    def found(scope: Scope, iccid: str) -> Unit[Esim]:
        known = yield from row("SELECT * FROM esims WHERE iccid = $1", iccid)
        return esims._esim(known) if known else (yield from rules.find(scope, iccid))

    patch.setattr(esims, "of_anybody", found, raising=False)
    edit(
        patch,
        topups._priced,
        ("esims.find(request", "store.of_anybody(request"),
    )


def references_are_shared(patch: MonkeyPatch) -> None:
    """A reference belongs to the first partner that uses it. “unique per partner”"""
    edit(patch, orders.stored_response, ("partner_id = $1", "$1 = $1"))


def existence_is_told(patch: MonkeyPatch) -> None:
    """Orders of others are forbidden, and so differ from those that do not exist.

    “the resource in the path does not exist, or belongs to another partner or mode”
    """
    query = "SELECT order_id FROM orders WHERE order_id = $1"
    patch.setattr(orders, "of_anybody", partial(row, query), raising=False)
    edit(
        patch,
        OrderGroup.get_order,
        (
            "if order is None:\n",
            "if order is None and await self._backend.read(partial(store.of_anybody, order_id)):\n"
            '            raise Problem("partner_suspended", "This is not your order.")\n'
            "        if order is None:\n",
        ),
    )
