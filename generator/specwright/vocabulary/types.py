"""Types of members that declarations share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self, TypeAlias

from specwright.json_values import JsonValue
from specwright.text import Text


class Limits:
    """Limits of a value as keywords of JSON Schema."""

    def __init__(self, **keywords: JsonValue) -> None:
        self.keywords = keywords


class Choice(StrEnum):
    """A word of a closed set, with its meaning if the word alone is not clear."""

    meaning: str

    def __new__(cls, word: str, meaning: str = "") -> Self:
        """Create a member of the set."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.meaning = meaning
        return member


Name: TypeAlias = Annotated[Text, Limits(minLength=1)]
# RFC 6901, into a value that is sent or received; the empty pointer means the whole value.
InstancePointer: TypeAlias = Annotated[
    Text, Limits(format="json-pointer", pattern="^(/([^~/]|~[01])*)*$")
]
Status: TypeAlias = Annotated[int, Limits(minimum=100, maximum=599)]
Positive: TypeAlias = Annotated[int, Limits(minimum=1)]
