"""Requests without valid credentials that are not refused."""

from __future__ import annotations

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_status_of
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.pointer import Pointer

CREDENTIALS_IGNORED = BehaviourRule(
    "credentials-ignored",
    BehaviourCategory.AUTHENTICATION,
    (
        "An operation with a security requirement refuses requests without credentials, or with "
        "wrong ones, with status 401."
    ),
    example="GET /invoices without a key -> 200",
    advice=(
        "Check the credentials before the handler runs, with 401 for missing and for wrong ones, "
        "or declare `security: []` if the operation is public."
    ),
    weight=20,
    expected="401",
    judge=judge_status_of(401),
)


def ignored(name: str, operation: Pointer, exchange: Exchange, how: str) -> Violation | None:
    """Return the violation for a request that was not refused for its credentials, if any.

    No response, and a failure of the server, are reported by rules of their own.
    """
    response = exchange.response
    if response is None or response.status >= 500:
        return None
    message = f"{name} {how}: {response.status}, not 401"
    cause = "a request without valid credentials is not rejected"
    return Violation(CREDENTIALS_IGNORED, operation, message, (exchange,), cause)
