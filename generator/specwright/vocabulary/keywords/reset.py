"""What is gone after everything was set back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Limits, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """The operation brings a sandbox back to its beginning."""

    empties: Annotated[
        tuple[Annotated[Name, Names(Target.OPERATION)], ...],
        Limits(minItems=1, uniqueItems=True),
        "The operationIds of the lists that are empty afterwards.",
    ]


RESET = Keyword[Reset](
    "x-contract-reset", (Place.OPERATION,), Reset, {"empties": ["listOrders", "listPayments"]}
)
