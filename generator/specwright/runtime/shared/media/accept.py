"""The preference of a client among media types (RFC 9110, 12.5.1)."""

from __future__ import annotations

import re

from .table import essence

# RFC 9110, 12.4.2.
_QUALITY = re.compile(r";\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)


def quality(accept: str, media_type: str) -> float:
    """Return how much a media type is preferred, from 0 to 1; the most specific range counts."""
    weights: dict[str, float] = {}
    for range_ in accept.split(","):
        weight = _QUALITY.search(range_)
        name = range_[: weight.start()] if weight else range_
        weights[_plain(name)] = float(weight[1]) if weight else 1.0
    name = _plain(media_type)
    top = name.partition("/")[0]
    ranges = (name, essence(name), f"{top}/*", "*/*")
    return next((weights[range_] for range_ in ranges if range_ in weights), 0.0)


def _plain(name: str) -> str:
    return name.replace(" ", "").replace("\t", "").lower()
