"""The registration of webhook receivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEndpoint:
    """The operation registers an address that webhooks are sent to."""

    url: Annotated[
        InstancePointer, Names(Target.REQUEST_BODY), "Where the request has the address."
    ]
    event_types: Annotated[
        InstancePointer | None,
        Names(Target.REQUEST_BODY),
        "Where the request lists the webhooks that are sent there, by their names in the document. "
        "Null when every address gets all of them.",
    ]
    id: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY),
        "Where the response has the id of the endpoint, which the only path parameter of the "
        "operations below takes.",
    ]
    secret: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "Where the response has the secret that deliveries to the endpoint are signed with. Null "
        "when they are not signed.",
    ]
    remove: Annotated[Name, Names(Target.OPERATION), "The operationId that removes an endpoint."]
    test: Annotated[
        Name | None,
        Names(Target.OPERATION),
        "The operationId that sends a webhook to one endpoint, whether its type is listed or not. "
        "Null when there is none.",
    ]


WEBHOOK_ENDPOINT = Keyword[WebhookEndpoint](
    "x-contract-webhook-endpoint",
    (Place.OPERATION,),
    WebhookEndpoint,
    {
        "url": "/url",
        "event_types": "/events",
        "id": "/id",
        "secret": "/secret",
        "remove": "deleteHook",
        "test": None,
    },
    OBSERVED,
)
