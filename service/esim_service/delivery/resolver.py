"""DNS resolution by the operating system."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import TypeAlias

from .addresses import Address

Resolve: TypeAlias = Callable[[str], Awaitable[tuple[Address, ...]]]
"""Returns the addresses of a name in the order of preference; none when it does not resolve."""


class SystemResolver:
    """`getaddrinfo` in threads of its own.

    The event loop's own pool has few threads, and a name server that hangs would occupy them all.
    Here a name occupies one thread at most, however many callers ask for it at the same time.
    """

    def __init__(self, threads: int = 64) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolve")
        self._running: dict[str, asyncio.Future[tuple[Address, ...]]] = {}

    async def __call__(self, name: str) -> tuple[Address, ...]:
        lookup = self._running.get(name)
        if lookup is None:
            loop = asyncio.get_running_loop()
            lookup = loop.run_in_executor(self._threads, _addresses, name)
            self._running[name] = lookup
            lookup.add_done_callback(lambda _: self._running.pop(name))
        # A caller that gives up must not cancel the lookup for the others.
        return await asyncio.shield(lookup)

    def close(self) -> None:
        """Let the threads end, without waiting for running lookups."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _addresses(name: str) -> tuple[Address, ...]:
    try:
        # Bytes, as text would go through the IDNA codec, which rejects some names.
        addresses = socket.getaddrinfo(name.encode("ascii"), None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(ip_address(str(sockaddr[0])) for *_, sockaddr in addresses))
