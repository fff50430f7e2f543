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
        "Whoever knows the value can use what it stands for, such as the activation code of an "
        "eSIM. Answers may show it again. Tools hide it from logs, representations and reports.",
    ],
    True,
)
