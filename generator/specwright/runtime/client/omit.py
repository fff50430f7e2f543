"""The default of arguments that may be left out and may be null: there, None is null."""

from __future__ import annotations

from typing import final


@final
class Omit:
    """The type of `OMIT`, which leaves an argument out of a request."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT = Omit()
