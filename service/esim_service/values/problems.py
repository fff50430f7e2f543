"""Errors of the contract that several rooms answer with."""

from __future__ import annotations

from partner_esim.server import Problem


def unavailable() -> Problem:
    """Make the problem of something that will work again soon."""
    message = "The service cannot do this now. Try again."
    return Problem("unavailable", message, headers={"Retry-After": "1"})
