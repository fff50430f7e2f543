"""The registration of webhook receivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, required
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEndpointContract:
    """The operation registers a URL that webhooks are sent to."""

    url: Annotated[
        InstancePointer, Names(Target.REQUEST_BODY), "The place of the URL in the request."
    ]
    event_types: Annotated[
        InstancePointer | None,
        Names(Target.REQUEST_BODY),
        "The place in the request of the list of webhooks to send, by their names in the document. "
        "Null if every URL gets all of them.",
    ]
    id: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY),
        "The place in the response of the id of the endpoint, the only path parameter of the "
        "operations below.",
    ]
    secret: Annotated[
        InstancePointer | None,
        Names(Target.RESPONSE_BODY),
        "The place in the response of the secret that signs deliveries to the endpoint. Null if "
        "they are not signed.",
    ]
    remove: Annotated[Name, Names(Target.OPERATION), "The operationId that removes an endpoint."]
    test: Annotated[
        Name | None,
        Names(Target.OPERATION),
        "The operationId that sends a webhook to one endpoint, whether its type is listed or not; "
        "or null.",
    ]
    public: Annotated[
        bool,
        ChangePolicy(required),
        "True if a URL is refused that has user information, or whose host is an address of a "
        "network that is not public. Loopback addresses are not tried: the receiver of a test run "
        "may have one, and an implementation may allow them in tests.",
    ] = False


WEBHOOK_ENDPOINT = Keyword[WebhookEndpointContract](
    "x-contract-webhook-endpoint",
    (Place.OPERATION,),
    WebhookEndpointContract,
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
