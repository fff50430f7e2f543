"""The roles that requests are sent in, each with credentials of its own."""

from __future__ import annotations

# The main key, that of another tenant, one of the same tenant in live mode, one whose rate limits
# may be used up, one without permissions, one without scopes or roles, and no key.
MAIN, OTHER_TENANT, LIVE_MODE = "main", "other_tenant", "live_mode"
LIMITED, SUSPENDED, UNSCOPED, ANONYMOUS = "limited", "suspended", "unscoped", ""
# A key of the right form that was never issued; the main key with its case swapped, with a suffix,
# and under another authentication scheme.
UNKNOWN_KEY, CASE_SWAPPED, SUFFIXED, WRONG_SCHEME = (
    "stranger",
    "other letters",
    "more behind",
    "another scheme",
)
# Requests in these roles must be refused.
STRANGERS = (ANONYMOUS, UNKNOWN_KEY, CASE_SWAPPED, SUFFIXED, WRONG_SCHEME)


def stranger(key: str) -> str:
    """Return a key of the same form that was never issued."""
    return key[:-8] + "".join("0" if character != "0" else "1" for character in key[-8:])


def strangers(key: str) -> dict[str, str]:
    """Return invalid keys that resemble this one, by role."""
    others = {UNKNOWN_KEY: stranger(key), CASE_SWAPPED: key.swapcase(), SUFFIXED: f"{key}0"}
    return {role: each for role, each in others.items() if key and each != key}
