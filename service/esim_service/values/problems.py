"""Errors of the contract that several packages respond with."""

from __future__ import annotations

from partner_esim.server import Problem


def unavailable() -> Problem:
    """Return the problem of a temporary failure."""
    message = "The service cannot do this now. Try again."
    return Problem("unavailable", message, headers={"Retry-After": "1"})
