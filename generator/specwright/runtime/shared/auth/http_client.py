"""What only an HTTP client can do: a certificate for TLS, an answer to a challenge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from .scheme import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHTTPClient(Scheme):
    """A scheme that the caller's HTTP client carries out; a server looks at the request."""

    name: str = ""

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme that an object of the document declares, whatever it is."""
        return cls(argument=argument)

    def write(self, credential: object) -> None:
        """Return None: no part of a request carries it."""

    def read(self, text: str) -> str:
        """Return an empty text, in which nothing is said."""
        return ""
