"""Values that must not be shown."""

from __future__ import annotations

from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.types import Limits

SENSITIVE = Keyword[bool](
    "x-contract-sensitive",
    (Place.PROPERTY,),
    Annotated[
        bool,
        Limits(const=True),
        "Knowing the value is enough to use it, as with the activation code of an eSIM. Responses "
        "may show it again. Tools hide it from logs, representations and reports.",
    ],
    True,
)
