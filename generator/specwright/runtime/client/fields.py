"""Which texts a header field can carry (RFC 9110, 5.1 and 5.5)."""

from __future__ import annotations

import re

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_VALUES = re.compile(r"[^\t -~\xa0-\xff]")


def is_field_name(text: str) -> bool:
    """Tell whether a field can have this name."""
    return _NAME.fullmatch(text) is not None


def is_field_value(text: str) -> bool:
    """Tell whether a field can have this value, and whoever receives it the same one."""
    return text == text.strip(" \t") and _NOT_IN_VALUES.search(text) is None
