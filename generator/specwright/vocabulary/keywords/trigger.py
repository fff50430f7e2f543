"""The way for a test to cause a webhook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, raised, removed
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Carries:
    """The values that events have at a place."""

    at: Annotated[
        InstancePointer, Names(Target.REQUEST_BODY), "The place of the value in the event."
    ]
    values: Annotated[
        tuple[Name, ...],
        Limits(minItems=1, uniqueItems=True),
        "The values, numbers as texts. The cause triggers an event with each of them, and no event "
        "has another one.",
    ]


_AHEAD = ChangePolicy(removed, Subject.DELIVERY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """The time from an event to a later moment, such as the end of a subscription."""

    at: Annotated[
        InstancePointer,
        Names(Target.REQUEST_BODY),
        _AHEAD,
        "The place of the moment, a date-time, in the event.",
    ]
    least_seconds: Annotated[Positive, _AHEAD, "The minimum number of seconds before the moment."]
    most_seconds: Annotated[Positive, _AHEAD, "The maximum number of seconds before the moment."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Falls:
    """A value that an event is about: it is sent when the value falls below a threshold, and again
    only after it was back.
    """

    read: Annotated[
        Name, Names(Target.OPERATION), "The operationId that returns the value and the threshold."
    ]
    at: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="read"),
        "The place of the value in that response.",
    ]
    below: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="read"),
        "The place of the threshold in that response.",
    ]


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
        ChangePolicy(raised, Subject.DELIVERY),
        "The maximum number of seconds between the call and the first delivery attempt.",
    ]
    carries: Annotated[Carries | None, "The values that its events have at a place, or null."] = (
        None
    )
    ahead: Annotated[Ahead | None, "The time from its events to a moment, or null."] = None
    falls: Annotated[Falls | None, "The value whose fall below a threshold causes it, or null."] = (
        None
    )


TRIGGER = Keyword[Trigger](
    "x-contract-trigger",
    (Place.WEBHOOK,),
    Trigger,
    {"operation": "createOrder", "scenario": None, "within_seconds": 15},
    OBSERVED,
)
