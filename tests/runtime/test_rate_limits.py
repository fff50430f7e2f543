"""Rate limits that are read from headers, and headers that are not read."""

from __future__ import annotations

import pytest

from specwright.runtime.client.wire.headers import Fields
from specwright.runtime.client.wire.rate_limits import RateLimit, rate_limit


@pytest.mark.parametrize(
    ("policy", "state", "found"),
    [
        ('"read";q=600;w=60', '"read";r=599;t=12', RateLimit(600, 60, 599, 12)),
        ('"a"; q=5 ; w=1, "b";q=7;w=2', '"a";t=1;r=0', RateLimit(5, 1, 0, 1)),
        (None, '"read";r=3', RateLimit(None, None, 3, None)),
        ('"read";q=many', "nonsense", None),
        (None, None, None),
        ("", "", None),
    ],
)
def test_headers_tell_what_is_left(
    policy: str | None, state: str | None, found: RateLimit | None
) -> None:
    sent = [("RateLimit-Policy", policy), ("ratelimit", state)]
    headers = Fields([(name, text) for name, text in sent if text is not None])
    assert rate_limit(headers, "ratelimit-policy", "RateLimit") == found


def test_what_the_contract_does_not_name_is_not_read() -> None:
    headers = Fields([("RateLimit", '"read";r=3'), ("RateLimit-Policy", '"read";q=3')])
    assert rate_limit(headers, None, None) is None
