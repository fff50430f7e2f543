"""Exceptions that can be pickled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import JsonValue


class PicklableError(Exception):
    """An exception that keeps its attributes when copied or pickled, with any constructor."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the class, message and attributes."""
        return _made, (type(self), self.args), self.__dict__


class InvalidEventError(PicklableError):
    """The delivery is genuine, but its body is not the event that the contract declares.

    Attributes:
        body: the bytes as received; the message contains none of their values.
    """

    def __init__(self, message: str, body: bytes) -> None:
        super().__init__(message)
        self.body = body

    @property
    def event(self) -> JsonValue:
        """The body as JSON; None if it is not valid JSON."""
        try:
            event: JsonValue = json.loads(self.body)
        except (ValueError, RecursionError):
            return None
        return event


def _made(kind: type[PicklableError], args: Sequence[object]) -> PicklableError:
    return kind.__new__(kind, *args)
