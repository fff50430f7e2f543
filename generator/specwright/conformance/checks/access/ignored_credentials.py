"""Requests without valid credentials that are not refused."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.pointer import Pointer


def ignored(name: str, operation: Pointer, exchange: Exchange, how: str) -> Violation | None:
    """Return the violation for a request that was not refused for its credentials, if any.

    No response, and a failure of the server, are reported by rules of their own.
    """
    response = exchange.response
    if response is None or response.status >= 500:
        return None
    message = f"{name} {how}: {response.status}, not 401"
    cause = "a request without valid credentials is not rejected"
    return Violation(Behaviour.CREDENTIALS_IGNORED, operation, message, (exchange,), cause)
