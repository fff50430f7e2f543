"""The remaining rate limit, from the headers of a response."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_INTEGER = re.compile(r";\s*([a-z]+)=([0-9]{1,15})(?=\s*(?:;|,|$))")


@dataclass(frozen=True, slots=True)
class RateLimit:
    """The rate limit of a request; None for values missing from the response.

    Attributes:
        limit: maximum requests in any window.
        window_seconds: length of the window.
        remaining: requests left now.
        reset_seconds: seconds until more are available.
    """

    limit: int | None
    window_seconds: int | None
    remaining: int | None
    reset_seconds: int | None


def rate_limit(
    headers: Mapping[str, str], policy: str | None, state: str | None
) -> RateLimit | None:
    """Parse the first limit of `RateLimit-Policy` and `RateLimit` (IETF draft, RateLimit headers).

    Args:
        policy: name of the header with the limit; None if the contract has none.
        state: name of the header with the remaining requests; None if the contract has none.
    """
    limit, left = _parameters(headers, policy), _parameters(headers, state)
    if not limit and not left:
        return None
    return RateLimit(limit.get("q"), limit.get("w"), left.get("r"), left.get("t"))


def _parameters(headers: Mapping[str, str], name: str | None) -> dict[str, int]:
    first = (headers.get(name) or "").partition(",")[0] if name else ""
    return {key: int(digits) for key, digits in _INTEGER.findall(first)}
