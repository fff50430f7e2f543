"""Documents that consist of schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from specwright.document.model import Document
from specwright.document.sources.load import load


def of_schemas(directory: Path, **schemas: Any) -> Document:
    """Return a document of 3.1 with these components."""
    data = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "components": {"schemas": schemas},
    }
    path = directory / "things.json"
    path.write_text(json.dumps(data), "utf-8")
    return load(path)
