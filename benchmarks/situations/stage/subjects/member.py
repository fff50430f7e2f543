"""A member of an answer: where it stands, and how a caller reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Member:
    """A member of a resource.

    Attributes:
        resource: an answer that the library reads.
        read: asks the server at a URL for the resource, by a client with default options.
        name: the name in JSON.
        attribute: the name in Python.
    """

    resource: dict[str, Any]
    read: Callable[[str], Any]
    name: str
    attribute: str
