"""Faults that show or hand over the resources of another partner."""

from pytest import MonkeyPatch

from esim_service.domain import endpoints, topups
from esim_service.domain.idempotency import IdempotentRequest
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import esims, events, orders
from esim_service.values.entities import Scope
from lab.faults.changes import ANY, forbid_orders_of_others
from lab.faults.seeding import in_statements, of_anybody, substitute


def order_of_anybody(patch: MonkeyPatch) -> None:
    """An order is found by its id alone. “belongs to another partner or mode”"""
    in_statements(patch, orders.find, of_anybody)(ANY, "")


def esim_of_anybody(patch: MonkeyPatch) -> None:
    """An eSIM is found by its iccid alone. “belongs to another partner or mode”"""
    in_statements(patch, esims.find, of_anybody)(ANY, "")


def orders_of_all(patch: MonkeyPatch) -> None:
    """The list has the orders of all partners. “or belongs to another partner or mode”"""
    in_statements(patch, orders.page, of_anybody)(ANY, None, "", 1)


def esims_of_an_order_of_anybody(patch: MonkeyPatch) -> None:
    """With an order's id, the list has its eSIMs of any owner. “another partner or mode”"""
    in_statements(
        patch, esims.page, lambda sql: of_anybody(sql) if "order_id = $5" in sql else sql
    )(ANY, "ord_any", "", 1)


def events_of_all(patch: MonkeyPatch) -> None:
    """The feed has the events of all partners. “or belongs to another partner or mode”"""
    in_statements(patch, events.feed, of_anybody)(ANY, 0, None, 1)


def endpoints_of_all(patch: MonkeyPatch) -> None:
    """The list of webhook endpoints has everybody's. “or belongs to another partner or mode”"""
    in_statements(patch, events.endpoints, of_anybody)(ANY)


def endpoint_of_anybody_removed(patch: MonkeyPatch) -> None:
    """Any partner with the id of an endpoint removes it. “or belongs to another partner or mode”"""
    in_statements(patch, events.remove_endpoint, of_anybody)(ANY, "")


def endpoint_of_anybody_tested(patch: MonkeyPatch) -> None:
    """Any partner with the id of an endpoint sends test events to it.

    “or belongs to another partner”
    """

    def known(_: Scope, endpoint_id: str) -> Unit[None]:
        yield from ()

    substitute(patch, endpoints.check_known, known)


def esim_of_anybody_topped_up(patch: MonkeyPatch) -> None:
    """Top-ups can be bought for any eSIM. “buys a top-up for that eSIM”"""
    request = topups.TopupRequest(IdempotentRequest(ANY, "createTopup", "", b""), "", "", None)
    in_statements(patch, topups._priced, of_anybody)(request)


def references_are_shared(patch: MonkeyPatch) -> None:
    """A reference belongs to the first partner that uses it. “unique per partner”"""
    in_statements(
        patch, orders.stored_response, lambda sql: sql.replace("partner_id = $1", "$1 = $1")
    )(ANY, "", "")


def existence_is_told(patch: MonkeyPatch) -> None:
    """Orders of others are forbidden, and so differ from those that do not exist.

    “the resource in the path does not exist, or belongs to another partner or mode”
    """
    forbid_orders_of_others(patch)
