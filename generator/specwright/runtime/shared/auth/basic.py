"""A user name and password in the `Authorization` header."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

from .user import User, user_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Basic(User):
    """User name and password as they are (RFC 7617)."""

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        is_basic = str(declared.get("scheme")).lower() == "basic"
        return cls(argument=argument) if declared.get("type") == "http" and is_basic else None

    @property
    def challenge(self) -> str:
        """The challenge for the credential in `WWW-Authenticate`."""
        return 'Basic realm="api", charset="UTF-8"'

    def write(self, credential: object) -> str | None:
        """Return the text to send; None if the credential cannot be sent in a request."""
        pair = user_of(credential)
        return pair and f"Basic {b64encode(':'.join(pair).encode()).decode()}"

    def read(self, text: str) -> tuple[str, str] | None:
        """Return the credential in a received text; None if it has none."""
        scheme, _, encoded = text.partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            written = b64decode(encoded.strip(), validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        return self.parse(written) if ":" in written and written.isprintable() else None

    def secrets(self, credential: object) -> tuple[str, ...]:
        """Return the texts that would reveal the credential in a report."""
        _, password = cast("tuple[str, str]", credential)
        return password, (self.write(credential) or "").removeprefix("Basic ")
