"""Short documents for the tests of loading and checking."""

import json
import textwrap
from pathlib import Path
from typing import Any

import yaml

SKELETON: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Test", "version": "1"},
    "paths": {},
}


def whole(part: str) -> dict[str, Any]:
    """A whole document from the part that matters, written in YAML."""
    document = SKELETON | (yaml.safe_load(textwrap.dedent(part)) or {})
    if "swagger" in document:
        del document["openapi"]
    return document


def write(directory: Path, part: str, name: str = "openapi.json") -> Path:
    path = directory / name
    path.write_text(json.dumps(whole(part), indent=2), "utf-8")
    return path
