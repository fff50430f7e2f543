"""The one bug that the ticket system has: TICKET_BUG names it."""

import os

ENVIRONMENT = "TICKET_BUG"


def has(name: str) -> bool:
    """Whether the ticket system has this bug."""
    return os.environ.get(ENVIRONMENT) == name
