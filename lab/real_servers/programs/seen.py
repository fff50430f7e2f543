"""What a program has read, as one line of JSON for each read on standard output."""

from __future__ import annotations

import json
from datetime import date
from enum import Enum
from typing import Any, cast


def see(name: str, value: object) -> None:
    """Print a value that the program has read, with the name of the read."""
    print(json.dumps([name, value], default=plain))


def plain(value: object) -> object:
    """Return a value of an SDK as JSON, with the members that the server sent."""
    given = cast("Any", value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if hasattr(value, "model_dump"):
        return given.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if hasattr(value, "to_dict"):
        return given.to_dict()
    return str(value)
