"""The items in the pages of a list, and the way to the next page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.json_values import JsonValue
from specwright.text import Text
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, lengthened, replaced, withdrawn
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Positive


def _starts_elsewhere(before: JsonValue, after: JsonValue) -> bool:
    """Return whether the number of the first page changed; it defaults to 1."""
    return (1 if before is None else before) != (1 if after is None else after)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaginationContract:
    """The operation returns a page of a list.

    The next page is requested by the first of these that is declared: `cursor`, `next_url`,
    `link`, `page`, `offset`. Without any of them the list has only one page.

    `cursor`, `page`, `offset` and `limit` are names of query parameters, or JSON Pointers to
    members of the JSON request body, such as `/offset`.
    """

    cursor: Annotated[
        Name | None,
        Names(Target.PAGE_ARGUMENT),
        "The query parameter, or place in the request body, for the cursor in `next`; or null.",
    ]
    limit: Annotated[
        Name | None,
        Names(Target.PAGE_ARGUMENT),
        "The query parameter, or place in the request body, for the page size; or null.",
    ]
    items: Annotated[
        InstancePointer, Names(Target.RESPONSE_BODY), "The place of the items in the response."
    ]
    next: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place of the next page's cursor in the response, or null.",
    ]
    more: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place in the response that shows whether more items follow, or null.",
    ]
    id: Annotated[
        InstancePointer | None,
        Names(Target.ITEM),
        "The place of the identity in an item, or null.",
    ]
    offset: Annotated[
        Name | None,
        Names(Target.PAGE_ARGUMENT),
        "The query parameter, or place in the request body, for the number of items to skip; or "
        "null.",
    ] = None
    page: Annotated[
        Name | None,
        Names(Target.PAGE_ARGUMENT),
        "The query parameter, or place in the request body, for the number of the page; or null.",
    ] = None
    first_page: Annotated[
        int, Limits(minimum=0), ChangePolicy(_starts_elsewhere), "The number of the first page."
    ] = 1
    total: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place of the total number of items in the response, or null.",
    ] = None
    pages: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place of the total number of pages in the response, or null.",
    ] = None
    next_url: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place in the response of the URL of the next page, or null. Only its query is used.",
    ] = None
    link: Annotated[
        bool,
        ChangePolicy(withdrawn),
        "True if the header `Link` has the URL of the next page (RFC 8288, relation `next`). Only "
        "its query is used.",
    ] = False
    resume: Annotated[
        bool,
        ChangePolicy(withdrawn),
        "True if the next cursor is always given, even at the end of the list, and can be used "
        "later to request the items added since.",
    ] = False
    full: Annotated[
        bool,
        ChangePolicy(withdrawn),
        "True if every page but the last one has as many items as requested. False if it may have "
        "fewer.",
    ] = False
    interval_seconds: Annotated[
        Positive | None,
        ChangePolicy(lengthened, Subject.LIMIT),
        "The minimum number of seconds between two requests of a caller that waits for new items. "
        "Null if it is not declared.",
    ] = None
    expired: Annotated[
        Name | None,
        Names(Target.ERROR_CODE),
        ChangePolicy(replaced),
        "The error code for an expired cursor. Null if cursors do not expire.",
    ] = None


def is_in_body(argument: Text) -> bool:
    """Return whether an argument for pages is a place in the request body: a JSON Pointer."""
    return argument.raw.startswith("/")


PAGINATION = Keyword[PaginationContract](
    "x-contract-pagination",
    (Place.OPERATION,),
    PaginationContract,
    {
        "cursor": "cursor",
        "limit": "limit",
        "items": "/data",
        "next": "/next_cursor",
        "more": None,
        "id": "/id",
    },
)
