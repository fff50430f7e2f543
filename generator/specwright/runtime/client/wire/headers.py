"""Header fields: validation of names and values, merging, and access by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..transport.base import Headers

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_COOKIE = re.compile(r"[!-:<-~]*")
_NOT_IN_VALUES = re.compile(r"[^\t -~\xa0-\xff]")


def is_header_name(text: str) -> bool:
    """Return whether a text is a valid field name (RFC 9110, 5.1)."""
    return _NAME.fullmatch(text) is not None


def is_header_value(text: str) -> bool:
    """Return whether a text is a valid field value that arrives unchanged (RFC 9110, 5.5)."""
    return text == text.strip(" \t") and _NOT_IN_VALUES.search(text) is None


def is_cookie_pair(text: str) -> bool:
    """Return whether a text is valid in the `Cookie` header (RFC 6265, 4.1.1)."""
    return _COOKIE.fullmatch(text) is not None


def merged(first: Headers, second: Headers) -> Headers:
    """Return all fields; the second list replaces fields of the same case-insensitive name."""
    replaced = {name.lower() for name, _ in second}
    return [field for field in first if field[0].lower() not in replaced] + second


class Fields(Mapping[str, str]):
    """Header fields by case-insensitive name; repeated ones are joined by commas."""

    def __init__(self, headers: Headers) -> None:
        self._values: dict[str, str] = {}
        for name, value in headers:
            key = name.lower()
            before = self._values.get(key)
            self._values[key] = value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        """Return the value of a field."""
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        """Yield the names, in lower case."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._values)

    def __repr__(self) -> str:
        # Without the values, which include cookies.
        return f"Fields({sorted(self._values)})"
