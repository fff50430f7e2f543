"""The number of requests that are allowed in a period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import SERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, declared, lowered, raised, replaced
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Limits, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitClassContract:
    """The number of requests that are allowed in a period."""

    limit: Annotated[
        Positive, ChangePolicy(lowered, Subject.LIMIT), "Requests allowed in any window."
    ]
    window_seconds: Annotated[
        Positive, ChangePolicy(raised, Subject.LIMIT), "Length of the sliding window in seconds."
    ]
    scope: Annotated[
        Name,
        ChangePolicy(replaced),
        "The scope in which requests are counted, for example `key` for each API key.",
    ]


# A header that does not exist is absent; null is not a name.
_Header = Annotated[Name | None, Limits(type="string"), Names(Target.RESPONSE_HEADER)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitHeaders:
    """The names of the response headers."""

    policy: Annotated[
        _Header, "Carries the limit and the window (`RateLimit-Policy` of the IETF draft)."
    ] = None
    state: Annotated[
        _Header,
        "Carries the remaining requests and the time to the reset (`RateLimit` of the IETF draft).",
    ] = None
    retry: Annotated[_Header, "Carries the seconds to wait once the limit is used up."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """The rate limit classes, and the response headers that report them."""

    classes: Annotated[
        Mapping[Name, RateLimitClassContract], Limits(minProperties=1), "The classes by name."
    ]
    headers: RateLimitHeaders = RateLimitHeaders()


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitContract:
    """The rate limit class that the operation counts against."""

    class_: Annotated[Name, Names(Target.RATE_LIMIT_CLASS), "A class that the document declares."]


RATE_LIMITS = Keyword[RateLimits](
    "x-contract-rate-limit",
    (Place.DOCUMENT,),
    RateLimits,
    {
        "classes": {"read": {"limit": 600, "window_seconds": 60, "scope": "key"}},
        "headers": {"retry": "Retry-After"},
    },
)
RATE_LIMIT = Keyword[RateLimitContract](
    "x-contract-rate-limit",
    (Place.OPERATION,),
    Annotated[RateLimitContract, ChangePolicy(declared)],
    {"class": "read"},
    SERVED,
)
