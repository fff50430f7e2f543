"""Rate limits and cursors for servers with contracts that declare them."""

from __future__ import annotations

import base64
import hmac
import json
from dataclasses import dataclass
from typing import Protocol

from .context import Context
from .problems import Problem


@dataclass(frozen=True, slots=True)
class RateLimitClass:
    """A class of `x-contract-rate-limit`: at most `limit` requests in any window."""

    name: str
    limit: int
    window_seconds: int


@dataclass(frozen=True, slots=True)
class Allowance:
    """The decision of a limiter: remaining requests, and seconds until the limit resets.

    `limit` is the limit itself if it differs from the contract's.
    """

    allowed: bool
    remaining: int
    reset_seconds: int
    limit: int | None = None


class RateLimiter(Protocol):
    """Counts requests."""

    async def take(self, limit: RateLimitClass, context: Context) -> Allowance:
        """Count a request, unless the limit is exhausted."""
        ...


class Cursors:
    """Opaque cursors that are valid for one list only.

    A position is any JSON value; `scope` is everything that identifies the list, such as operation
    and filters.
    """

    def __init__(self, secret: bytes, *, prefix: str = "c1_") -> None:
        self._secret = secret
        self._prefix = prefix

    def encode(self, position: object, *scope: object) -> str:
        """Return the cursor for a position in the list."""
        data = json.dumps(position, separators=(",", ":")).encode()
        text = base64.urlsafe_b64encode(self._seal(data, scope) + data).decode()
        return self._prefix + text.rstrip("=")

    def decode(self, cursor: str, *scope: object) -> object:
        """Return the position of a cursor.

        Raises:
            Problem: the cursor was not encoded for this list.
        """
        text = cursor.removeprefix(self._prefix)
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
        except ValueError:
            raw = b""
        is_ours = hmac.compare_digest(self._seal(raw[8:], scope), raw[:8])
        if not is_ours or not cursor.startswith(self._prefix):
            raise Problem("invalid_cursor", "The cursor does not belong to this list.")
        position: object = json.loads(raw[8:])
        return position

    def _seal(self, data: bytes, scope: tuple[object, ...]) -> bytes:
        text = json.dumps(scope, default=str).encode()
        return hmac.digest(self._secret, text + b"\0" + data, "sha256")[:8]
