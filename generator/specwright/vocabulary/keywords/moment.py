"""The event at the moment of a timestamp."""

from __future__ import annotations

from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.types import Choice


class Moment(Choice):
    """The event at the moment."""

    CREATED = "created", "the subject of the object came into existence, or happened"
    MODIFIED = "modified", "anything in the object last changed"


MOMENT = Keyword[Moment](
    "x-contract-moment",
    (Place.PROPERTY,),
    Annotated[Moment, "The event at the moment of the property, a date-time."],
    "modified",
    OBSERVED,
)
