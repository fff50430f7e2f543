"""An API key in a header, in the query or in a cookie."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .scheme import Scheme, is_printable

_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# RFC 6265, 4.1.1.
_NOT_IN_COOKIES = re.compile(r'[ ",;\\]')


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Scheme):
    """An API key, sent as it is."""

    alone: ClassVar[str] = "api_key"

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        name = str(declared.get("name"))
        match declared.get("type"), declared.get("in"):
            case "apiKey", ("header" | "cookie") as location if _FIELD.fullmatch(name):
                return cls(argument=argument, location=location, name=name)
            case "apiKey", "query":
                return cls(argument=argument, location="query", name=name)
            case _:
                return None

    @property
    def prefix(self) -> str:
        """The text before the key: none."""
        return ""

    @property
    def challenge(self) -> str:
        """The challenge for the credential in `WWW-Authenticate`."""
        return "ApiKey"

    def write(self, credential: object) -> str | None:
        """Return the text to send; None if the credential cannot be sent in a request."""
        if not is_printable(credential):
            return None
        text = str(credential)
        return None if self.location == "cookie" and _NOT_IN_COOKIES.search(text) else text

    def read(self, text: str) -> str | None:
        """Return the credential in a received text; None if it has none."""
        return text or None
