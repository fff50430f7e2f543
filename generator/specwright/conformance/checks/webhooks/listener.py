"""A receiver of webhooks for developers: it verifies, reports and forwards deliveries."""

from __future__ import annotations

import asyncio
import secrets
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt
from specwright.conformance.checks.webhooks.checks import in_body, signature
from specwright.conformance.checks.webhooks.judge import identify
from specwright.conformance.checks.webhooks.server import Lost, ReceiverServer
from specwright.conformance.checks.webhooks.source import ReceiverOptions
from specwright.conformance.contract.webhooks import SentWebhook
from specwright.extras import LazyLibrary
from specwright.http_messages import Headers
from specwright.text import Text, shorten

if TYPE_CHECKING:
    import httpx2
else:
    httpx2 = LazyLibrary("httpx2")

_TOKEN_BYTES = 24
# The sender should get the response before its own timeout.
_SHARE_OF_TIMEOUT = 0.9
_TIMEOUT_SECONDS = 15.0
# Headers of one connection, which are not forwarded (RFC 9110, 7.6.1).
_HOP = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class Listener:
    """An endpoint within its context; it responds as declared, or as the application does.

    No part of a delivery is parsed before its signature is verified.
    """

    def __init__(
        self,
        webhooks: Sequence[SentWebhook],
        options: ReceiverOptions,
        forward_to: str | None,
        tell: Callable[[str], None],
    ) -> None:
        """Prepare an endpoint.

        Args:
            forward_to: the URL that deliveries are forwarded to, if any.
            tell: called with a line of text about each delivery, from another thread.
        """
        self.webhooks = webhooks
        self._options = options
        self._forward_to = forward_to
        self._tell = tell
        self._secret: Future[str | None] = Future()
        self._token = secrets.token_urlsafe(_TOKEN_BYTES)
        context = options.authority.context if options.authority else None
        self._server = ReceiverServer(options.port, context, self._take, self._note)
        self._trust = ssl.create_default_context()
        self._is_distrusted = False
        deliveries = [webhook.delivery for webhook in webhooks if webhook.delivery is not None]
        self._success = min((delivery.success_statuses[0] for delivery in deliveries), default=200)
        self._seconds = _SHARE_OF_TIMEOUT * min(
            (delivery.timeout_seconds for delivery in deliveries), default=_TIMEOUT_SECONDS
        )
        self._types = [delivery.event_type for delivery in deliveries]
        self._ids = [delivery.event_id for delivery in deliveries]

    def __enter__(self) -> Listener:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        """The URL of the endpoint, which cannot be guessed."""
        return f"{(self._options.public_url or self._server.url).rstrip('/')}/{self._token}"

    def verify_with(self, secret: str | None) -> None:
        """Start to respond; with a secret, deliveries that are not signed with it are refused."""
        self._secret.set_result(secret)

    def _note(self, lost: Lost) -> None:
        if lost is Lost.DISTRUSTED and self._options.authority and not self._is_distrusted:
            self._is_distrusted = True
            file = self._options.authority.file
            self._tell(
                f"A connection ended before the TLS handshake was complete: does it trust {file}?"
            )

    async def _take(
        self, method: str, target: str, headers: Headers, body: bytes, is_cut: bool
    ) -> DeliveryAttempt | None:
        if target.partition("?")[0].rpartition("/")[2] != self._token:
            return None
        attempt = DeliveryAttempt(
            endpoint=self.url,
            method=method,
            url=self.url,
            headers=headers,
            body=body,
            is_cut=is_cut,
            is_redirected=False,
            received_at=time.time(),
            fault=None,
            status=None,
        )
        status, *words = await self._answer(attempt)
        line = (time.strftime("%H:%M:%S"), str(status), *map(shorten, filter(None, words)))
        self._tell("  ".join(line))
        return replace(attempt, status=status)

    async def _answer(
        self, attempt: DeliveryAttempt
    ) -> tuple[int, str] | tuple[int, str, str, str]:
        """Return the status of the response, type and id of a genuine event, and a note."""
        if attempt.method.upper() not in {webhook.method.upper() for webhook in self.webhooks}:
            return 405, "not a delivery"
        if attempt.is_cut:
            return 413, f"more than {len(attempt.body):,} bytes"
        # A cancelled connection must not cancel the secret that others wait for.
        secret = await asyncio.shield(asyncio.wrap_future(self._secret))
        problem, note = self._verified(attempt, secret)
        if problem:
            return 400, f"refused: {problem}"
        status = self._success
        if self._forward_to is not None:
            status, went = await self._forward(self._forward_to, attempt)
            note = ", ".join(filter(None, (note, went)))
        type_, event = identify(self.webhooks)(attempt.headers)
        return status, _first(attempt, self._types, type_), _first(attempt, self._ids, event), note

    def _verified(self, attempt: DeliveryAttempt, secret: str | None) -> tuple[str, str]:
        """Return the problem of the signature, if any, and a note."""
        # The webhook is named in the body, which is not trusted yet.
        signed = {
            (webhook.scheme, webhook.signature.tolerance_seconds): webhook
            for webhook in self.webhooks
            if webhook.scheme is not None and webhook.signature is not None
        }
        is_signed = any(attempt.values(scheme.header) for scheme, _ in signed)
        may_be_plain = any(webhook.scheme is None for webhook in self.webhooks)
        if secret is None or (may_be_plain and not is_signed):
            return "", "not verified"
        problems = [next(signature(webhook, attempt, secret), "") for webhook in signed.values()]
        return min(problems, key=bool), ""

    async def _forward(self, url: str, attempt: DeliveryAttempt) -> tuple[int, str]:
        """Forward a delivery unchanged; return the status of the response and a description."""
        headers = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in attempt.headers
            if name.lower() not in _HOP
        ]
        place, started = urlsplit(url).netloc, time.monotonic()
        try:
            async with (
                asyncio.timeout(self._seconds),
                httpx2.AsyncClient(verify=self._trust, trust_env=False, timeout=None) as client,
                client.stream(
                    attempt.method, url, headers=headers, content=attempt.body
                ) as response,
            ):
                status = response.status_code
        except (httpx2.RequestError, TimeoutError) as error:
            return 502, f"not forwarded: {type(error).__name__}"
        if not 200 <= status < 600:
            return 502, f"not forwarded: {place} responded with {status}"
        return status, f"from {place} in {round((time.monotonic() - started) * 1000)} ms"


def _first(attempt: DeliveryAttempt, places: Iterable[Text | None], otherwise: str) -> str:
    """Return the first text found at one of the pointers in the body."""
    values = (in_body(attempt, place.raw) for place in places if place is not None)
    return next((value for value in values if value is not None), otherwise)
