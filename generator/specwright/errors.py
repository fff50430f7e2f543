"""Errors that a user can cause, with the place and the way out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file; line and column count from one."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SpecwrightError(Exception):
    """What was asked for cannot be done; the message needs no traceback to be understood."""

    exit_code = 2

    def __init__(
        self, message: str, location: Location | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        advice = f"\nhint: {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"


class InputError(SpecwrightError):
    """A file that the user gave cannot be used as it is."""
