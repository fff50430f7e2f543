"""Checks of each attempt to deliver a webhook."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt
from specwright.conformance.contract.webhooks import SentWebhook
from specwright.conformance.recording.exchange import seconds_of, text_of
from specwright.document.operations.sites import essence
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, resolve
from specwright.runtime.shared.signature import (
    MalformedSignatureError,
    SignatureError,
    StaleSignatureError,
)

EVENT_SCHEMA = BehaviourRule(
    "event-schema",
    BehaviourCategory.WEBHOOKS,
    "The body of a delivery fits the schema of its webhook.",
    example="a delivery lacks a member that the schema of its webhook requires",
    advice="Build the body from the model in the document, or correct the schema.",
)
EVENT_CONTENT = BehaviourRule(
    "event-content",
    BehaviourCategory.WEBHOOKS,
    (
        "An event has the declared values, such as the state that it is about, and is sent in "
        "the declared time before a moment."
    ),
    example="invoice.paid is sent for an invoice whose status is 'void'",
    advice="Write the event where the state changes, with the resource as it is afterwards.",
)
EVENT_HEADERS = BehaviourRule(
    "event-headers",
    BehaviourCategory.WEBHOOKS,
    "The headers of a delivery name its event.",
    example="the header has the type invoice.paid, and the body invoice.refunded",
    advice="Take the values of the headers from the event that is sent.",
)
DELIVERY_SIGNATURE = BehaviourRule(
    "signature",
    BehaviourCategory.WEBHOOKS,
    "A delivery is signed as declared, with a fresh timestamp.",
    example="the digest is computed from the parsed body, or the timestamp is an hour old",
    advice="Sign the exact bytes at the time they are sent, as the document declares.",
    weight=8,
)

# The tolerated difference between the clocks of server and test.
_CLOCKS_SECONDS = 600.0
# The webhook, the attempt, and the secret of its endpoint.
Check = Callable[[SentWebhook, DeliveryAttempt, str | None], Iterator[str]]


def body_of(attempt: DeliveryAttempt) -> JsonValue:
    """Return the body as JSON; None if it is not valid JSON."""
    try:
        body: JsonValue = json.loads(attempt.body)
    except (ValueError, RecursionError):
        return None
    return body


def in_body(attempt: DeliveryAttempt, pointer: Pointer) -> str | None:
    """Return the text at a pointer in the body; None if it is missing."""
    try:
        value = resolve(body_of(attempt), pointer)
    except KeyError:
        return None
    return value if isinstance(value, str) else None


def carried(webhook: SentWebhook, attempt: DeliveryAttempt) -> str | None:
    """Return the text of the value that the trigger declares; None if it is missing."""
    declared = webhook.trigger.carries if webhook.trigger is not None else None
    try:
        value = None if declared is None else resolve(body_of(attempt), declared.at.raw)
    except KeyError:
        return None
    return None if value is None else text_of(value)


def event_content(
    webhook: SentWebhook, attempt: DeliveryAttempt, secret: str | None
) -> Iterator[str]:
    assert webhook.trigger is not None
    carries, ahead = webhook.trigger.carries, webhook.trigger.ahead
    if carries is not None:
        values, text = [value.raw for value in carries.values], carried(webhook, attempt)
        if body_of(attempt) is not None and text not in values:
            yield f"'{carries.at.raw}' is '{text}', not {' or '.join(values)}"
    moment = None if ahead is None else seconds_of(in_body(attempt, ahead.at.raw))
    if ahead is not None and moment is not None:
        early = moment - attempt.received_at
        if (
            not ahead.least_seconds - _CLOCKS_SECONDS
            <= early
            <= ahead.most_seconds + _CLOCKS_SECONDS
        ):
            yield (
                f"'{ahead.at.raw}' is {early:,.0f} seconds later, not between "
                f"{ahead.least_seconds:,} and {ahead.most_seconds:,}"
            )


def event_schema(
    webhook: SentWebhook, attempt: DeliveryAttempt, secret: str | None
) -> Iterator[str]:
    if attempt.is_cut:
        yield f"the body has more than {len(attempt.body):,} bytes"
        return
    try:
        value = json.loads(attempt.body)
    except (ValueError, RecursionError):
        yield "the body is not JSON in UTF-8"
        return
    for problem in webhook.problems(value):
        at = f" at {problem.pointer}" if problem.pointer else ""
        yield f"the body is invalid{at}: {problem.message}"


def event_headers(
    webhook: SentWebhook, attempt: DeliveryAttempt, secret: str | None
) -> Iterator[str]:
    if attempt.method.upper() != webhook.method.upper():
        yield f"the method is not {webhook.method.upper()}"
    yield from _media_type(webhook, attempt)
    declared = webhook.delivery
    if declared is None:
        return
    for header, place, expected in (
        (declared.event_id_header, declared.event_id, None),
        (declared.event_type_header, declared.event_type, webhook.name),
    ):
        values = attempt.values(header.raw)
        if len(values) != 1 or not values[0]:
            yield f"the header {header.raw} does not occur exactly once"
            continue
        if expected is not None and values[0] != expected:
            yield f"the header {header.raw} does not name the webhook"
        elif place is not None and in_body(attempt, place.raw) != values[0]:
            yield f"the header {header.raw} differs from {place.raw} in the body"


def _media_type(webhook: SentWebhook, attempt: DeliveryAttempt) -> Iterator[str]:
    sent = attempt.values("content-type")
    if webhook.media_types and (len(sent) != 1 or essence(sent[0]) not in webhook.media_types):
        yield f"the media type is not {' or '.join(webhook.media_types)}"


def signature(webhook: SentWebhook, attempt: DeliveryAttempt, secret: str | None) -> Iterator[str]:
    scheme, declared = webhook.scheme, webhook.signature
    if scheme is None or declared is None or secret is None:
        return
    values = attempt.values(scheme.header)
    if len(values) != 1:
        yield f"the header {scheme.header} does not occur exactly once"
        return
    try:
        scheme.verify(
            attempt.body,
            values[0],
            secret,
            tolerance=declared.tolerance_seconds,
            now=attempt.received_at,
        )
    except MalformedSignatureError:
        yield f"the header {scheme.header} does not have the form {declared.template.raw}"
    except StaleSignatureError:
        yield (
            f"the timestamp is more than {declared.tolerance_seconds} seconds from the time at "
            "which the delivery arrived"
        )
    except SignatureError:
        yield "the digest does not match the received bytes and the secret"


CHECKS: dict[str, Check] = {
    EVENT_SCHEMA: event_schema,
    EVENT_CONTENT: event_content,
    EVENT_HEADERS: event_headers,
    DELIVERY_SIGNATURE: signature,
}
