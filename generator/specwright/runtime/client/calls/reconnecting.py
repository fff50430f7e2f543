"""Event streams that reconnect (HTML Living Standard, 9.2.3)."""

from __future__ import annotations

import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import TypeVar

from ...shared.media.event_stream import EventReader
from ..errors import ApiConnectionError, InvalidArgumentError
from ..transport.base import Headers
from .core import Collected
from .streams import AsyncStream, Stream

T = TypeVar("T")

# In seconds, unless the stream says otherwise.
PAUSE = 1.0
SHORTEST_PAUSE = 0.1
LONGEST_PAUSE = 60.0

_logger = logging.getLogger(__name__.partition(".")[0])


class Position:
    """The position in a stream of events, over several connections."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last_id = ""
        self._pause = PAUSE
        self._idle = 0

    @property
    def headers(self) -> Headers:
        """The header that asks for the events after the last one."""
        # The standard sends UTF-8; a request writes its headers byte by byte.
        text = self._last_id.encode().decode("latin-1")
        return [("last-event-id", text)] if text else []

    def reader(self, block: Collected) -> EventReader | None:
        """Return the decoder of another connection; None if there will be no more events.

        Raises:
            InvalidArgumentError: the response is not an event stream.
        """
        reader = block.items
        if block.responses[-1].status == 204:
            return None
        if not isinstance(reader, EventReader):
            raise InvalidArgumentError(f"{self._name}: only event streams can reconnect")
        reader.last_id = self._last_id
        return reader

    def pause(self, reader: EventReader, count: int, error: Exception | None) -> float | None:
        """Return the seconds to wait after a connection has ended; None at the marked end.

        They double while no events come.

        Args:
            count: the number of items that the connection brought.
            error: the failure that ended it.
        """
        if reader.is_ended:
            return None
        self._last_id = reader.last_id
        if reader.retry is not None:
            self._pause = max(reader.retry / 1000, SHORTEST_PAUSE)
        self._idle = 0 if count else self._idle + 1
        # The exponent is limited: after hours, the power would overflow a float.
        pause = min(LONGEST_PAUSE, self._pause * 2.0 ** min(self._idle, 10))
        # Some of it is random, so that clients that failed together do not return together.
        pause *= 1 + random.random() / 4
        cause = "the end of the response" if error is None else error
        _logger.info("%s: reconnecting in %.1f s, after: %s", self._name, pause, cause)
        return pause


def reconnecting(
    name: str,
    connect: Callable[[Headers], tuple[Stream[T] | None, Collected]],
    sleep: Callable[[float], None],
) -> Stream[T]:
    """Connect, and return a stream that connects again when a connection has ended.

    Args:
        connect: returns a stream of events; None if there will be no more (204).
    """
    position = Position(name)
    stream, block = connect(position.headers)
    reader = position.reader(block)

    def items() -> Generator[T]:
        nonlocal stream, reader
        while stream is not None and reader is not None:
            count, failure = 0, None
            try:
                with stream:
                    for item in stream:
                        count += 1
                        yield item
            except ApiConnectionError as error:
                failure = error
            pause = position.pause(reader, count, failure)
            if pause is None:
                return
            sleep(pause)
            stream, block = connect(position.headers)
            reader = position.reader(block)

    def close() -> None:
        if stream is not None:
            stream.close()

    return Stream(items(), close)


async def reconnecting_async(
    name: str,
    connect: Callable[[Headers], Awaitable[tuple[AsyncStream[T] | None, Collected]]],
    sleep: Callable[[float], Awaitable[None]],
) -> AsyncStream[T]:
    """Return the asynchronous counterpart of `reconnecting`."""
    position = Position(name)
    stream, block = await connect(position.headers)
    reader = position.reader(block)

    async def items() -> AsyncGenerator[T]:
        nonlocal stream, reader
        while stream is not None and reader is not None:
            count, failure = 0, None
            try:
                async with stream:
                    async for item in stream:
                        count += 1
                        yield item
            except ApiConnectionError as error:
                failure = error
            pause = position.pause(reader, count, failure)
            if pause is None:
                return
            await sleep(pause)
            stream, block = await connect(position.headers)
            reader = position.reader(block)

    async def close() -> None:
        if stream is not None:
            await stream.close()

    return AsyncStream(items(), close)
