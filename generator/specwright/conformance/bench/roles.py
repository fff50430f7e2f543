"""Whose credentials a request carries."""

from __future__ import annotations

# The key of most requests, that of another partner, one whose rate limits may be used up, one that
# may do nothing, and none.
MAIN, OTHER, LIMITED, SUSPENDED, NOBODY = "main", "other", "limited", "suspended", ""
# A key of the right form that nobody has; the key of most under a scheme that was not asked for.
STRANGER, MISNAMED = "stranger", "another scheme"
# None of them may do anything.
STRANGERS = (NOBODY, STRANGER, MISNAMED)


def stranger(key: str) -> str:
    """A key of the same form that nobody has."""
    return key[:-8] + "".join("0" if each != "0" else "1" for each in key[-8:])
