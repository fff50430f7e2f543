"""Lists that arrive in pages: read to their end, or followed for what is added."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..shared.operation import ListOperation
from .attempts import Pause, is_temporary
from .courses import Ask, Course, Give, run, run_async, sleep
from .errors import ApiError, ApiStatusError, InvalidArgumentError, PaginationError

Item = TypeVar("Item")

LONGEST_PAUSE = 60.0

_logger = logging.getLogger(__name__.partition(".")[0])


@dataclass(frozen=True, slots=True)
class PageData(Generic[Item]):
    """One page as it came: its items and where the next one starts."""

    items: Sequence[Item]
    next_cursor: str | None
    has_more: bool


@dataclass(frozen=True, slots=True)
class Batch(Generic[Item]):
    """Items of a list that is followed, in order; iterating over it goes no further.

    Attributes:
        items: the items; none when only the cursor moved on.
        cursor: where to go on once all of `items` are dealt with. Store it then, and not before,
            so that a later start from it misses nothing.
    """

    items: Sequence[Item]
    cursor: str

    def __iter__(self) -> Iterator[Item]:
        """Yield the items."""
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _Page(Generic[Item]):
    """What pages have in common."""

    __slots__ = ("_data", "has_more", "items", "next_cursor")

    def __init__(self, data: PageData[Item]) -> None:
        self._data = data
        self.items = data.items
        self.next_cursor = data.next_cursor
        self.has_more = data.has_more


class Page(_Page[Item]):
    """One page of a list; iterating over it goes on to the pages after it.

    So it has no length: `len(page.items)` is that of this page.

    Attributes:
        items: the items of this page alone.
        next_cursor: where the next page starts; None when the list gives none. It is a cursor, or
            the number of a page or of the items before it, or the query of its URL.
        has_more: whether there is a next page.
    """

    __slots__ = ("_fetch",)

    def __init__(self, data: PageData[Item], fetch: Callable[[str | None], PageData[Item]]) -> None:
        super().__init__(data)
        self._fetch = fetch

    def pages(self) -> Generator[Page[Item]]:
        """Yield this page and all after it."""
        for data in run(to_the_end(self._data), self._fetch, time.sleep):
            yield Page(data, self._fetch)

    def __iter__(self) -> Iterator[Item]:
        """Yield the items of this page and of all after it."""
        for page in self.pages():
            yield from page.items


AsyncFetch = Callable[[str | None], Awaitable[PageData[Item]]]


class AsyncPage(_Page[Item]):
    """The asynchronous twin of `Page`."""

    __slots__ = ("_fetch",)

    def __init__(self, data: PageData[Item], fetch: AsyncFetch[Item]) -> None:
        super().__init__(data)
        self._fetch = fetch

    async def pages(self) -> AsyncGenerator[AsyncPage[Item]]:
        """Yield this page and all after it."""
        async for data in run_async(to_the_end(self._data), self._fetch, sleep):
            yield AsyncPage(data, self._fetch)

    async def __aiter__(self) -> AsyncGenerator[Item]:
        """Yield the items of this page and of all after it."""
        async for page in self.pages():
            for item in page.items:
                yield item


class AsyncPages(Generic[Item]):
    """A list that was asked for: `await` gives its first page, `async for` all items."""

    __slots__ = ("_fetch",)

    def __init__(self, fetch: AsyncFetch[Item]) -> None:
        self._fetch = fetch

    def __await__(self) -> Generator[object, None, AsyncPage[Item]]:
        """Fetch the first page."""
        return self._first().__await__()

    async def pages(self) -> AsyncGenerator[AsyncPage[Item]]:
        """Yield all pages."""
        async for page in (await self._first()).pages():
            yield page

    async def __aiter__(self) -> AsyncGenerator[Item]:
        """Yield the items of all pages."""
        async for item in await self._first():
            yield item

    async def _first(self) -> AsyncPage[Item]:
        return AsyncPage(await self._fetch(None), self._fetch)


# Both ask with a cursor, None being the one that the caller passed, and are sent a page.
Reading = Course[str | None, PageData[Item], PageData[Item]]
Following = Course[str | None, Batch[Item], PageData[Item]]


def to_the_end(page: PageData[Item]) -> Reading[Item]:
    """Give a page of a list and all after it."""
    used = set[str | None]()
    while True:
        yield Give(page)
        if not page.has_more:
            return
        cursor = _cursor_after(page)
        _use(cursor, used)
        page = yield Ask(cursor)


def follow(
    operation: ListOperation[Item],
    arguments: Mapping[str, object],
    interval: float,
    give_up_after: float | None,
    clock: Callable[[], float],
) -> Following[Item]:
    """Read a list to its end, and what is added to it, for ever.

    What is there is read page by page; where there is nothing more, and after a failure that time
    may mend, `interval` seconds pass from one request to the next at least.

    Args:
        arguments: those of the operation, the cursor to start from among them.
        give_up_after: seconds without an answer after which the last error is raised; None for
            never.
        clock: tells the time in seconds.

    Raises:
        InvalidArgumentError: `interval` is shorter than the one that the service declares, or a
            number of seconds is not a time.
    """
    pagination = operation.pagination
    assert pagination is not None
    least = pagination.interval
    if not least <= interval < float("inf"):
        raise InvalidArgumentError(f"interval: must be a number of seconds, at least {least:g}")
    if give_up_after is not None and not give_up_after >= 0:
        raise InvalidArgumentError("give_up_after: must be a number of seconds, or None")
    start = arguments.get(pagination.cursor)
    cursor = start if isinstance(start, str) else None
    return _following(cursor, interval, give_up_after, clock)


def _following(
    cursor: str | None, interval: float, give_up_after: float | None, clock: Callable[[], float]
) -> Following[Item]:
    used: set[str | None] = {cursor}
    failures, answered = 0, clock()
    while True:
        asked = clock()
        try:
            page = yield Ask(cursor)
        except ApiError as error:
            pause = _pause(error, interval, failures)
            ends = None if give_up_after is None else answered + give_up_after
            if pause is None or (ends is not None and clock() + pause > ends):
                raise
            failures += 1
            # What a service says in an error is for the caller; a log goes further.
            cause = f"status {error.status}" if isinstance(error, ApiStatusError) else error
            _logger.warning("following a list: %s; asking again in %.1f s", cause, pause)
            yield Pause(pause)
            continue
        failures = 0
        following = _cursor_after(page)
        if page.has_more:
            _use(following, used)
        else:
            used = {following}
        if page.items or following != cursor:
            yield Give(Batch(page.items, following))
        cursor, answered = following, clock()
        # A page without items brought nothing, whatever it says of the next one.
        left = asked + interval - clock()
        if left > 0 and not (page.has_more and page.items):
            yield Pause(left)


def _cursor_after(page: PageData[Item]) -> str:
    if page.next_cursor is None:
        raise PaginationError("the list gave no cursor to go on from")
    return page.next_cursor


def _use(cursor: str, used: set[str | None]) -> None:
    """Refuse a cursor that was used before."""
    if cursor in used:
        raise PaginationError(f"the list gave the cursor {cursor!r} twice")
    used.add(cursor)


def _pause(error: ApiError, interval: float, failures: int) -> float | None:
    """Seconds to wait after a failed request; None when waiting does not mend it."""
    if not is_temporary(error):
        return None
    asked = error.retry_after if isinstance(error, ApiStatusError) else None
    if asked is not None:
        return max(asked, interval)
    # The power has a limit of its own: after some hours of outage it would be no float any more.
    longer = min(LONGEST_PAUSE, max(interval, 1.0) * 2.0 ** min(failures, 10))
    # Some of it is chance, so that clients that failed together do not return together.
    return max(longer, interval) * (1 + random.random() / 2)
