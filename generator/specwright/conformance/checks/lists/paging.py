"""The next page of a list, in each of the declared ways (`x-contract-pagination`)."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_rejection
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.page_arguments import value_of, with_value
from specwright.conformance.recording.exchange import HttpResponse
from specwright.json_values import JsonValue
from specwright.runtime.client.wire.positions import next_link
from specwright.text import Text
from specwright.vocabulary.keywords.pagination import PaginationContract

PAGE_SEQUENCE = BehaviourRule(
    "pagination",
    BehaviourCategory.LISTS,
    "Following the cursor shows every item once, even if items are added meanwhile.",
    example="an item is added between two pages: one is shown twice, or another one is left out",
    advice=(
        "Build the cursor from the last item of the page, and query the items after it; an "
        "offset shifts when an item is added."
    ),
    weight=6,
)
CURSOR = BehaviourRule(
    "cursor",
    BehaviourCategory.LISTS,
    "A cursor that this list did not issue is refused.",
    example="GET /items?cursor=nonsense -> 200",
    advice="Sign cursors, or check that they parse to an issued value, and refuse all others.",
    judge=judge_rejection,
)


def following(
    declared: PaginationContract, call: OperationCall, response: HttpResponse, shown: int
) -> OperationCall | None:
    """Return the call for the page after a response; None if that was the last page.

    Args:
        call: the call for the page of the response.
        shown: the number of items on this page and those before it.
    """
    items = response.at(declared.items.raw)
    if not isinstance(items, list) or not items:
        return None
    if declared.more is not None and response.at(declared.more.raw) is False:
        return None
    if declared.cursor is not None:
        next_page = None if declared.next is None else response.at(declared.next.raw)
        return _with(call, declared.cursor, next_page)
    if declared.next_url is not None:
        return _at(call, response.at(declared.next_url.raw))
    if declared.link:
        return _at(call, next_link(response.headers))
    total = None if declared.total is None else response.at(declared.total.raw)
    if isinstance(total, int) and shown >= total:
        return None
    if declared.page is not None:
        asked = value_of(call, declared.page)
        number = asked if isinstance(asked, int) else declared.first_page
        pages = None if declared.pages is None else response.at(declared.pages.raw)
        is_last = isinstance(pages, int) and number - declared.first_page + 1 >= pages
        return None if is_last else _with(call, declared.page, number + 1)
    return None if declared.offset is None else _with(call, declared.offset, shown)


def announces_end(declared: PaginationContract) -> bool:
    """Return whether responses tell if more items follow; else the last page is an empty one."""
    if declared.more is not None:
        return True
    # A list that can be resumed has a cursor after its last item, too.
    if declared.cursor is not None:
        return not declared.resume
    announcements = (declared.next_url, declared.total, declared.pages)
    return declared.link or any(text is not None for text in announcements)


def _with(call: OperationCall, name: Text, value: JsonValue) -> OperationCall | None:
    return None if value is None else with_value(call, name, value)


def _at(call: OperationCall, url: JsonValue) -> OperationCall | None:
    """Return the same call with the query of a URL."""
    if not isinstance(url, str):
        return None
    for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        call = call.with_argument(("query", name), value)
    return call
