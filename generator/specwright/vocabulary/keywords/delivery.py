"""The attempts, timeouts and headers with which a webhook is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, lowered, replaced, shortened
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The delivery of a webhook, and its acknowledgement."""

    retry_after_seconds: Annotated[
        tuple[Positive, ...],
        ChangePolicy(shortened, Subject.DELIVERY),
        "The pauses after each failed attempt. The delivery is exhausted when the attempt after "
        "the last pause fails.",
    ]
    success: Annotated[
        Name,
        Limits(pattern="^[1-5]([0-9]{2}|XX)$"),
        Names(Target.RESPONSE_STATUS),
        ChangePolicy(replaced),
        "The statuses that acknowledge a delivery, written as a response key of OpenAPI.",
    ]
    connect_timeout_seconds: Annotated[
        Positive, ChangePolicy(lowered, Subject.DELIVERY), "Time allowed to connect."
    ]
    timeout_seconds: Annotated[
        Positive, ChangePolicy(lowered, Subject.DELIVERY), "Time allowed for the whole attempt."
    ]
    event_id_header: Annotated[
        Name,
        Names(Target.HEADER_PARAMETER),
        ChangePolicy(replaced),
        "The header that carries the id of the event.",
    ]
    event_type_header: Annotated[
        Name,
        Names(Target.HEADER_PARAMETER),
        ChangePolicy(replaced),
        "The header that carries the type of the event.",
    ]
    event_id: Annotated[
        InstancePointer | None,
        Names(Target.REQUEST_BODY),
        "The place of the id of the event in the body, if it is repeated there.",
    ] = None
    event_type: Annotated[
        InstancePointer | None,
        Names(Target.REQUEST_BODY),
        "The place of the type of the event in the body, if it is repeated there.",
    ] = None

    @property
    def success_statuses(self) -> range:
        """The statuses that `success` means."""
        first, last = (int(self.success.raw.replace("X", digit)) for digit in "09")
        return range(first, last + 1)


DELIVERY = Keyword[Delivery](
    "x-contract-delivery",
    (Place.WEBHOOK,),
    Delivery,
    {
        "retry_after_seconds": [60, 300],
        "success": "2XX",
        "connect_timeout_seconds": 5,
        "timeout_seconds": 15,
        "event_id_header": "Event-Id",
        "event_type_header": "Event-Type",
    },
)
