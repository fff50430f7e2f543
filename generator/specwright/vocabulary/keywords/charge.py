"""The amount that an operation takes from a balance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, lengthened
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """An amount that is charged and then refunded."""

    scenario: Annotated[
        Name,
        Names(Target.REQUEST_EXAMPLE),
        "The name of the request body example with the amount that is refunded.",
    ]
    within_seconds: Annotated[
        Positive,
        ChangePolicy(lengthened),
        "The maximum number of seconds between the response and the refund.",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaid:
    """The amounts in the response to a call that the balance does not cover (status 402)."""

    amount: Annotated[
        InstancePointer, Names(Target.ERROR_BODY), "The place of the required amount."
    ]
    balance: Annotated[InstancePointer, Names(Target.ERROR_BODY), "The place of the balance."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Only success takes an amount from a balance."""

    balance: Annotated[Name, Names(Target.OPERATION), "The operationId that returns the balance."]
    at: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="balance"),
        "The place of the balance in that response.",
    ]
    amount: Annotated[
        InstancePointer, Names(Target.RESPONSE_BODY), "The place of the amount in the response."
    ]
    left: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place of the remaining balance in the response, or null.",
    ] = None
    refund: Annotated[Refund | None, "The way for a test to observe a refund, or null."] = None
    unpaid: Annotated[
        Unpaid | None, "The amounts in the response if the balance is too low, or null."
    ] = None


CHARGE = Keyword[Charge](
    "x-contract-charge",
    (Place.OPERATION,),
    Charge,
    {"balance": "getBalance", "at": "/available", "amount": "/total"},
    OBSERVED,
)
