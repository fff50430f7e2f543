"""Responses read as they arrive: items one by one, from chunks of bytes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing, closing
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

from pydantic import ValidationError

from ...shared.codec import problems_of
from ...shared.media.medium import ItemReader
from ..errors import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    InvalidResponseError,
    ResponseTooLargeError,
)
from ..transport.base import Response, TransportError

T = TypeVar("T")


class Stream(Generic[T]):
    """The items of a response, each as it arrives.

    Iterate over it once, in a `with` block if you may stop early: the end of the block closes the
    connection.

    Raises:
        ApiConnectionError: the connection broke before the end, while iterating.
        InvalidResponseError: an item breaks the contract, while iterating.
    """

    def __init__(self, items: Generator[T], close: Callable[[], None]) -> None:
        self._items = items
        self._close = close

    @classmethod
    def of(cls, name: str, response: Response, items: ItemReader, limit: int) -> Self:
        """Return the stream of the items of a response."""
        return cls(_read(name, response, items, limit), partial(close, response))

    def __iter__(self) -> Iterator[T]:
        """Yield the remaining items."""
        return self._items

    def __next__(self) -> T:
        return next(self._items)

    def close(self) -> None:
        """Close the connection; iteration then ends."""
        self._items.close()
        # The generator has not begun if no item was read.
        self._close()

    def __enter__(self) -> Self:
        """Return the stream, which is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()


class AsyncStream(Generic[T]):
    """The asynchronous counterpart of `Stream`."""

    def __init__(self, items: AsyncGenerator[T], close: Callable[[], Awaitable[None]]) -> None:
        self._items = items
        self._close = close

    @classmethod
    def of(cls, name: str, response: Response, items: ItemReader, limit: int) -> Self:
        """Return the stream of the items of a response."""
        return cls(_read_async(name, response, items, limit), partial(close_async, response))

    def __aiter__(self) -> AsyncIterator[T]:
        """Yield the remaining items."""
        return self._items

    async def __anext__(self) -> T:
        return await anext(self._items)

    async def close(self) -> None:
        """Close the connection; iteration then ends."""
        await self._items.aclose()
        await self._close()

    async def __aenter__(self) -> Self:
        """Return the stream, which is closed at the end of the block."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        await self.close()


def _read(name: str, response: Response, items: ItemReader, limit: int) -> Generator[Any]:
    with closing(chunks(name, response)) as parts:
        for chunk in parts:
            yield from _checked(name, response, lambda: items.feed(chunk))  # noqa: B023
            _check_size(name, items, limit)
        yield from _checked(name, response, items.end)


async def _read_async(
    name: str, response: Response, items: ItemReader, limit: int
) -> AsyncGenerator[Any]:
    async with aclosing(async_chunks(name, response)) as parts:
        async for chunk in parts:
            for item in _checked(name, response, lambda: items.feed(chunk)):  # noqa: B023
                yield item
            _check_size(name, items, limit)
        for item in _checked(name, response, items.end):
            yield item


def _checked(name: str, response: Response, read: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Yield items; raise an error without any values for one that breaks the contract."""
    try:
        yield from read()
    except ValidationError as error:
        problems = problems_of("item", error)
    except ValueError:
        problems = "item: the content does not match its media type"
    else:
        return
    raise InvalidResponseError(f"{name}: an item breaks the contract: {problems}", response)


def _check_size(name: str, items: ItemReader, limit: int) -> None:
    if items.waiting > limit:
        raise ResponseTooLargeError(f"{name}: an item exceeds {limit} bytes")


def chunks(name: str, response: Response) -> Generator[bytes]:
    """Yield the body of a response in chunks, and close its connection at the end.

    Raises:
        ApiConnectionError: the connection broke before the end.
    """
    if response.chunks is None:
        yield response.content
        return
    try:
        yield from cast("Iterator[bytes]", response.chunks)
    except TransportError as error:
        failure = _failure(name, error)
    else:
        return
    finally:
        close(response)
    raise failure


async def async_chunks(name: str, response: Response) -> AsyncGenerator[bytes]:
    """Yield the body of a response as `chunks` does."""
    if response.chunks is None:
        yield response.content
        return
    try:
        async for chunk in cast("AsyncIterator[bytes]", response.chunks):
            yield chunk
    except TransportError as error:
        failure = _failure(name, error)
    else:
        return
    finally:
        await close_async(response)
    raise failure


def close(response: Response) -> None:
    """Close the connection of a response, of which no chunk may have been read yet."""
    if response.chunks is not None:
        cast("Generator[bytes]", response.chunks).close()


async def close_async(response: Response) -> None:
    """Close the connection of a response as `close` does."""
    if response.chunks is not None:
        await cast("AsyncGenerator[bytes]", response.chunks).aclose()


def _failure(name: str, error: TransportError) -> ApiError:
    kind = ApiTimeoutError if error.timed_out else ApiConnectionError
    return kind(f"{name}: {error}, before the end of the response")
