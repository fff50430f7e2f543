"""A user name and password in the `Authorization` header."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

from .scheme import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class Basic(Scheme):
    """User name and password (RFC 7617), separated by a colon in an environment variable."""

    alone: ClassVar[str] = "auth"
    value: ClassVar[str] = "tuple[str, str]"
    invalid: ClassVar[object] = ("invalid", "invalid")
    is_pair: ClassVar[bool] = True

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        is_basic = str(declared.get("scheme")).lower() == "basic"
        return cls(argument=argument) if declared.get("type") == "http" and is_basic else None

    @property
    def challenge(self) -> str:
        """The challenge for the credential in `WWW-Authenticate`."""
        return 'Basic realm="api", charset="UTF-8"'

    def parse(self, text: str) -> tuple[str, str]:
        """Return the credential in the text of an environment variable."""
        user, _, password = text.partition(":")
        return user, password

    def write(self, credential: object) -> str | None:
        """Return the text to send; None if the credential cannot be sent in a request."""
        if not _is_pair(credential):
            return None
        user, password = cast("tuple[str, str]", credential)
        return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"

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


def _is_pair(credential: object) -> bool:
    match credential:
        case (str() as user, str() as password):
            return user.isprintable() and password.isprintable() and ":" not in user
        case _:
            return False
