"""The API's own document, served at `GET {base_url}/openapi.json`."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

FILE = resources.files("esim_service") / "data" / "openapi.json"


def load(base_url: str | None = None) -> dict[str, Any]:
    """Return the document, with the base URL of this service as its server if one is given."""
    document: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    if base_url is not None:
        for server in document["servers"]:
            server["variables"]["base_url"]["default"] = base_url
    return document


def render(base_url: str) -> bytes:
    """Return the document as bytes, with the base URL of this service as its server."""
    return json.dumps(load(base_url), ensure_ascii=False, separators=(",", ":")).encode()
