"""The sender of a value, which determines the schema changes that break the receiver."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from specwright.document.operations.sites import Direction


class Polarity(StrEnum):
    """The direction of a value between an API and its clients."""

    TO_SERVER = "sent by clients"
    TO_CLIENT = "sent by the API"


class ValueEncoding(StrEnum):
    """How much the text of a value shows of its type."""

    TYPED = "as in JSON"
    TEXT = "nothing, as in a header"
    XML = "nothing, as in an element"
    REPEATED = "nothing, and a list is the name once more, as in a query"


@dataclass(frozen=True, slots=True)
class Transfer:
    """How the values of a schema are sent."""

    polarity: Polarity
    encoding: ValueEncoding


def of_request(direction: Direction) -> Polarity:
    """Return the polarity of the parameters and the body of a request."""
    return Polarity.TO_SERVER if direction is Direction.PATH else Polarity.TO_CLIENT


def of_response(direction: Direction) -> Polarity:
    """Return the polarity of the headers and the body of a response."""
    return Polarity.TO_CLIENT if direction is Direction.PATH else Polarity.TO_SERVER
