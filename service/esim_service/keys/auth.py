"""API keys: their form, what is kept of them, and whom they stand for."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Protocol

from starlette.requests import Request

from ..store.changes.database import UnavailableError
from ..values.entities import Mode, Principal
from ..values.problems import unavailable

_PREFIXES: dict[Mode, str] = {"test": "pes_test_", "live": "pes_live_"}
_SECRET = re.compile(r"[0-9a-f]{48}")
_SECRET_BYTES = 24


class KeyRing(Protocol):
    """Finds keys by what is kept of them."""

    async def find(self, digest: bytes) -> Principal | None:
        """Return whom the key with this digest stands for; None when no key in force has it."""
        ...


def digest(text: str) -> bytes:
    """Return what is kept of a key; it has 192 random bits, so that it needs no slow hash."""
    return hashlib.sha256(text.encode()).digest()


def new_key(mode: Mode) -> str:
    """Return the text of a new key."""
    return _PREFIXES[mode] + secrets.token_hex(_SECRET_BYTES)


def mode_of(text: str) -> Mode | None:
    """Return the mode that a key says, or None when it does not have the form of a key."""
    for mode, prefix in _PREFIXES.items():
        if text.startswith(prefix) and _SECRET.fullmatch(text, len(prefix)):
            return mode
    return None


class Authenticator:
    """Turns the credential of a request into its principal."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys

    async def __call__(self, credential: str, request: Request) -> Principal | None:
        """Return who sends a request; None for a key that is malformed, unknown, revoked
        or expired.

        Raises:
            Problem: keys cannot be looked up now.
        """
        mode = mode_of(credential)
        if mode is None:
            return None
        # Only digests are ever compared, so that the time it takes tells nothing about a key.
        try:
            principal = await self._keys.find(digest(credential))
        except UnavailableError:
            raise unavailable() from None
        # For the log of requests.
        request.state.principal = principal
        return principal if principal is not None and principal.scope.mode == mode else None
