"""One attempt to deliver one event to one endpoint."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import httpcore2

from partner_esim import webhooks

from ..values.clock import SECOND, Clock
from .addresses import AddressRule
from .dialer import GuardedBackend, NotPublicError, NotResolvedError
from .guard import RefusedUrl, parse
from .pools import IDLE_SECONDS, Pools
from .resolver import Resolve

RESPONSE_BYTES = 16 * 1024
_IDLE_CONNECTIONS = 8


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """The data to send, the frozen bytes of an event, and its destination.

    Attributes:
        secret: signs each attempt; never shown.
    """

    url: str
    secret: str = field(repr=False)
    event_id: str
    event_type: str
    body: bytes = field(repr=False)


class FailureReason(StrEnum):
    """The reason an attempt failed."""

    REFUSED_ADDRESS = "refused_address"
    NOT_RESOLVED = "not_resolved"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol"
    STATUS = "status"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The response had a status that the contract counts as success."""

    status: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The event counts as not delivered; `status` is that of the response, if any."""

    reason: FailureReason
    status: int | None = None


AttemptOutcome: TypeAlias = Acknowledged | Failed

# The first matching class decides, so subclasses come before their bases.
_REASONS: tuple[tuple[type[Exception], FailureReason], ...] = (
    (NotPublicError, FailureReason.REFUSED_ADDRESS),
    (NotResolvedError, FailureReason.NOT_RESOLVED),
    (httpcore2.TimeoutException, FailureReason.TIMEOUT),
    (httpcore2.ConnectError, FailureReason.CONNECT),
    (httpcore2.NetworkError, FailureReason.DISCONNECTED),
    (httpcore2.ProtocolError, FailureReason.PROTOCOL),
)


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """The time limits of an attempt; the defaults are the contract's values."""

    connect_seconds: float = webhooks.CONNECT_TIMEOUT_SECONDS
    total_seconds: float = webhooks.TIMEOUT_SECONDS


class _Trust(ssl.SSLContext):
    """The system's CAs, and those of a file, loaded at the first connection once it exists."""

    ca_file: Path | None = None

    def wrap_bio(self, *args: Any, **options: Any) -> ssl.SSLObject:
        if self.ca_file is not None:
            with suppress(OSError):
                self.load_verify_locations(self.ca_file)
                self.ca_file = None
        return super().wrap_bio(*args, **options)


def trust(ca_file: Path | None = None) -> ssl.SSLContext:
    """Return an SSL context that trusts the system's CAs and those of a file."""
    context = _Trust(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_flags = ssl.create_default_context().verify_flags
    context.load_default_certs()
    context.ca_file = ca_file
    return context


class Sender:
    """Sends messages over pooled connections to permitted addresses only.

    It has no redirects, proxies or cookies, as nothing here implements them, and responses are not
    decompressed.
    """

    def __init__(
        self,
        clock: Clock,
        rule: AddressRule,
        resolve: Resolve,
        context: ssl.SSLContext,
        limits: AttemptLimits | None = None,
    ) -> None:
        self._clock = clock
        self._limits = limits or AttemptLimits()
        self._pools = Pools(
            partial(
                httpcore2.AsyncConnectionPool,
                ssl_context=context,
                # The caller limits the requests in flight: none must wait for a connection.
                max_connections=None,
                max_keepalive_connections=_IDLE_CONNECTIONS,
                keepalive_expiry=IDLE_SECONDS,
                network_backend=GuardedBackend(rule, resolve),
            )
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pools.aclose()

    async def send(self, message: WebhookMessage) -> AttemptOutcome:
        """Make one attempt; any behaviour of the receiver results in an outcome."""
        try:
            request = self._request(message)
        except RefusedUrl:
            return Failed(FailureReason.REFUSED_ADDRESS)
        status: int | None = None
        try:
            async with (
                asyncio.timeout(self._limits.total_seconds),
                self._pools.of(str(request.url.origin)) as pool,
            ):
                response = await pool.handle_async_request(request)
                status = response.status
                try:
                    await _drain(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            failure = FailureReason.TIMEOUT
        except Exception as error:
            known = _reason(error)
            if known is None:
                raise
            failure = known
        else:
            failure = FailureReason.STATUS
        # Once there is a status it decides, even if reading the body failed.
        if status is None:
            return Failed(failure)
        if status in webhooks.SUCCESS_STATUSES:
            return Acknowledged(status)
        return Failed(FailureReason.STATUS, status)

    def _request(self, message: WebhookMessage) -> httpcore2.Request:
        target = parse(message.url)
        timestamp = self._clock.now() // SECOND
        host = f"[{target.host}]" if ":" in target.host else target.host
        headers = (
            ("Host", host if target.port == 443 else f"{host}:{target.port}"),
            ("User-Agent", "esim-service"),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(message.body))),
            (webhooks.EVENT_ID_HEADER, message.event_id),
            (webhooks.EVENT_TYPE_HEADER, message.event_type),
            (
                webhooks.SIGNATURE_HEADER,
                webhooks.sign(message.body, message.secret, timestamp=timestamp),
            ),
        )
        return httpcore2.Request(
            "POST",
            httpcore2.URL(
                scheme=b"https",
                host=target.host.encode("ascii"),
                port=target.port,
                target=target.target.encode("ascii"),
            ),
            headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in headers],
            content=message.body,
            extensions={
                "timeout": {"connect": self._limits.connect_seconds},
                # The name in the certificate, without the dot that ends an absolute name.
                "sni_hostname": target.host.removesuffix("."),
            },
        )


async def _drain(response: httpcore2.Response) -> None:
    """Read a short response to its end, so that the connection can be reused."""
    read = 0
    async for chunk in response.aiter_stream():
        read += len(chunk)
        if read > RESPONSE_BYTES:
            return


def _reason(error: Exception) -> FailureReason | None:
    if isinstance(error, httpcore2.ConnectError) and _is_tls(error):
        return FailureReason.TLS
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    return None


def _is_tls(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
