"""A token in the `Authorization` header: bearer, OpenID Connect, other HTTP schemes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from .scheme import Scheme, is_printable

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]*")
# Basic and Digest have modules of their own; the others respond to a challenge of the service.
_OTHERS = frozenset({"basic", "digest", "hoba", "mutual", "negotiate", "ntlm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(Scheme):
    """A token after the name of its scheme (RFC 9110, 11.4; RFC 6750, 2.1)."""

    scheme: str = "Bearer"

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        if declared.get("type") == "openIdConnect":
            return cls(argument=argument)
        scheme = str(declared.get("scheme"))
        if declared.get("type") != "http" or not _SCHEME.fullmatch(scheme):
            return None
        if scheme.lower() in _OTHERS or scheme.lower().startswith("scram-"):
            return None
        return cls(argument=argument, scheme="Bearer" if scheme.lower() == "bearer" else scheme)

    @property
    def prefix(self) -> str:
        """The name of the scheme, and a space."""
        return f"{self.scheme} "

    @property
    def challenge(self) -> str:
        """The challenge for the credential in `WWW-Authenticate`."""
        return self.scheme

    def write(self, credential: object) -> str | None:
        """Return the text to send; None if the credential cannot be sent in a request."""
        return f"{self.scheme} {credential}" if is_printable(credential) else None

    def read(self, text: str) -> str | None:
        """Return the credential in a received text; None if it has none."""
        scheme, _, token = text.partition(" ")
        return token.strip() or None if scheme.lower() == self.scheme.lower() else None

    def secrets(self, credential: object) -> tuple[str, ...]:
        """Return the texts that would reveal the credential in a report."""
        return (str(credential),)
