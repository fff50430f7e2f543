"""The constructs that a document uses, found by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

CONSTRUCTS: Mapping[str, str] = {
    "OpenAPI 3.0": r"""['"]?openapi['"]?:\s*['"]?3\.0""",
    "OpenAPI 3.1": r"""['"]?openapi['"]?:\s*['"]?3\.1""",
    "forms": r"application/x-www-form-urlencoded",
    "forms with files": r"multipart/form-data",
    "server-sent events": r"text/event-stream",
    "items in lines": r"(ndjson|jsonl|json-seq|stream\+json)",
    "bytes": r"application/(octet-stream|pdf|zip)|(image|audio|video)/",
    "basic authentication": r"""['"]?scheme['"]?:\s*['"]?basic""",
    "OAuth 2.0 or OpenID Connect": r"""['"]?type['"]?:\s*['"]?(oauth2|openIdConnect)""",
    "keys in the query or a cookie": (
        r"""(?s)['"]?type['"]?:\s*['"]?apiKey.{0,200}['"]?in['"]?:\s*['"]?(query|cookie)"""
    ),
    "objects in the query": r"deepObject",
    "discriminators": r"""['"]?discriminator['"]?:""",
    "webhooks or callbacks": r"""(?m)^\s*['"]?(webhooks|callbacks)['"]?:""",
    "media types of other JSON": r"application/[\w.-]+\+json",
}


def constructs(document: Path) -> tuple[str, ...]:
    """Return the names of the constructs that a document uses."""
    text = document.read_text("utf-8", "replace")
    return tuple(name for name, form in CONSTRUCTS.items() if re.search(form, text))
