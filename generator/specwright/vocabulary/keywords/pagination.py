"""The items in the pages of a list, and the way to the next page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Pagination:
    """The operation answers with a page of a list.

    The next page is asked for by the first of these that is declared: `cursor`, `next_url`,
    `link`, `page`, `offset`. Without one the list has one page only.
    """

    cursor: Annotated[
        Name | None,
        Names(Target.QUERY_PARAMETER),
        "The query parameter that takes the cursor in `next`. Null when there is none.",
    ]
    limit: Annotated[
        Name | None,
        Names(Target.QUERY_PARAMETER),
        "The query parameter that sets the page size. Null when there is none.",
    ]
    items: Annotated[
        InstancePointer, Names(Target.RESPONSE_BODY), "Where the response has the items."
    ]
    next: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the response has the cursor of the next page. Null when it has none.",
    ]
    more: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the response says whether more items follow. Null when it does not.",
    ]
    id: Annotated[
        InstancePointer | None,
        Names(Target.ITEM),
        "Where an item has its identity. Null when it has none.",
    ]
    offset: Annotated[
        Name | None,
        Names(Target.QUERY_PARAMETER),
        "The query parameter that takes the number of items to leave out. Null when there is none.",
    ] = None
    page: Annotated[
        Name | None,
        Names(Target.QUERY_PARAMETER),
        "The query parameter that takes the number of the page. Null when there is none.",
    ] = None
    first_page: Annotated[int, Limits(minimum=0), "The number of the first page."] = 1
    total: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the response has the number of all items. Null when it has none.",
    ] = None
    pages: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the response has the number of all pages. Null when it has none.",
    ] = None
    next_url: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the response has the URL of the next page, of which the query counts. Null when it "
        "has none.",
    ] = None
    link: Annotated[
        bool,
        "True when the header `Link` has the URL of the next page (RFC 8288, relation `next`), of "
        "which the query counts.",
    ] = False
    resume: Annotated[
        bool,
        "True when the next cursor is always given, also at the end of the list, and may be asked "
        "again later for what was added since.",
    ] = False
    interval_seconds: Annotated[
        Positive | None,
        "How many seconds a caller that waits for what is added leaves between two requests at "
        "least. Null when the list does not say.",
    ] = None
    expired: Annotated[
        Name | None,
        Names(Target.ERROR_CODE),
        "The error code that refuses a cursor that the list does not reach back to any more. Null "
        "when cursors do not expire.",
    ] = None


PAGINATION = Keyword[Pagination](
    "x-contract-pagination",
    (Place.OPERATION,),
    Pagination,
    {
        "cursor": "cursor",
        "limit": "limit",
        "items": "/data",
        "next": "/next_cursor",
        "more": None,
        "id": "/id",
    },
)
