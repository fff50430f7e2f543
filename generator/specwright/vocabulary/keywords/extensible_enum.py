"""The values known today of an enumeration that may grow."""

from __future__ import annotations

from typing import Annotated

from specwright.text import Text
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.types import Limits

EXTENSIBLE_ENUM = Keyword[tuple[Text | int, ...]](
    "x-extensible-enum",
    (Place.SCHEMA, Place.PROPERTY),
    Annotated[
        tuple[Text | int, ...],
        Limits(minItems=1, uniqueItems=True),
        "The values known today of an enumeration that may grow. On a discriminated union: the "
        "tags known today.",
    ],
    ["open", "closed"],
)
