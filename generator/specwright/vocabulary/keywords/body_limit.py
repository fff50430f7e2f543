"""The maximum size of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import SERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, lowered
from specwright.vocabulary.types import Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimit:
    """The largest request body."""

    max_bytes: Annotated[
        Positive, ChangePolicy(lowered, Subject.LIMIT), "Bytes allowed in a request body."
    ]


BODY_LIMIT = Keyword[BodyLimit](
    "x-contract-body-limit",
    (Place.DOCUMENT,),
    BodyLimit,
    {"max_bytes": 65536},
    SERVED,
)
