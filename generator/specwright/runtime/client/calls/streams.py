"""Responses read as they arrive: items one by one, or bytes in chunks."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing, closing
from pathlib import Path
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
from ..wire.headers import Fields

T = TypeVar("T")


class Stream(Generic[T]):
    """The items of a response, each as it arrives.

    Iterate over it once, in a `with` block if you may stop early: the end of the block closes the
    connection.

    Raises:
        ApiConnectionError: the connection broke before the end, while iterating.
        InvalidResponseError: an item breaks the contract, while iterating.
    """

    def __init__(self, name: str, response: Response, items: ItemReader, limit: int) -> None:
        self._items: Generator[T] = _read(name, response, items, limit)

    def __iter__(self) -> Iterator[T]:
        """Yield the remaining items."""
        return self._items

    def __next__(self) -> T:
        return next(self._items)

    def close(self) -> None:
        """Close the connection; iteration then ends."""
        self._items.close()

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

    def __init__(self, name: str, response: Response, items: ItemReader, limit: int) -> None:
        self._items: AsyncGenerator[T] = _read_async(name, response, items, limit)

    def __aiter__(self) -> AsyncIterator[T]:
        """Yield the remaining items."""
        return self._items

    async def __anext__(self) -> T:
        return await anext(self._items)

    async def close(self) -> None:
        """Close the connection; iteration then ends."""
        await self._items.aclose()

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


class StreamedResponse:
    """A response with a body to be read in chunks, without a size limit.

    Attributes:
        headers: by case-insensitive name.
    """

    def __init__(self, name: str, response: Response) -> None:
        self.status = response.status
        self.headers = Fields(response.headers)
        self._chunks = _chunks(name, response)

    def iter_bytes(self) -> Generator[bytes]:
        """Yield the body in chunks, as they arrive.

        Raises:
            ApiConnectionError: the connection broke before the end.
        """
        return self._chunks

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the body to a file.

        Raises:
            ApiConnectionError: the connection broke before the end.
        """
        with Path(path).open("wb") as file:
            file.writelines(self._chunks)

    def close(self) -> None:
        """Close the connection."""
        self._chunks.close()


class AsyncStreamedResponse:
    """The asynchronous counterpart of `StreamedResponse`."""

    def __init__(self, name: str, response: Response) -> None:
        self.status = response.status
        self.headers = Fields(response.headers)
        self._chunks = _async_chunks(name, response)

    def iter_bytes(self) -> AsyncGenerator[bytes]:
        """Yield the body in chunks, as they arrive.

        Raises:
            ApiConnectionError: the connection broke before the end.
        """
        return self._chunks

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Write the body to a file.

        Raises:
            ApiConnectionError: the connection broke before the end.
        """
        with Path(path).open("wb") as file:
            async for chunk in self._chunks:
                file.write(chunk)

    async def close(self) -> None:
        """Close the connection."""
        await self._chunks.aclose()


def _read(name: str, response: Response, items: ItemReader, limit: int) -> Generator[Any]:
    with closing(_chunks(name, response)) as chunks:
        for chunk in chunks:
            yield from _checked(name, response, lambda: items.feed(chunk))  # noqa: B023
            _check_size(name, items, limit)
        yield from _checked(name, response, items.end)


async def _read_async(
    name: str, response: Response, items: ItemReader, limit: int
) -> AsyncGenerator[Any]:
    async with aclosing(_async_chunks(name, response)) as chunks:
        async for chunk in chunks:
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


def _chunks(name: str, response: Response) -> Generator[bytes]:
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
        cast("Generator[bytes]", response.chunks).close()
    raise failure


async def _async_chunks(name: str, response: Response) -> AsyncGenerator[bytes]:
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
        await cast("AsyncGenerator[bytes]", response.chunks).aclose()
    raise failure


def _failure(name: str, error: TransportError) -> ApiError:
    kind = ApiTimeoutError if error.timed_out else ApiConnectionError
    return kind(f"{name}: {error}, before the end of the response")
