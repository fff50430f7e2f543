"""The state of a sandbox after a reset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, reduced
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name

_Lists = tuple[Annotated[Name, Names(Target.OPERATION)], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredValue:
    """A value that is the same after every reset."""

    operation: Annotated[Name, Names(Target.OPERATION), "The operationId that returns it."]
    at: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="operation"),
        "Its place in that response.",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """The operation resets a sandbox to its initial state."""

    empties: Annotated[
        _Lists,
        Limits(minItems=1, uniqueItems=True),
        ChangePolicy(reduced),
        "The operationIds of the lists that are empty afterwards.",
    ]
    keeps: Annotated[
        _Lists,
        Limits(uniqueItems=True),
        ChangePolicy(reduced),
        "The operationIds of the lists that keep their items.",
    ] = ()
    restores: Annotated[
        tuple[RestoredValue, ...],
        Limits(uniqueItems=True),
        ChangePolicy(reduced),
        "The values that are restored to their initial state.",
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
