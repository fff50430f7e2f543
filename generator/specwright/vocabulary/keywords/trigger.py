"""The way for a test to cause a webhook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """The cause of a webhook, so that a test can trigger it."""

    operation: Annotated[
        Name, Names(Target.OPERATION), "The operationId of the operation that causes it."
    ]
    scenario: Annotated[
        Name | None,
        Names(Target.REQUEST_EXAMPLE, operation="operation"),
        "The name of the request body example of that operation that causes it. Null if any "
        "successful call does.",
    ]
    within_seconds: Annotated[
        Positive,
        "The maximum number of seconds between the call and the first delivery attempt.",
    ]


TRIGGER = Keyword[Trigger](
    "x-contract-trigger",
    (Place.WEBHOOK,),
    Trigger,
    {"operation": "createOrder", "scenario": None, "within_seconds": 15},
    OBSERVED,
)
