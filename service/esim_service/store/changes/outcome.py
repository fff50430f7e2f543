"""The outcome of one of several operations that run together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Outcome(Generic[T]):
    """A result, or the error that was raised instead."""

    result: T | None = None
    error: Exception | None = None
