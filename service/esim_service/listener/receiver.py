"""Answers deliveries of webhooks: verifies them, tells of them, passes them on when asked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpcore2
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from partner_esim import webhooks

MAX_BYTES = 1024 * 1024
# The service waits for 15 seconds, and should hear how it went.
FORWARD_SECONDS = webhooks.TIMEOUT_SECONDS - 1.0
_PASSED_ON = (
    "Content-Type",
    webhooks.EVENT_ID_HEADER,
    webhooks.EVENT_TYPE_HEADER,
    webhooks.SIGNATURE_HEADER,
)
_FAILURES = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    OSError,
    TimeoutError,
)


@dataclass(frozen=True, slots=True)
class Received:
    """A delivery, as it is told of.

    Attributes:
        event_id, event_type: None when it is not genuine.
        status: what it was answered.
        note: what else there is to say.
    """

    event_id: str | None
    event_type: str | None
    status: int
    note: str


class Receiver:
    """Answers 204 to what is genuine, or what the application answers that it is passed on to."""

    def __init__(
        self, secret: str, tell: Callable[[Received], None], forward_to: str | None = None
    ) -> None:
        self._secret = secret
        self._tell = tell
        self._forward_to = forward_to
        self._pool = httpcore2.AsyncConnectionPool()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            received = await self._take(request)
        except ClientDisconnect:
            return
        self._tell(received)
        await Response(status_code=received.status)(scope, receive, send)

    async def aclose(self) -> None:
        """Let connections go."""
        await self._pool.aclose()

    async def _take(self, request: Request) -> Received:
        if request.method != "POST":
            return Received(None, None, 405, "not a delivery")
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BYTES:
                return Received(None, None, 413, f"more than {MAX_BYTES} bytes")
        header = request.headers.get(webhooks.SIGNATURE_HEADER)
        try:
            webhooks.verify(body, header, self._secret)
        except webhooks.SignatureError as error:
            return Received(None, None, 400, f"refused: {error}")
        event_id, event_type = _named(body)
        if self._forward_to is None:
            return Received(event_id, event_type, 204, "")
        status, note = await self._forward(self._forward_to, body, request)
        return Received(event_id, event_type, status, note)

    async def _forward(self, url: str, body: bytes, request: Request) -> tuple[int, str]:
        """Pass a delivery on as it came; return what to answer, and how it went."""
        headers = [
            (name.encode(), request.headers[name].encode("latin-1"))
            for name in _PASSED_ON
            if name in request.headers
        ]
        started = time.monotonic()
        try:
            async with (
                asyncio.timeout(FORWARD_SECONDS),
                self._pool.stream("POST", url, headers=headers, content=body) as answer,
            ):
                status = answer.status
        except _FAILURES as error:
            return 502, f"not passed on: {type(error).__name__}"
        if not 200 <= status < 600:
            return 502, f"not passed on: {urlsplit(url).netloc} answered {status}"
        took = round((time.monotonic() - started) * 1000)
        return status, f"from {urlsplit(url).netloc} in {took} ms"


def _named(body: bytes) -> tuple[str, str]:
    """Return id and type of an event that is genuine, as far as it has them."""
    try:
        event = json.loads(body)
        return str(event["id"]), str(event["type"])
    except (ValueError, LookupError, TypeError):
        return "?", "?"
