"""Errors of the contract that several packages respond with."""

from __future__ import annotations

from partner_esim.server import Problem


def unavailable() -> Problem:
    """Return the problem of a temporary failure."""
    message = "The service is temporarily unavailable. Retry the request."
    return Problem("unavailable", message, headers={"Retry-After": "1"})
