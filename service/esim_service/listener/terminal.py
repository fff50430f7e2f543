"""What came over the network, as a terminal may show it."""

from __future__ import annotations

import time

from .receiver import Received

_LONGEST = 300


def line(received: Received) -> str:
    """Return the line that tells of a delivery."""
    told = (received.event_type, received.event_id, received.note)
    return "  ".join(
        (time.strftime("%H:%M:%S"), str(received.status), *map(visible, filter(None, told)))
    )


def visible(text: str) -> str:
    """Return a text without characters that a terminal would act on."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in short)
