"""Errors that a user can cause, with a location and a hint."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

# The exit code of a command that was interrupted, as shells give it for SIGINT.
INTERRUPTED = 130
# The message where the interpreter itself gives up.
TOO_LARGE = "the document is nested too deeply, or too large"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file; line and column are counted from one."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SpecwrightError(Exception):
    """An error that stops a command; its message is clear without a traceback."""

    exit_code = 2

    def __init__(
        self,
        message: str,
        location: Location | None = None,
        hint: str | None = None,
        details: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint
        self.details = tuple(details)

    @property
    def lines(self) -> tuple[str, ...]:
        """The location and the message, its details, and the hint."""
        place = f"{self.location}: " if self.location else ""
        advice = (f"hint: {self.hint}",) if self.hint else ()
        return f"{place}{self.message}", *self.details, *advice

    def __str__(self) -> str:
        return "\n".join(self.lines)


class InputError(SpecwrightError):
    """A file that the user gave cannot be used as it is."""


class UnreadableError(InputError):
    """A file to which another one refers cannot be read, for example because it is missing."""

    def __init__(self, file: str, message: str, location: Location, hint: str) -> None:
        super().__init__(message, location, hint)
        self.file = file


class UnresolvedError(InputError):
    """A reference without a target, in a document that can be read."""


def did_you_mean(name: str, known: Collection[str], otherwise: str, similarity: float = 0.6) -> str:
    """Return a hint at the known name most similar to an unknown one, or else the other hint.

    Args:
        similarity: the least similarity, from 0 to 1. Names that share most of their words need
            more than others.
    """
    # Imported here: only mistakes need it.
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1, similarity)
    return f"did you mean '{near[0]}'?" if near else otherwise
