"""Paginated lists: read to their end, or polled for new items."""

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

from ...shared.codec import shortened
from ...shared.operation import ListOperation
from ..errors import ApiError, ApiStatusError, InvalidArgumentError, PaginationError
from ..wire.positions import Position
from .flows import CallStep, Flow, YieldStep, run, run_async, sleep
from .retries import Pause, is_temporary

Item = TypeVar("Item")

LONGEST_PAUSE = 60.0
# A service may ask for a longer pause, but not for one without end.
LONGEST_RETRY_AFTER = 86_400.0

_logger = logging.getLogger(__name__.partition(".")[0])


@dataclass(frozen=True, slots=True)
class PageData(Generic[Item]):
    """One page as received: its items and the position of the next page."""

    operation_id: str
    items: Sequence[Item]
    position: Position | None
    has_more: bool

    @property
    def next_cursor(self) -> str | None:
        """The position as a text."""
        return None if self.position is None else str(self.position)


@dataclass(frozen=True, slots=True)
class Batch(Generic[Item]):
    """Items of a followed list, in order; iteration covers this batch only.

    Attributes:
        items: the items; empty if only the cursor advanced.
        cursor: the position to resume from once all `items` are processed. Store it only then, so
            that a later start from it misses nothing.
    """

    items: Sequence[Item]
    cursor: str

    def __iter__(self) -> Iterator[Item]:
        """Yield the items."""
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _Page(Generic[Item]):
    """The attributes common to pages."""

    __slots__ = ("_data", "has_more", "items", "next_cursor")

    def __init__(self, data: PageData[Item]) -> None:
        self._data = data
        self.items = data.items
        self.next_cursor = data.next_cursor
        self.has_more = data.has_more


class Page(_Page[Item]):
    """One page of a list; iteration continues with the pages after it.

    It therefore has no length; use `len(page.items)` for this page.

    Attributes:
        items: the items of this page only.
        next_cursor: the position of the next page; None if the list has none. It is a cursor, the
            number of a page or of the items before it, or the query of its URL.
        has_more: whether there is a next page.
    """

    __slots__ = ("_fetch",)

    def __init__(
        self, data: PageData[Item], fetch: Callable[[Position | None], PageData[Item]]
    ) -> None:
        super().__init__(data)
        self._fetch = fetch

    def pages(self) -> Generator[Page[Item]]:
        """Yield this page and all pages after it."""
        for data in run(to_the_end(self._data), self._fetch, time.sleep):
            yield Page(data, self._fetch)

    def __iter__(self) -> Iterator[Item]:
        """Yield the items of this page and of all pages after it."""
        for page in self.pages():
            yield from page.items


AsyncFetch = Callable[[Position | None], Awaitable[PageData[Item]]]


class AsyncPage(_Page[Item]):
    """The asynchronous counterpart of `Page`."""

    __slots__ = ("_fetch",)

    def __init__(self, data: PageData[Item], fetch: AsyncFetch[Item]) -> None:
        super().__init__(data)
        self._fetch = fetch

    async def pages(self) -> AsyncGenerator[AsyncPage[Item]]:
        """Yield this page and all pages after it."""
        async for data in run_async(to_the_end(self._data), self._fetch, sleep):
            yield AsyncPage(data, self._fetch)

    async def __aiter__(self) -> AsyncGenerator[Item]:
        """Yield the items of this page and of all pages after it."""
        async for page in self.pages():
            for item in page.items:
                yield item


class AsyncPages(Generic[Item]):
    """A list to fetch: `await` returns its first page, `async for` yields all items."""

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


# Both ask with a position, None for the one that the caller passed, and receive a page.
Reading = Flow[Position | None, PageData[Item], PageData[Item]]
Following = Flow[Position | None, Batch[Item], PageData[Item]]


def to_the_end(page: PageData[Item]) -> Reading[Item]:
    """Yield the steps of a flow that gives a page and all pages after it."""
    used = set[Position | None]()
    while True:
        yield YieldStep(page)
        if not page.has_more:
            return
        cursor = _cursor_after(page)
        _use(page, cursor, used)
        try:
            page = yield CallStep(cursor)
        except InvalidArgumentError as error:
            # The arguments were valid for the page before.
            raise PaginationError(
                f"{page.operation_id}: the next page cannot be requested: {error}"
            ) from None


def follow(
    operation: ListOperation[Item],
    arguments: Mapping[str, object],
    interval: float,
    give_up_after: float | None,
    clock: Callable[[], float],
) -> Following[Item]:
    """Return the flow that reads a list to its end, then polls it for new items indefinitely.

    Existing items are read page by page; at the end of the list, and after a temporary failure,
    requests are at least `interval` seconds apart.

    Args:
        arguments: those of the operation, including the cursor to start from.
        give_up_after: seconds without a response after which the last error is raised; None for
            never.
        clock: returns the time in seconds.

    Raises:
        InvalidArgumentError: `interval` is shorter than the declared one, or a number of seconds is
            invalid.
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
    return _following(operation.id, cursor, interval, give_up_after, clock)


def _following(
    operation_id: str,
    cursor: Position | None,
    interval: float,
    give_up_after: float | None,
    clock: Callable[[], float],
) -> Following[Item]:
    used: set[Position | None] = {cursor}
    failures, answered_at = 0, clock()
    while True:
        asked = clock()
        try:
            page = yield CallStep(cursor)
        except ApiError as error:
            pause = _pause(error, interval, failures)
            ends = None if give_up_after is None else answered_at + give_up_after
            if pause is None or (ends is not None and clock() + pause > ends):
                raise
            failures += 1
            # The message of an error is for the caller only; logs are read more widely.
            cause = f"status {error.status}" if isinstance(error, ApiStatusError) else error
            status = error.status if isinstance(error, ApiStatusError) else None
            fields = {"operation": operation_id, "status": status, "pause": pause}
            _logger.warning("following a list: %s; retrying in %.1f s", cause, pause, extra=fields)
            yield Pause(pause)
            continue
        failures = 0
        following = _cursor_after(page)
        if page.has_more:
            _use(page, following, used)
        else:
            used = {following}
        if page.items or following != cursor:
            yield YieldStep(Batch(page.items, str(following)))
        cursor, answered_at = following, clock()
        # After a page without items, pause even if it announces a next page.
        left = asked + interval - clock()
        if left > 0 and not (page.has_more and page.items):
            yield Pause(left)


def _cursor_after(page: PageData[Item]) -> Position:
    if page.position is None:
        raise PaginationError(f"{page.operation_id}: the list returned no cursor to continue from")
    return page.position


def _use(page: PageData[Item], cursor: Position, used: set[Position | None]) -> None:
    """Record the cursor of a page, or raise `PaginationError` if it was used before."""
    if cursor in used:
        shown = repr(shortened(str(cursor)))
        raise PaginationError(f"{page.operation_id}: the list returned the cursor {shown} twice")
    used.add(cursor)


def _pause(error: ApiError, interval: float, failures: int) -> float | None:
    """Return the seconds to wait after a failed request; None if waiting does not help."""
    if not is_temporary(error):
        return None
    asked = error.retry_after if isinstance(error, ApiStatusError) else None
    if asked is not None:
        return max(min(asked, LONGEST_RETRY_AFTER), interval)
    # The exponent is limited: after hours of outage, the power would overflow a float.
    longer = min(LONGEST_PAUSE, max(interval, 1.0) * 2.0 ** min(failures, 10))
    # Some of it is random, so that clients that failed together do not retry together.
    return max(longer, interval) * (1 + random.random() / 2)
