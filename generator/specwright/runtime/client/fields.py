"""Header fields: which texts they can carry, and which of two of one name counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .transport import Headers

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_COOKIE = re.compile(r"[!-:<-~]*")
_NOT_IN_VALUES = re.compile(r"[^\t -~\xa0-\xff]")


def is_field_name(text: str) -> bool:
    """Tell whether a field can have this name (RFC 9110, 5.1)."""
    return _NAME.fullmatch(text) is not None


def is_field_value(text: str) -> bool:
    """Tell whether a field can have this value (RFC 9110, 5.5), and its receiver the same one."""
    return text == text.strip(" \t") and _NOT_IN_VALUES.search(text) is None


def is_cookie_pair(text: str) -> bool:
    """Tell whether a text can stand in the field `Cookie` (RFC 6265, 4.1.1)."""
    return _COOKIE.fullmatch(text) is not None


def merged(first: Headers, second: Headers) -> Headers:
    """Return all fields; one of the second replaces those of its name, in whatever case."""
    replaced = {name.lower() for name, _ in second}
    return [field for field in first if field[0].lower() not in replaced] + second


class Fields(Mapping[str, str]):
    """Header fields by name, in whatever case; several of one name are joined by commas."""

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
        # Without the values: cookies are among them.
        return f"Fields({sorted(self._values)})"
