"""A user and a password in the header `Authorization`."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

from .scheme import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class Basic(Scheme):
    """User and password (RFC 7617); in a variable of the environment with a colon between."""

    value: ClassVar[str] = "tuple[str, str]"
    invalid: ClassVar[object] = ("invalid", "invalid")

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme that an object of the document declares, if it is of this kind."""
        is_basic = str(declared.get("scheme")).lower() == "basic"
        return cls(argument=argument) if declared.get("type") == "http" and is_basic else None

    @property
    def challenge(self) -> str:
        """How a service asks for the credential."""
        return 'Basic realm="api", charset="UTF-8"'

    def parse(self, text: str) -> tuple[str, str]:
        """Return the credential that a variable of the environment holds."""
        user, _, password = text.partition(":")
        return user, password

    def write(self, credential: object) -> str | None:
        """Return the text that is sent; None where no request can carry the credential."""
        if not _is_pair(credential):
            return None
        user, password = cast("tuple[str, str]", credential)
        return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"

    def read(self, text: str) -> tuple[str, str] | None:
        """Return the credential of a text that was sent; None where there is none in it."""
        scheme, _, encoded = text.partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            written = b64decode(encoded.strip(), validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        return self.parse(written) if ":" in written and written.isprintable() else None

    def secrets(self, credential: object) -> tuple[str, ...]:
        """Return the texts by which a report would tell the credential."""
        _, password = cast("tuple[str, str]", credential)
        return password, (self.write(credential) or "").removeprefix("Basic ")


def _is_pair(credential: object) -> bool:
    match credential:
        case (str() as user, str() as password):
            return user.isprintable() and password.isprintable() and ":" not in user
        case _:
            return False
