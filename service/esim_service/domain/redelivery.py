"""Redelivery of an event after its delivery to an endpoint has ended."""

from __future__ import annotations

from dataclasses import replace

from ..store.statements.unit import Unit
from ..store.tables import attempts, events, partners
from ..values.ids import Prefix
from .stamp import Stamp


class RedeliveryError(Exception):
    """The event cannot be redelivered; the text gives the reason."""


def replay(delivery_id: str, stamp: Stamp) -> Unit[str]:
    """Queue the event of a delivery for the same endpoint; return the id of the new delivery.

    It has its own schedule; the attempts of the old one are left unchanged.

    Raises:
        RedeliveryError: the delivery or its event is not kept, it is still waiting, or the endpoint
            is removed or disabled.
    """
    deliveries = yield from attempts.newest(attempts.DeliveryFilter(delivery_id=delivery_id), 1)
    if not deliveries:
        raise RedeliveryError(f"there is no delivery {delivery_id}")
    (old,) = deliveries
    if old.state == "waiting":
        raise RedeliveryError(f"{delivery_id} has not ended: it is retried automatically")
    # As for a test event: an endpoint that is being removed gets no delivery.
    yield from partners.lock_account(old.scope)
    known = yield from events.endpoints(old.scope)
    endpoint = next((item for item in known if item.endpoint_id == old.endpoint_id), None)
    if endpoint is None:
        raise RedeliveryError(f"the endpoint {old.endpoint_id} was removed")
    if endpoint.status == "disabled":
        message = "is disabled until it acknowledges a test event"
        raise RedeliveryError(f"the endpoint {old.endpoint_id} {message}")
    event = yield from events.find_event(old.scope, old.event_id)
    if event is None:
        raise RedeliveryError(f"the event {old.event_id} has been removed")
    new_id = stamp.new(Prefix.DELIVERY)
    # The delivery waits from now on, not since the event was written.
    queued = replace(event, created_at=stamp.now)
    yield from events.add_delivery(new_id, queued, old.endpoint_id, stamp.now)
    return new_id
