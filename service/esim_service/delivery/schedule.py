"""The retry schedule of deliveries, and the effects of attempts on the endpoint."""

from __future__ import annotations

from dataclasses import replace

from partner_esim import webhooks

from ..values.clock import HOUR, SECOND
from ..values.entities import WebhookEndpoint

RETRY_AFTER = tuple(seconds * SECOND for seconds in webhooks.RETRY_AFTER_SECONDS)
ATTEMPTS = 1 + len(RETRY_AFTER)
# A pause may be longer than declared by up to this share, evenly spread, and never shorter:
# deliveries that failed together are not retried together. The contract declares pauses and no
# tolerance: partners may rely on the minimum, but not on the exact second, as an attempt also waits
# for a free place. `specwright test` allows a tenth, so the rest is left for a busy service.
JITTER = 0.05
DISABLE_AFTER = 120 * HOUR
DISABLED_REASON = "deliveries_failing"


def next_attempt(
    attempts: int, failed_at: int, scale: float = 1.0, spread: float = 0.0
) -> int | None:
    """Return the time of the next retry after a number of failures; None if it is exhausted.

    Args:
        scale: a factor for the declared pauses.
        spread: the share of the jitter to use, from 0 to 1.
    """
    if attempts < 1:
        raise ValueError("a delivery is tried again only after it has failed")
    if attempts >= ATTEMPTS:
        return None
    return failed_at + round(RETRY_AFTER[attempts - 1] * scale * (1 + JITTER * spread))


def acknowledged(endpoint: WebhookEndpoint, at: int) -> WebhookEndpoint:
    """Return the endpoint after a success: enabled, with past failures cleared."""
    return replace(
        endpoint,
        status="enabled",
        disabled_reason=None,
        last_success_at=at,
        failing_since=None,
        exhausted=False,
    )


def failed(endpoint: WebhookEndpoint, attempts: int, at: int) -> WebhookEndpoint:
    """Return the endpoint after a delivery's failure number `attempts`.

    It is disabled once nothing has succeeded for 120 hours of failures and a delivery is exhausted.
    """
    since = at if endpoint.failing_since is None else endpoint.failing_since
    exhausted = endpoint.exhausted or next_attempt(attempts, at) is None
    after = replace(endpoint, last_failure_at=at, failing_since=since, exhausted=exhausted)
    if exhausted and at - since >= DISABLE_AFTER:
        return replace(after, status="disabled", disabled_reason=DISABLED_REASON)
    return after
