"""Lists that arrive in pages, as one sequence of items."""

from __future__ import annotations

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
    Sequence,
)
from dataclasses import dataclass
from typing import Generic, TypeVar

from .errors import PaginationError

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class PageData(Generic[Item]):
    """One page as it came: its items and where the next one starts."""

    items: Sequence[Item]
    next_cursor: str | None
    has_more: bool


class _Cursors:
    """Refuses a cursor that was used before."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def use(self, cursor: str) -> str:
        if cursor in self._used:
            raise PaginationError(f"the list gave the cursor {cursor!r} twice")
        self._used.add(cursor)
        return cursor


class Page(Generic[Item]):
    """One page of a list; iterating over it goes on to the pages after it.

    Attributes:
        items: the items of this page alone.
        next_cursor: where the next page starts; None when the list gives none.
        has_more: whether there is a next page.
    """

    __slots__ = ("_fetch", "has_more", "items", "next_cursor")

    def __init__(self, data: PageData[Item], fetch: Callable[[str], PageData[Item]]) -> None:
        self.items = data.items
        self.next_cursor = data.next_cursor
        self.has_more = data.has_more
        self._fetch = fetch

    def pages(self) -> Iterator[Page[Item]]:
        """Yield this page and all after it."""
        page, cursors = self, _Cursors()
        yield page
        while page.has_more and page.next_cursor is not None:
            page = Page(self._fetch(cursors.use(page.next_cursor)), self._fetch)
            yield page

    def __iter__(self) -> Iterator[Item]:
        """Yield the items of this page and of all after it."""
        for page in self.pages():
            yield from page.items

    def follow(
        self, interval: float, sleep: Callable[[float], None] = time.sleep
    ) -> Generator[Item]:
        """Yield all items, then those to come, asking every `interval` seconds, for ever."""
        page = self
        while True:
            yield from page.items
            if not page.has_more:
                sleep(interval)
            if page.next_cursor is None:
                raise PaginationError("the list gave no cursor to go on from")
            page = Page(self._fetch(page.next_cursor), self._fetch)


class AsyncPage(Generic[Item]):
    """The asynchronous twin of `Page`."""

    __slots__ = ("_fetch", "has_more", "items", "next_cursor")

    def __init__(
        self, data: PageData[Item], fetch: Callable[[str], Awaitable[PageData[Item]]]
    ) -> None:
        self.items = data.items
        self.next_cursor = data.next_cursor
        self.has_more = data.has_more
        self._fetch = fetch

    async def pages(self) -> AsyncIterator[AsyncPage[Item]]:
        """Yield this page and all after it."""
        page, cursors = self, _Cursors()
        yield page
        while page.has_more and page.next_cursor is not None:
            page = AsyncPage(await self._fetch(cursors.use(page.next_cursor)), self._fetch)
            yield page

    async def __aiter__(self) -> AsyncIterator[Item]:
        """Yield the items of this page and of all after it."""
        async for page in self.pages():
            for item in page.items:
                yield item


class AsyncPages(Generic[Item]):
    """A list that was asked for: `await` gives its first page, `async for` all items."""

    __slots__ = ("_fetch",)

    def __init__(self, fetch: Callable[[str | None], Awaitable[PageData[Item]]]) -> None:
        self._fetch = fetch

    def __await__(self) -> Generator[object, None, AsyncPage[Item]]:
        """Fetch the first page."""
        return self._first().__await__()

    async def __aiter__(self) -> AsyncIterator[Item]:
        """Yield the items of all pages."""
        async for item in await self._first():
            yield item

    async def follow(
        self, interval: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> AsyncGenerator[Item]:
        """Yield all items, then those to come, asking every `interval` seconds, for ever."""
        page = await self._first()
        while True:
            for item in page.items:
                yield item
            if not page.has_more:
                await sleep(interval)
            if page.next_cursor is None:
                raise PaginationError("the list gave no cursor to go on from")
            page = AsyncPage(await self._fetch(page.next_cursor), self._fetch)

    async def _first(self) -> AsyncPage[Item]:
        return AsyncPage(await self._fetch(None), self._fetch)
