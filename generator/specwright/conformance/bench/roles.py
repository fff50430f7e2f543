"""Whose credentials a request carries."""

from __future__ import annotations

# The key of most requests, that of another partner, one of the same partner in the other mode, one
# whose rate limits may be used up, one that may do nothing, and none.
MAIN, OTHER, OTHER_MODE = "main", "other", "other_mode"
LIMITED, SUSPENDED, NOBODY = "limited", "suspended", ""
# A key of the right form that nobody has; the key of most in other letters, with more behind it,
# and under a scheme that was not asked for.
STRANGER, FOLDED, LONGER, MISNAMED = "stranger", "other letters", "more behind", "another scheme"
# None of them may do anything.
STRANGERS = (NOBODY, STRANGER, FOLDED, LONGER, MISNAMED)


def stranger(key: str) -> str:
    """A key of the same form that nobody has."""
    return key[:-8] + "".join("0" if each != "0" else "1" for each in key[-8:])


def strangers(key: str) -> dict[str, str]:
    """Keys that are almost this one, by role; nobody has them."""
    others = {STRANGER: stranger(key), FOLDED: key.swapcase(), LONGER: f"{key}0"}
    return {role: each for role, each in others.items() if key and each != key}
