"""Requests that nobody should be allowed to make."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.pointer import Pointer


def ignored(name: str, operation: Pointer, exchange: Exchange, how: str) -> Violation:
    """Say that a request was not refused for its credentials."""
    status = exchange.response.status if exchange.response is not None else "no answer"
    message = f"{name} {how}: {status}, not 401"
    cause = "a request without valid credentials is not refused"
    return Violation(Behaviour.CREDENTIALS_IGNORED, operation, message, (exchange,), cause)
