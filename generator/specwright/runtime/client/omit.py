"""The default of arguments that may be omitted or null; for them, None means null."""

from __future__ import annotations

from typing import final


@final
class Omit:
    """The type of `OMIT`, which omits an argument from a request."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT = Omit()
