"""Connections to addresses that have just been checked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from ipaddress import ip_address

import httpcore2

from .addresses import Address, AddressRule
from .resolver import Resolve

# More addresses than this would only use up the time of an attempt.
_MAX_ADDRESSES = 8


class NotPublicError(httpcore2.ConnectError):
    """The host has an address that may not be dialled."""


class NotResolvedError(httpcore2.ConnectError):
    """The host has no address."""


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Resolves a name itself, checks all its addresses and dials exactly those."""

    def __init__(self, rule: AddressRule, resolve: Resolve) -> None:
        self._rule = rule
        self._resolve = resolve
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address of the host that accepts."""
        loop = asyncio.get_running_loop()
        end = None if timeout is None else loop.time() + timeout
        try:
            async with asyncio.timeout_at(end):
                addresses = await self._addresses(host)
        except TimeoutError:
            raise httpcore2.ConnectTimeout(f"{host} was not resolved in time") from None
        for remaining in range(len(addresses), 1, -1):
            # An address that hangs leaves the others their share of the time.
            share = None if end is None else (end - loop.time()) / remaining
            try:
                return await self._dial(addresses[-remaining], port, share, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        rest = None if end is None else end - loop.time()
        return await self._dial(addresses[-1], port, rest, socket_options)

    async def _dial(
        self,
        address: Address,
        port: int,
        timeout: float | None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None,
    ) -> httpcore2.AsyncNetworkStream:
        return await self._network.connect_tcp(
            str(address), port, timeout=timeout, socket_options=socket_options
        )

    async def _addresses(self, host: str) -> tuple[Address, ...]:
        try:
            addresses: tuple[Address, ...] = (ip_address(host),)
        except ValueError:
            addresses = await self._resolve(host)
        if not addresses:
            raise NotResolvedError(f"{host} does not resolve")
        # A single non-public address disqualifies the name: that is how a guard is bypassed.
        if not all(self._rule.permits(address) for address in addresses):
            raise NotPublicError(f"{host} has an address that is not public")
        return addresses[:_MAX_ADDRESSES]
