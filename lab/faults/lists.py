"""Faults in pages, cursors, order and filters of lists."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from pytest import MonkeyPatch

from esim_service.api import backend
from esim_service.api import esims as esim_api
from esim_service.api import orders as order_api
from esim_service.api.backend import NEWEST, ApiBackend
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import events, orders, plans
from esim_service.values.entities import Event, Order, Scope
from lab.faults.changes import (
    continue_behind_the_next,
    find_by_prefix,
    find_no_small_letters,
)
from lab.faults.seeding import Exchange, in_answers, in_statements, over_http, substitute
from partner_esim._runtime.server.hooks import Cursors

T = TypeVar("T")
# More than any list has.
ALL = 1_000_000


def oldest_orders_first(patch: MonkeyPatch) -> None:
    """Orders come in the order in which they were placed. “GET /orders returns newest first”"""
    page = orders.page

    def oldest(
        scope: Scope, reference: str | None, after: str, count: int
    ) -> Unit[Sequence[Order]]:
        newest = yield from page(scope, reference, NEWEST, ALL)
        found = [order for order in newest if after == NEWEST or order.order_id > after]
        return found[::-1][:count]

    patch.setattr(orders, "page", oldest)


def newest_events_first(patch: MonkeyPatch) -> None:
    """Each page of the feed begins with its newest event.

    “GET /events returns events oldest first”
    """
    in_answers(patch, "GET /events", lambda page: page["data"].reverse())


def plans_by_price(patch: MonkeyPatch) -> None:
    """Plans come by price. “country and coverage are ANDed; order by plan_id”"""
    in_statements(
        patch,
        plans.plans,
        lambda sql: sql.replace("ORDER BY p.plan_id", "ORDER BY p.price, p.plan_id"),
    )(None, None, "", 1)


def cursor_skips_one(patch: MonkeyPatch) -> None:
    """The cursor is the first item of the next page, which then begins behind it.

    “GET /orders?cursor=... continues the list”
    """
    continue_behind_the_next(patch)


def cursor_repeats_one(patch: MonkeyPatch) -> None:
    """The cursor's own item is on the next page again. “continues the list”"""
    page = orders.page

    def from_there(
        scope: Scope, reference: str | None, before: str, count: int
    ) -> Unit[Sequence[Order]]:
        # The text that follows the id.
        return page(scope, reference, f"{before} ", count)

    patch.setattr(orders, "page", from_there)


def pages_by_offset(patch: MonkeyPatch) -> None:
    """A cursor counts items, and shows some twice when there are new ones. “continues the list”"""

    async def page(
        backend: ApiBackend,
        scope: Scope,
        query: Callable[[str, int], Unit[Sequence[T]]],
        key: Callable[[T], str],
        limit: int,
        cursor: str | None,
        start: str,
        *cursor_scope: object,
    ) -> tuple[Sequence[T], bool, str | None]:
        offset = 0 if cursor is None else int(str(backend.cursors.decode(cursor, *cursor_scope)))
        found = await backend.read(scope, partial(query, start, ALL))
        more = len(found) > offset + limit
        following = backend.cursors.encode(offset + limit, *cursor_scope) if more else None
        return found[offset : offset + limit], more, following

    patch.setattr(order_api, "page", page)
    patch.setattr(esim_api, "page", page)


def limit_is_ignored(patch: MonkeyPatch) -> None:
    """eSIMs come fifty at a time, regardless of the limit. “1 to 200, default 50”"""
    page = backend.page

    def fifty(api: ApiBackend, scope: Any, query: Any, key: Any, limit: int, *others: Any) -> Any:
        return page(api, scope, query, key, 50, *others)

    patch.setattr(esim_api, "page", fifty)


def never_more(patch: MonkeyPatch) -> None:
    """The first page says that it is the last one. “"has_more": bool”"""
    page = backend.page

    async def last(*request: Any) -> tuple[Sequence[Any], bool, str | None]:
        items, _, _ = await page(*request)
        return items, False, None

    substitute(patch, page, last)


def feed_without_resume_point(patch: MonkeyPatch) -> None:
    """The last page of the feed has no cursor.

    “EventList always gives a `next_cursor` (the resume point, also on an empty page)”
    """

    def change(page: dict[str, object]) -> None:
        if not page["has_more"]:
            page["next_cursor"] = None

    in_answers(patch, "GET /events", change)


def reference_filter_ignored(patch: MonkeyPatch) -> None:
    """All orders are listed, regardless of the reference in the query.

    “GET /orders?reference=... finds an order by its reference.”
    """
    page = orders.page

    def of_any_reference(
        scope: Scope, reference: str | None, before: str, count: int
    ) -> Unit[Sequence[Order]]:
        return page(scope, None, before, count)

    patch.setattr(orders, "page", of_any_reference)


def reference_filter_by_prefix(patch: MonkeyPatch) -> None:
    """Orders are found by the start of their reference. “finds an order by its reference”"""
    find_by_prefix(patch)


def type_filter_ignored(patch: MonkeyPatch) -> None:
    """The feed has all types, regardless of the type in the query.

    “one of the nine event types in section 6”
    """
    feed = events.feed

    def of_all_types(
        scope: Scope, after: int, type_: str | None, count: int
    ) -> Unit[Sequence[Event]]:
        return feed(scope, after, None, count)

    patch.setattr(events, "feed", of_all_types)


def country_with_case(patch: MonkeyPatch) -> None:
    """Small letters find no plans. “`country` matches any letter case”"""
    find_no_small_letters(patch)


def country_or_coverage(patch: MonkeyPatch) -> None:
    """With a country, the coverage does not count. “country and coverage are ANDed”"""
    listed = plans.plans

    def by_country_first(country: str | None, coverage: Any, *page: Any) -> Any:
        return listed(country, None if country else coverage, *page)

    patch.setattr(plans, "plans", by_country_first)


def any_cursor_accepted(patch: MonkeyPatch) -> None:
    """An invalid cursor starts the list. “of another list or filter, or garbage”"""

    def asked(exchange: Exchange) -> None:
        if "cursor=c1_" not in exchange.query:
            kept = [each for each in exchange.query.split("&") if not each.startswith("cursor=")]
            exchange.query = "&".join(kept)

    over_http(patch, "GET .*", asked=asked)


def cursor_of_another_list(patch: MonkeyPatch) -> None:
    """A cursor does not belong to its list. “of another list or filter, or garbage”"""
    seal = Cursors._seal
    patch.setattr(Cursors, "_seal", lambda cursors, data, scope: seal(cursors, data, ()))
