"""A key in a header, in the query or in a cookie."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from .scheme import Scheme, is_printable

_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# RFC 6265, 4.1.1.
_NOT_IN_COOKIES = re.compile(r'[ ",;\\]')


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Scheme):
    """A key as it is."""

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme that an object of the document declares, if it is of this kind."""
        name = str(declared.get("name"))
        match declared.get("type"), declared.get("in"):
            case "apiKey", ("header" | "cookie") as location if _FIELD.fullmatch(name):
                return cls(argument=argument, location=location, name=name)
            case "apiKey", "query":
                return cls(argument=argument, location="query", name=name)
            case _:
                return None

    @property
    def challenge(self) -> str:
        """How a service asks for the credential."""
        return "ApiKey"

    def write(self, credential: object) -> str | None:
        """Return the text that is sent; None where no request can carry the credential."""
        if not is_printable(credential):
            return None
        text = str(credential)
        return None if self.location == "cookie" and _NOT_IN_COOKIES.search(text) else text

    def read(self, text: str) -> str | None:
        """Return the credential of a text that was sent; None where there is none in it."""
        return text or None
