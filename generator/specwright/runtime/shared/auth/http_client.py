"""Schemes that only an HTTP client supports: TLS certificates, challenges other than Digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from .scheme import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHTTPClient(Scheme):
    """A scheme handled by the caller's HTTP client; a server inspects the request."""

    name: str = ""

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return a scheme for any object of the document."""
        return cls(argument=argument)

    def write(self, credential: object) -> None:
        """Return None: the credential is not a part of the request."""

    def read(self, text: str) -> str:
        """Return an empty credential: the text does not contain it."""
        return ""
