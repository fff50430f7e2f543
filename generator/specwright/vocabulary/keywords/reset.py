"""The state of a sandbox after a reset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name

_Lists = tuple[Annotated[Name, Names(Target.OPERATION)], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A value that is the same after every reset."""

    operation: Annotated[Name, Names(Target.OPERATION), "The operationId that answers with it."]
    at: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="operation"),
        "Where that answer has it.",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """The operation brings a sandbox back to its beginning."""

    empties: Annotated[
        _Lists,
        Limits(minItems=1, uniqueItems=True),
        "The operationIds of the lists that are empty afterwards.",
    ]
    keeps: Annotated[
        _Lists,
        Limits(uniqueItems=True),
        "The operationIds of the lists whose items are still there afterwards.",
    ] = ()
    restores: Annotated[
        tuple[Restored, ...], Limits(uniqueItems=True), "What is as it was at the beginning."
    ] = ()


RESET = Keyword[Reset](
    "x-contract-reset",
    (Place.OPERATION,),
    Reset,
    {
        "empties": ["listOrders", "listPayments"],
        "keeps": ["listHooks"],
        "restores": [{"operation": "getBalance", "at": "/available"}],
    },
    OBSERVED,
)
