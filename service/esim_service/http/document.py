"""The API's own document, served at `GET {base_url}/openapi.json`, and its reference page."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from importlib import resources
from typing import Any

_DATA = resources.files("esim_service") / "data"
FILE = _DATA / "openapi.json"
# The document for the download; a page of the toolkit has it as raw DEFLATE in Base64.
_DOWNLOAD = re.compile(r'(?<= id="document" data-name="openapi\.json">)[^<]*')


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


def reference_page(base_url: str) -> bytes:
    """Return the reference page, with the base URL of this service in place of the default."""
    default = load()["servers"][0]["variables"]["base_url"]["default"]
    page = (_DATA / "reference.html").read_text("utf-8")
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    compressed = compressor.compress(render(base_url)) + compressor.flush()
    download = base64.b64encode(compressed).decode()
    return _DOWNLOAD.sub(download, page.replace(default, html.escape(base_url))).encode()
