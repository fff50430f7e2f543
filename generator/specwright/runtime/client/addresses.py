"""Addresses to which paths can be added."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_PRINTED = re.compile("[!-~]+")


def host_of(url: str) -> str | None:
    """Return host and port of an HTTP address; None where it is none that requests can go to."""
    try:
        parts = urlsplit(url)
        is_usable = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and parts.port != 0
            and not (parts.query or parts.fragment or "@" in parts.netloc)
        )
    except ValueError:
        return None
    return parts.netloc if is_usable and _PRINTED.fullmatch(url) else None
