"""Responses that are read in chunks, or saved to a file."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import TYPE_CHECKING

from ...shared.files import Progress
from ..errors import ClientStateError
from ..transport.base import Headers
from ..wire.headers import Fields
from .core import Collected
from .flows import run, run_async
from .streams import async_chunks, chunks, close, close_async

if TYPE_CHECKING:
    from .downloads import Download


class _StreamedResponse:
    """The attributes common to streamed responses."""

    def __init__(self, name: str, block: Collected) -> None:
        assert block.request is not None
        self._name = name
        self._response = block.responses[-1]
        self._first = block.request
        self._retries = block.max_retries
        self._is_read = False
        self.status = self._response.status
        self.headers = Fields(self._response.headers)

    def _download(
        self, path: str | os.PathLike[str], progress: Progress | None, *, is_kept: bool
    ) -> Download:
        # Imported late: it loads modules that few programs need.
        from .downloads import Download

        if self._is_read:
            raise ClientStateError(f"{self._name}: the body of the response was already read")
        self._is_read = True
        return Download(self._name, self._first, path, is_kept=is_kept, progress=progress)


class StreamedResponse(_StreamedResponse):
    """A response with a body to be read in chunks, without a size limit.

    Attributes:
        headers: by case-insensitive name.
    """

    def __init__(
        self,
        name: str,
        block: Collected,
        request: Callable[[Headers], Collected],
        sleep: Callable[[float], None],
    ) -> None:
        super().__init__(name, block)
        self._chunks = chunks(name, self._response)
        self._request = request
        self._sleep = sleep

    def iter_bytes(self) -> Generator[bytes]:
        """Yield the body in chunks, as they arrive.

        Raises:
            ApiConnectionError: the connection broke before the end.
        """
        self._is_read = True
        return self._chunks

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        resume: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Write the body to a file, which has its path once it is complete.

        If the connection breaks, the response to a GET is continued, up to `max_retries` times; it
        begins again if the content has changed, or if the server does not support ranges.

        Args:
            resume: keep an incomplete part next to the path, and continue that of an earlier call.
            progress: called with the bytes so far, and with all if their number is known, else
                None.

        Raises:
            ApiConnectionError: the connection broke too often.
            InvalidResponseError: the server sent another range than was requested.
        """
        from .downloads import saving

        def receive(headers: Headers | None) -> None:
            if headers is None and resume and download.continues(self._response):
                self.close()
                return
            response = self._response
            if headers is not None:
                response = self._request(headers).responses[-1]
            try:
                download.begin(response, headers or [])
                for chunk in chunks(self._name, response):
                    download.write(chunk)
            finally:
                close(response)
            download.end()

        with self._download(path, progress, is_kept=resume) as download:
            for _ in run(saving(download, self._retries), receive, self._sleep):
                pass

    def close(self) -> None:
        """Close the connection."""
        self._chunks.close()
        close(self._response)


class AsyncStreamedResponse(_StreamedResponse):
    """The asynchronous counterpart of `StreamedResponse`."""

    def __init__(
        self,
        name: str,
        block: Collected,
        request: Callable[[Headers], Awaitable[Collected]],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        super().__init__(name, block)
        self._chunks = async_chunks(name, self._response)
        self._request = request
        self._sleep = sleep

    def iter_bytes(self) -> AsyncGenerator[bytes]:
        """Yield the body in chunks, as they arrive.

        Raises:
            ApiConnectionError: the connection broke before the end.
        """
        self._is_read = True
        return self._chunks

    async def save(
        self,
        path: str | os.PathLike[str],
        *,
        resume: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Write the body to a file, which has its path once it is complete.

        If the connection breaks, the response to a GET is continued, up to `max_retries` times; it
        begins again if the content has changed, or if the server does not support ranges.

        Args:
            resume: keep an incomplete part next to the path, and continue that of an earlier call.
            progress: called with the bytes so far, and with all if their number is known, else
                None.

        Raises:
            ApiConnectionError: the connection broke too often.
            InvalidResponseError: the server sent another range than was requested.
        """
        from .downloads import saving

        async def receive(headers: Headers | None) -> None:
            if headers is None and resume and download.continues(self._response):
                await self.close()
                return
            response = self._response
            if headers is not None:
                response = (await self._request(headers)).responses[-1]
            try:
                download.begin(response, headers or [])
                async for chunk in async_chunks(self._name, response):
                    download.write(chunk)
            finally:
                await close_async(response)
            download.end()

        with self._download(path, progress, is_kept=resume) as download:
            async for _ in run_async(saving(download, self._retries), receive, self._sleep):
                pass

    async def close(self) -> None:
        """Close the connection."""
        await self._chunks.aclose()
        await close_async(self._response)
