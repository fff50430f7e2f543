"""Endpoints of the implementation under test, registered and removed as declared."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.contract.webhooks import Registration
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.document.operations.sites import OperationSite
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, split

EVENT_UNSUBSCRIBED = BehaviourRule(
    "event-unsubscribed",
    BehaviourCategory.WEBHOOKS,
    "An endpoint gets no event that it did not subscribe to.",
    example="an endpoint for invoice.paid gets invoice.refunded",
    advice="Select the endpoints by the type of the event when deliveries are created.",
)

SOURCE = "webhooks"
_PARAMETER = re.compile(r"\{[^{}]+\}")


class CannotObserve(Exception):  # noqa: N818 - an outcome, not a programming error
    """Webhooks cannot be observed; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class ReceiverEndpoint:
    """A registered endpoint.

    Attributes:
        secret: the secret that signs its deliveries; None if they are not signed.
    """

    id: str
    url: str
    secret: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The registration, test and removal of endpoints at a target."""

    target: TargetServer
    registration: Registration

    def register(self, url: str, event_types: Sequence[str]) -> ReceiverEndpoint:
        """Register an endpoint for some types of events.

        Raises:
            CannotObserve: it was refused, or its id or secret is missing from the response.
        """
        declared, operation = self.registration.declared, self.registration.operation
        if _PARAMETER.search(operation.key):
            raise CannotObserve(f"{operation.name} has a path parameter, which has no value here")
        body = mapping(copy.deepcopy(self.registration.body))
        _put(body, declared.url.raw, url)
        if declared.event_types is not None:
            _put(body, declared.event_types.raw, list(event_types))
        done = self._send(operation, operation.key, json.dumps(body).encode())
        response = done.response
        if response is None or not response.is_success:
            raise CannotObserve(f"{operation.name} {outcome(done)}")
        id = response.at(declared.id.raw)
        secret = None if declared.secret is None else response.at(declared.secret.raw)
        if not isinstance(id, str | int) or not isinstance(secret, str | None):
            raise CannotObserve(f"the response of {operation.name} lacks the id or the secret")
        if declared.secret is not None and not secret:
            raise CannotObserve(f"the response of {operation.name} lacks the secret")
        self._selected(done, event_types)
        return ReceiverEndpoint(str(id), url, secret)

    def _selected(self, done: Exchange, event_types: Sequence[str]) -> None:
        """Compare the types in the response with the requested ones."""
        place = self.registration.declared.event_types
        shown = done.response.at(place.raw) if done.response and place is not None else None
        if isinstance(shown, list) and {str(event_type) for event_type in shown} != set(
            event_types
        ):
            operation = self.registration.operation
            message, rule = (
                "the selected types are not the requested ones",
                EVENT_UNSUBSCRIBED,
            )
            self.target.record.violate(
                Violation(rule, operation.pointer, message, (done,), operation=operation.name)
            )

    def remove(self, endpoint: ReceiverEndpoint) -> Exchange:
        """Remove an endpoint."""
        return self._send_to(self.registration.remove, endpoint)

    def test(self, operation: OperationSite, endpoint: ReceiverEndpoint) -> Exchange:
        """Request a test webhook for one endpoint."""
        return self._send_to(operation, endpoint)

    def _send_to(self, operation: OperationSite, endpoint: ReceiverEndpoint) -> Exchange:
        path = _PARAMETER.sub(lambda _: quote(endpoint.id, safe=""), operation.key)
        return self._send(operation, path, None)

    def _send(self, operation: OperationSite, path: str, body: bytes | None) -> Exchange:
        headers = [] if body is None else [("Content-Type", "application/json")]
        request = self.target.request(
            operation.method, path, headers=headers, body=body, operation=operation.pointer
        )
        return self.target.send(request, SOURCE, operation.pointer)


def outcome(exchange: Exchange) -> str:
    """Return the outcome of a request, in words."""
    if exchange.response is None:
        return "was not answered"
    return f"was answered with {exchange.response.status}"


def _put(body: JsonObject, pointer: Pointer, value: JsonValue) -> None:
    *way, last = split(pointer)
    for token in way:
        body[token] = mapping(body.get(token))
        body = mapping(body[token])
    body[last] = value
