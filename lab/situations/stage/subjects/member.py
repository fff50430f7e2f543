"""A member of a response: its place, and the way a caller reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Member:
    """A member of a resource.

    Attributes:
        resource: a response that the library reads.
        read: gets the resource from the server at a URL, with a client with default options.
        name: the name in JSON.
        attribute: the name in Python.
    """

    resource: dict[str, Any]
    read: Callable[[str], Any]
    name: str
    attribute: str
