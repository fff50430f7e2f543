"""The amount that an operation takes from a balance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """What is taken at first and then given back."""

    scenario: Annotated[
        Name,
        Names(Target.REQUEST_EXAMPLE),
        "The name of the request body example whose amount is given back.",
    ]
    within_seconds: Annotated[
        Positive, "How long after the answer the balance is what it was before, at the latest."
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Success takes an amount from a balance, and nothing else does."""

    balance: Annotated[
        Name, Names(Target.OPERATION), "The operationId that answers with the balance."
    ]
    at: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="balance"),
        "Where that answer has the balance.",
    ]
    amount: Annotated[
        InstancePointer, Names(Target.RESPONSE_BODY), "Where the answer has what was taken."
    ]
    left: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the answer has the balance that is left. Null when it does not say.",
    ] = None
    refund: Annotated[
        Refund | None, "How a test sees an amount given back. Null when it cannot."
    ] = None


CHARGE = Keyword[Charge](
    "x-contract-charge",
    (Place.OPERATION,),
    Charge,
    {"balance": "getBalance", "at": "/available", "amount": "/total"},
    OBSERVED,
)
