"""Words from a document, which only quoting filters may put into an output."""

from __future__ import annotations

from typing import NoReturn


class Text:
    """Text that somebody else wrote; it refuses to become part of a string by accident."""

    __slots__ = ("raw",)

    raw: str

    def __init__(self, raw: str) -> None:
        object.__setattr__(self, "raw", raw)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Text does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("Text does not change")

    def __reduce__(self) -> tuple[type[Text], tuple[str]]:
        return Text, (self.raw,)

    def __str__(self) -> NoReturn:
        raise TypeError("text from a document needs a quoting filter before it can be written")

    def __format__(self, format_spec: str) -> NoReturn:
        raise TypeError("text from a document needs a quoting filter before it can be written")

    def __repr__(self) -> str:
        return f"Text({self.raw!r})"

    def __eq__(self, other: object) -> bool:
        return self.raw == other.raw if isinstance(other, Text) else NotImplemented

    def __hash__(self) -> int:
        return hash((Text, self.raw))

    def __bool__(self) -> bool:
        return bool(self.raw)
