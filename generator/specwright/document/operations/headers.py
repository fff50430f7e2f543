"""Names of headers, and the headers that parameters cannot describe."""

from __future__ import annotations

import re

# RFC 9110, 5.6.2.
TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
# Described by media types (OpenAPI 3.1.1, 4.8.12.2).
OF_MEDIA_TYPES = frozenset({"accept", "content-type"})
# Set by HTTP itself, for the message or its connection (RFC 9110, 7.2, 7.6.1, 7.8 and 8.6).
OF_HTTP = frozenset({"connection", "content-length", "host", "transfer-encoding", "upgrade"})


def is_header_name(name: str) -> bool:
    """Return whether a header can have a name (RFC 9110, 5.1)."""
    return re.fullmatch(TOKEN, name) is not None
