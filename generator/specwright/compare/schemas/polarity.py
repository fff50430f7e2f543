"""Who sends a value, and so which change of its schema breaks the other side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from specwright.document.sites import Direction


class Polarity(StrEnum):
    """The way a value takes between an API and its clients."""

    TO_SERVER = "sent by clients"
    TO_CLIENT = "sent by the API"


class Writing(StrEnum):
    """What the text of a value shows of its type."""

    TYPED = "as in JSON"
    TEXT = "nothing, as in a header"
    XML = "nothing, as in an element"
    REPEATED = "nothing, and a list is the name once more, as in a query"


@dataclass(frozen=True, slots=True)
class Way:
    """How the values of a schema are sent."""

    polarity: Polarity
    writing: Writing


def of_request(direction: Direction) -> Polarity:
    """The way of what a request carries: parameters and the body."""
    return Polarity.TO_SERVER if direction is Direction.PATH else Polarity.TO_CLIENT


def of_response(direction: Direction) -> Polarity:
    """The way of what a response carries: headers and the body."""
    return Polarity.TO_CLIENT if direction is Direction.PATH else Polarity.TO_SERVER
