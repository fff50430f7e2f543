"""API keys: their format, their digests, and their principals."""

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
    """Finds the principals of keys by digest."""

    async def find(self, digest: bytes) -> Principal | None:
        """Return the principal of the key with this digest; None if no valid key has it."""
        ...


def digest(text: str) -> bytes:
    """Return the digest of a key; with 192 random bits, it needs no slow hash."""
    return hashlib.sha256(text.encode()).digest()


def new_key(mode: Mode) -> str:
    """Return the text of a new key."""
    return _PREFIXES[mode] + secrets.token_hex(_SECRET_BYTES)


def mode_of(text: str) -> Mode | None:
    """Return the mode in the prefix of a key, or None if it is malformed."""
    for mode, prefix in _PREFIXES.items():
        if text.startswith(prefix) and _SECRET.fullmatch(text, len(prefix)):
            return mode
    return None


class Authenticator:
    """Resolves the credential of a request to its principal."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys

    async def __call__(self, credential: str, request: Request) -> Principal | None:
        """Return the sender of a request; None for a key that is malformed, unknown, revoked
        or expired.

        Raises:
            Problem: keys cannot be looked up now.
        """
        mode = mode_of(credential)
        if mode is None:
            return None
        # Only digests are compared, so that timing reveals nothing about a key.
        try:
            principal = await self._keys.find(digest(credential))
        except UnavailableError:
            raise unavailable() from None
        # For the request log.
        request.state.principal = principal
        return principal if principal is not None and principal.scope.mode == mode else None
