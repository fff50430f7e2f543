"""Exceptions that can go to another process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import JsonValue


class PicklableError(Exception):
    """An exception whose copies and pickles have its attributes, whatever its constructor takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return its class, message and attributes."""
        return _made, (type(self), self.args), self.__dict__


class InvalidEventError(PicklableError):
    """The delivery is genuine, and its body is not the event that the contract describes.

    Attributes:
        body: the bytes as they came; the message holds no value of them.
    """

    def __init__(self, message: str, body: bytes) -> None:
        super().__init__(message)
        self.body = body

    @property
    def event(self) -> JsonValue:
        """The body as JSON; None when it is not JSON."""
        try:
            event: JsonValue = json.loads(self.body)
        except (ValueError, RecursionError):
            return None
        return event


def _made(kind: type[PicklableError], args: Sequence[object]) -> PicklableError:
    return kind.__new__(kind, *args)
