"""Requests without valid credentials that are not refused."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.pointer import Pointer


def ignored(name: str, operation: Pointer, exchange: Exchange, how: str) -> Violation:
    """Return the violation for a request that was not refused for its credentials."""
    status = exchange.response.status if exchange.response is not None else "no response"
    message = f"{name} {how}: {status}, not 401"
    cause = "a request without valid credentials is not rejected"
    return Violation(Behaviour.CREDENTIALS_IGNORED, operation, message, (exchange,), cause)
