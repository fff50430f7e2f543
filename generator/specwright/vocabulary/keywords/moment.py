"""The moment that a timestamp stands for."""

from __future__ import annotations

from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.types import Choice


class Moment(Choice):
    """The event at the moment."""

    CREATED = "created", "what the object describes began to be there, or happened"
    MODIFIED = "modified", "anything in the object last changed"


MOMENT = Keyword[Moment](
    "x-contract-moment",
    (Place.PROPERTY,),
    Annotated[Moment, "What happened at the moment that the property, a date-time, stands for."],
    "modified",
    OBSERVED,
)
