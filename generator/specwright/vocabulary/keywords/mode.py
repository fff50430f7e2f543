"""The mode in which a key works, as responses show it."""

from __future__ import annotations

from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.types import Limits

MODE = Keyword[bool](
    "x-contract-mode",
    (Place.PROPERTY,),
    Annotated[
        bool,
        Limits(const=True),
        "The property shows the mode in which the key of the request works, such as test or live: "
        "in all responses to one key it has the same value.",
    ],
    True,
    OBSERVED,
)
