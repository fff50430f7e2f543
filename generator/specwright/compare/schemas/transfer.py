"""How a value is sent, which determines the changes of its schema that break the receiver."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from specwright.document.schemas.polarity import Polarity


class ValueEncoding(StrEnum):
    """How much the text of a value shows of its type."""

    TYPED = "as in JSON"
    CONTENT = "as in JSON, in a text that only `contentSchema` describes"
    TEXT = "nothing, as in a header"
    XML = "nothing, as in an element"
    REPEATED = "nothing, and a list is the name once more, as in a query"


@dataclass(frozen=True, slots=True)
class Transfer:
    """How the values of a schema are sent."""

    polarity: Polarity
    encoding: ValueEncoding
