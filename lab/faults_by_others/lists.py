"""Faults in the items, the order and the pages of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest import MonkeyPatch

from esim_service.api import backend
from esim_service.api import plans as plan_api
from esim_service.api.backend import ApiBackend
from esim_service.api.esims import EsimGroup
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import events as event_store
from esim_service.store.tables import orders as order_store
from esim_service.store.tables import plans as plan_store
from esim_service.values.entities import Event, Plan, Scope
from lab.faults.changes import ANY, continue_behind_the_next, find_by_prefix, find_no_small_letters
from lab.faults.seeding import in_answers, in_statements, substitute
from lab.faults_by_others.by_hand import Api, Desk, fresh, order, ordered, played, shown_by
from partner_esim import models


def _plans(api: Api, **query: object) -> list[Any]:
    found: list[Any] = []
    following: dict[str, object] = {}
    while True:
        parameters: Any = {**query, **following}
        page = api.get("/plans", params=parameters).json()
        found += page["data"]
        if not page["has_more"]:
            return found
        following = {"cursor": page["next_cursor"]}


@shown_by(lambda desk: desk.api.get("/events").json()["next_cursor"] is not None)
def empty_feed_has_no_cursor(patch: MonkeyPatch) -> None:
    """A page of the feed without events has no place to go on.

    “EventList always gives a `next_cursor` (the resume point, also on an empty page)”
    """

    def cut(page: Any) -> None:
        page["next_cursor"] = page["next_cursor"] if page["data"] else None

    in_answers(patch, "GET /events", cut)


def _exact_page(desk: Desk) -> bool:
    for _ in range(2):
        order(desk.api)
    return desk.api.get("/orders?limit=2").json()["has_more"] is False


@shown_by(_exact_page)
def full_page_has_more(patch: MonkeyPatch) -> None:
    """A page that is full always claims that there are more.

    “True when more items follow after this page.”
    """
    page = backend.page

    async def full(
        api: ApiBackend, scope: Any, query: Any, key: Any, limit: int, *others: Any
    ) -> tuple[Sequence[Any], bool, str | None]:
        items, more, following = await page(api, scope, query, key, limit, *others)
        if len(items) < limit:
            return items, more, following
        _, _, *cursor_scope = others
        return items, True, api.cursors.encode(key(items[-1]), *cursor_scope)

    substitute(patch, page, full)


def _all_of_france(desk: Desk) -> bool:
    found = _plans(desk.api, country="FR", limit=5)
    return all("FR" in plan["countries"] for plan in found)


@shown_by(_all_of_france)
def filter_of_the_first_page(patch: MonkeyPatch) -> None:
    """From the second page on, plans of all countries are listed.

    “A partner searches the plan catalog by country or by coverage” “with the same filters”
    """
    listed = plan_store.plans

    def first_by_country(
        country: str | None, coverage: str | None, after: str, count: int
    ) -> Unit[Sequence[Plan]]:
        return listed(None if after else country, coverage, after, count)

    substitute(patch, listed, first_by_country)


def _both_filters(desk: Desk) -> bool:
    found = _plans(desk.api, country="FR", coverage="global")
    return all(plan["coverage"] == "global" for plan in found)


@shown_by(_both_filters)
def country_wins(patch: MonkeyPatch) -> None:
    """Beside a country, a coverage is ignored.

    “country and coverage are ANDed; order by plan_id”
    """
    listed = plan_store.plans

    def by_country(
        country: str | None, coverage: str | None, after: str, count: int
    ) -> Unit[Sequence[Plan]]:
        return listed(country, None if country else coverage, after, count)

    substitute(patch, listed, by_country)


def _wide_plans(desk: Desk) -> bool:
    found = _plans(desk.api, country="FR")
    return {"regional", "global"} <= {plan["coverage"] for plan in found}


@shown_by(_wide_plans)
def country_leaves_regions_out(patch: MonkeyPatch) -> None:
    """A search by country finds the plans of that country alone, and not those of its region.

    “A plan matches a country when it works there, whatever its coverage.”
    """
    country = "c.country = $3"

    def alone(sql: str) -> str:
        return sql.replace(country, f"{country} AND p.coverage = 'country'")

    in_statements(patch, plan_store.plans, alone)("FR", None, "", 1)


@shown_by(lambda desk: bool(_plans(desk.api, country="fr")))
def country_in_small_letters(patch: MonkeyPatch) -> None:
    """A country in lower case is found nowhere.

    “`country` matches any letter case”
    """
    find_no_small_letters(patch)


def _exact_reference(desk: Desk) -> bool:
    reference = fresh()
    order(desk.api, reference=reference)
    order(desk.api, reference=f"{reference}-2")
    found = desk.api.get("/orders", params={"reference": reference}).json()["data"]
    return len(found) == 1


@shown_by(_exact_reference)
def reference_is_a_prefix(patch: MonkeyPatch) -> None:
    """A search by reference finds those that begin like it, too.

    “GET /orders?reference=... finds an order by its reference.”
    """
    find_by_prefix(patch)


def _esims_of_order(desk: Desk) -> bool:
    found = ordered(desk.api, quantity=3)
    listed = desk.api.get("/esims", params={"order_id": found["order_id"]}).json()["data"]
    return {each["iccid"] for each in listed} == set(found["iccids"])


@shown_by(_esims_of_order)
def one_esim_of_an_order(patch: MonkeyPatch) -> None:
    """A list of the eSIMs of an order has the first one alone.

    “Each order yields one or more eSIMs, each identified by an iccid.”
    """
    served = EsimGroup.list_esims

    async def first(self: EsimGroup, *, order_id: str | None, **others: Any) -> models.EsimList:
        page = await served(self, order_id=order_id, **others)
        return page if order_id is None else page.model_copy(update={"data": page.data[:1]})

    patch.setattr(EsimGroup, "list_esims", first)


def _cursor_of_other_filter(desk: Desk) -> bool:
    query = {"coverage": "regional", "limit": 1}
    cursor = desk.api.get("/plans", params=query).json()["next_cursor"]
    other = {"coverage": "global", "cursor": cursor}
    return desk.api.get("/plans", params=other).status_code == 400


@shown_by(_cursor_of_other_filter)
def cursor_of_any_filter(patch: MonkeyPatch) -> None:
    """A cursor of the plans of one coverage goes on in those of another one.

    “of another list or filter, or garbage: 400 invalid_cursor”
    """
    page = backend.page

    def of_any_filter(*request: Any) -> Any:
        # Without what follows the name of the list.
        return page(*request[:8])

    patch.setattr(plan_api, "page", of_any_filter)


def _feed_goes_on(desk: Desk) -> bool:
    ordered(desk.api)
    page = desk.api.get("/events").json()
    following = desk.api.get("/events", params={"cursor": page["next_cursor"]}).json()["data"]
    return not {each["id"] for each in following} & {each["id"] for each in page["data"]}


@shown_by(_feed_goes_on)
def last_event_again(patch: MonkeyPatch) -> None:
    """A page of the feed begins with the last event of the page before.

    “GET /events returns events oldest first, starting from the cursor.”
    """
    feed = event_store.feed

    def from_there(
        scope: Scope, after: int, type_: str | None, count: int
    ) -> Unit[Sequence[Event]]:
        return feed(scope, after - 1, type_, count)

    substitute(patch, feed, from_there)


def _nothing_between_pages(desk: Desk) -> bool:
    whole = _plans(desk.api, country="FR", limit=200)
    return [plan["plan_id"] for plan in _plans(desk.api, country="FR", limit=5)] == [
        each["plan_id"] for each in whole
    ]


@shown_by(_nothing_between_pages)
def item_between_pages(patch: MonkeyPatch) -> None:
    """Between two pages of a list, an item is lost.

    “GET /orders returns newest first, and GET /orders?cursor=... continues the list.”
    """
    continue_behind_the_next(patch)


def _failed_is_listed(desk: Desk) -> bool:
    reference = fresh()
    ordered(desk.api, reference=reference, metadata=played("out_of_stock"))
    return bool(desk.api.get("/orders", params={"reference": reference}).json()["data"])


@shown_by(_failed_is_listed)
def failed_orders_are_not_listed(patch: MonkeyPatch) -> None:
    """A failed order is not in the list of orders.

    “Lists the orders of the partner in the mode of the key, newest first”
    “status processing -> completed or failed (final)”
    """
    place = "order_id < $3"
    in_statements(
        patch,
        order_store.page,
        lambda sql: sql.replace(place, f"{place} AND status <> 'failed'"),
    )(ANY, None, "", 1)


def _newest_first(desk: Desk) -> bool:
    made = [order(desk.api, reference=f"{name}-{fresh()}").json()["order_id"] for name in "bac"]
    listed = [each["order_id"] for each in desk.api.get("/orders").json()["data"]]
    return listed == made[::-1]


@shown_by(_newest_first)
def orders_by_reference(patch: MonkeyPatch) -> None:
    """Orders are listed in the order of their references.

    “GET /orders returns newest first”
    """
    in_statements(
        patch,
        order_store.page,
        lambda sql: sql.replace("ORDER BY order_id", "ORDER BY reference"),
    )(ANY, None, "", 1)
