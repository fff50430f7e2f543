"""Faults in the items, the order and the pages of lists."""

from __future__ import annotations

from typing import Any

from pytest import MonkeyPatch

from esim_service.api import backend
from esim_service.api.esims import EsimGroup
from esim_service.api.plans import PlanGroup
from esim_service.store.tables import events as event_store
from esim_service.store.tables import orders as order_store
from esim_service.store.tables import plans as plan_store
from lab.faults.seeding import edit, in_answers
from lab.faults_by_others.by_hand import Api, Desk, fresh, order, ordered, played, shown_by


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
    edit(
        patch,
        backend.page,
        ("partial(query, position, limit + 1)", "partial(query, position, limit)"),
        ("len(items) <= limit", "len(items) < limit"),
    )


def _all_of_france(desk: Desk) -> bool:
    found = _plans(desk.api, country="FR", limit=5)
    return all("FR" in plan["countries"] for plan in found)


@shown_by(_all_of_france)
def filter_of_the_first_page(patch: MonkeyPatch) -> None:
    """From the second page on, plans of all countries are listed.

    “A partner searches the plan catalog by country or by coverage” “with the same filters”
    """
    edit(
        patch,
        PlanGroup.list_plans,
        (
            "partial(store.plans, wanted, coverage)",
            "partial(store.plans, None if cursor else wanted, coverage)",
        ),
    )


def _both_filters(desk: Desk) -> bool:
    found = _plans(desk.api, country="FR", coverage="global")
    return all(plan["coverage"] == "global" for plan in found)


@shown_by(_both_filters)
def country_wins(patch: MonkeyPatch) -> None:
    """Beside a country, a coverage is ignored.

    “country and coverage are ANDed; order by plan_id”
    """
    edit(
        patch,
        PlanGroup.list_plans,
        (
            "partial(store.plans, wanted, coverage)",
            "partial(store.plans, wanted, None if wanted else coverage)",
        ),
    )


def _wide_plans(desk: Desk) -> bool:
    found = _plans(desk.api, country="FR")
    return {"regional", "global"} <= {plan["coverage"] for plan in found}


@shown_by(_wide_plans)
def country_leaves_regions_out(patch: MonkeyPatch) -> None:
    """A search by country finds the plans of that country alone, and not those of its region.

    “A plan matches a country when it works there, whatever its coverage.”
    """
    edit(
        patch,
        plan_store.plans,
        ('" AND c.country = $3"', "\" AND c.country = $3 AND p.coverage = 'country'\""),
    )


@shown_by(lambda desk: bool(_plans(desk.api, country="fr")))
def country_in_small_letters(patch: MonkeyPatch) -> None:
    """A country in lower case is found nowhere.

    “`country` matches any letter case”
    """
    edit(patch, PlanGroup.list_plans, ("country and country.upper()", "country"))


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
    edit(patch, order_store.page, ('" AND reference = $5"', "\" AND reference LIKE $5 || '%'\""))


def _esims_of_order(desk: Desk) -> bool:
    found = ordered(desk.api, quantity=3)
    listed = desk.api.get("/esims", params={"order_id": found["order_id"]}).json()["data"]
    return {each["iccid"] for each in listed} == set(found["iccids"])


@shown_by(_esims_of_order)
def one_esim_of_an_order(patch: MonkeyPatch) -> None:
    """A list of the eSIMs of an order has the first one alone.

    “Each order yields one or more eSIMs, each identified by an iccid.”
    """
    edit(
        patch,
        EsimGroup.list_esims,
        ("for item in items", "for item in items[: limit if order_id is None else 1]"),
    )


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
    edit(
        patch,
        PlanGroup.list_plans,
        ('"plans",\n            wanted,\n            coverage,', '"plans",'),
    )


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
    edit(patch, event_store.feed, ("sequence > $3", "sequence >= $3"))


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
    edit(
        patch,
        backend.page,
        ("items = items[:limit]", "items, lost = items[:limit], items[limit]"),
        ("key(items[-1])", "key(lost)"),
    )


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
    edit(
        patch,
        order_store.page,
        ("AND order_id < $3", "AND order_id < $3 AND status <> 'failed'"),
    )


def _newest_first(desk: Desk) -> bool:
    made = [order(desk.api, reference=f"{name}-{fresh()}").json()["order_id"] for name in "bac"]
    listed = [each["order_id"] for each in desk.api.get("/orders").json()["data"]]
    return listed == made[::-1]


@shown_by(_newest_first)
def orders_by_reference(patch: MonkeyPatch) -> None:
    """Orders are listed in the order of their references.

    “GET /orders returns newest first”
    """
    edit(patch, order_store.page, ("ORDER BY order_id DESC", "ORDER BY reference DESC"))
