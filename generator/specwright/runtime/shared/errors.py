"""Exceptions that can go to another process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class PicklableError(Exception):
    """An exception whose copies and pickles have its attributes, whatever its constructor takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return its class, message and attributes."""
        return _made, (type(self), self.args), self.__dict__


def _made(kind: type[PicklableError], args: Sequence[object]) -> PicklableError:
    return kind.__new__(kind, *args)
