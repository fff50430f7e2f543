"""Values that are shown once."""

from __future__ import annotations

from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.types import Limits

ONCE = Keyword[bool](
    "x-contract-once",
    (Place.PROPERTY,),
    Annotated[
        bool,
        Limits(const=True),
        "The value is shown in this response only and never again. Tools hide it from logs, "
        "representations and reports.",
    ],
    True,
)
