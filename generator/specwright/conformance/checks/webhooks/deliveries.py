"""Deliveries for a consumer: genuine ones, and forgeries with one flaw each."""

from __future__ import annotations

import copy
import json
import math
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from specwright.conformance.contract.webhooks import SentWebhook
from specwright.findings import Level, RuleDescription
from specwright.http_messages import Headers
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join, resolve, split
from specwright.runtime.shared.signature import SignatureScheme

_HEX = re.compile(r"[0-9a-f]{64}")
# The digest with its name, as it occurs between the separators of a header.
_DIGEST = re.compile(r"[^,;\s]*\{digest\}")


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """The headers and the body of one delivery."""

    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Genuine:
    """A genuine delivery before it is signed.

    Attributes:
        event: the body as JSON.
        now: seconds since 1970.
    """

    webhook: SentWebhook
    event: JsonValue = field(repr=False)
    secret: str = field(repr=False)
    now: float

    @property
    def body(self) -> bytes:
        """The event as JSON with line breaks, which serializers do not write by default."""
        return json.dumps(self.event, indent=1).encode()

    @property
    def tolerance(self) -> int:
        """The maximum distance of a timestamp from now, in seconds."""
        return self.webhook.signature.tolerance_seconds if self.webhook.signature else 0

    def sent(self, signature: str | None) -> ReceivedMessage:
        """Return the delivery with this value of the signature header; None omits the header."""
        headers: Headers = (("Content-Type", next(iter(self.webhook.media_types), "*/*")),)
        declared, scheme = self.webhook.delivery, self.webhook.scheme
        if declared is not None:
            type_ = self.text(declared.event_type.raw) if declared.event_type else None
            event = self.text(declared.event_id.raw) if declared.event_id else None
            headers += ((declared.event_id_header.raw, event or secrets.token_hex(16)),)
            headers += ((declared.event_type_header.raw, type_ or self.webhook.name),)
        if scheme is not None and signature is not None:
            headers += ((scheme.header, signature),)
        return ReceivedMessage(headers, self.body)

    def text(self, pointer: Pointer) -> str | None:
        """Return the text at a pointer in the event; None if it is missing."""
        try:
            value = resolve(self.event, pointer)
        except KeyError:
            return None
        return value if isinstance(value, str) else None

    def changed(self, pointer: Pointer, value: str) -> Genuine:
        """Return the same delivery with another value at a pointer."""
        event = copy.deepcopy(self.event)
        *way, last = split(pointer)
        mapping(resolve(event, join(*way)))[last] = value
        return replace(self, event=event)

    def signed(self) -> ReceivedMessage:
        """Return the delivery, signed as the document declares."""
        scheme = self.webhook.scheme
        if scheme is None:
            return self.sent(None)
        return self.sent(scheme.sign(self.body, self.secret, int(self.now)))


@dataclass(frozen=True, slots=True)
class Forgery:
    """A delivery that a consumer must refuse.

    Attributes:
        words: a description of its flaw.
    """

    rule: RuleDescription
    words: str
    make: Callable[[Genuine, SignatureScheme], ReceivedMessage]


def _rule(name: str, why: str, example: str, advice: str) -> RuleDescription:
    levels = Level.ERROR, Level.ERROR
    return RuleDescription(name, "receiver", why, "", "", *levels, example=example, advice=advice)


GENUINE = _rule(
    "acknowledges-genuine",
    "A genuine delivery is acknowledged.",
    "a delivery as the document declares it is answered 400",
    "Compare the secret and the header of the signature with those of the document, and verify "
    "the bytes before they are parsed.",
)
REPEATED = _rule(
    "acknowledges-repeated",
    "A repeated event is acknowledged again: its sender may have missed the first response.",
    "the same event a second time is answered 409",
    "Record the ids of processed events, and acknowledge a known one.",
)
UNKNOWN = _rule(
    "acknowledges-unknown-type",
    "An event of a type that is added later is acknowledged, although it is not processed.",
    "an event of the type invoice.later is answered 422",
    "Read the type first, and acknowledge an unknown one.",
)


def _wrong_digest(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    return genuine.sent(scheme.sign(genuine.body + b" ", genuine.secret, int(genuine.now)))


def _old(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    at = int(genuine.now) - genuine.tolerance - 1
    return genuine.sent(scheme.sign(genuine.body, genuine.secret, at))


def _early(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    # One second beyond the tolerance, and one for the transmission.
    at = math.ceil(genuine.now) + genuine.tolerance + 1
    return genuine.sent(scheme.sign(genuine.body, genuine.secret, at))


def _rewritten(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    compact = json.dumps(genuine.event, separators=(",", ":"), ensure_ascii=False).encode()
    return genuine.sent(scheme.sign(compact, genuine.secret, int(genuine.now)))


def _capitals(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    value = scheme.sign(genuine.body, genuine.secret, int(genuine.now))
    return genuine.sent(_HEX.sub(lambda digest: digest[0].upper(), value))


def _twice(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    template = _DIGEST.sub(lambda part: f"{part[0]},{part[0]}", scheme.template, count=1)
    doubled = replace(scheme, template=template)
    return genuine.sent(doubled.sign(genuine.body, genuine.secret, int(genuine.now)))


def _other_secret(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    return genuine.sent(scheme.sign(genuine.body, secrets.token_hex(32), int(genuine.now)))


def _unsigned(genuine: Genuine, scheme: SignatureScheme) -> ReceivedMessage:
    return genuine.sent(None)


FORGERIES: tuple[Forgery, ...] = tuple(
    Forgery(_rule(name, why, example, advice), words, make)
    for name, words, why, example, advice, make in (
        (
            "refuses-wrong-digest",
            "with the digest of other bytes",
            "A digest must match the received bytes.",
            "a delivery with the digest of other bytes is answered 200",
            "Compute the digest of the body as received, and compare the two in constant time.",
            _wrong_digest,
        ),
        (
            "refuses-old-timestamp",
            "with a timestamp one second too old",
            "A recorded delivery cannot be sent again later.",
            "a delivery that was signed longer ago than the tolerance is answered 200",
            "Compare the timestamp of the signature with the clock, and refuse an old one.",
            _old,
        ),
        (
            "refuses-future-timestamp",
            "with a timestamp too far in the future",
            "A recorded delivery cannot be kept until its time comes.",
            "a delivery that is signed for tomorrow is answered 200",
            "Compare the distance to the clock in both directions.",
            _early,
        ),
        (
            "refuses-rewritten-body",
            "with a body that was rewritten after it was signed",
            "A digest is compared with the received bytes, not with those that a serializer "
            "makes of them.",
            "a body with other white space than what was signed is answered 200",
            "Verify the raw body, and parse it afterwards.",
            _rewritten,
        ),
        (
            "refuses-upper-case-digest",
            "with a digest in upper case",
            "Only a header of exactly the declared form is accepted.",
            "a digest in upper case is answered 200",
            "Compare the text of the digest as it is, without changing its case.",
            _capitals,
        ),
        (
            "refuses-second-digest",
            "with two digests",
            "Only a header of exactly the declared form is accepted.",
            "a header with two digests, of which one is right, is answered 200",
            "Read the header by its whole form, and refuse one with anything more.",
            _twice,
        ),
        (
            "refuses-unsigned",
            "without a signature",
            "Anyone can send an unsigned delivery.",
            "a delivery without the header is answered 200",
            "Refuse a request without the header before its body is looked at.",
            _unsigned,
        ),
        (
            "refuses-other-secret",
            "signed with another secret",
            "Only the sender knows the secret.",
            "a delivery that is signed with any secret is answered 200",
            "Check that the result of the comparison is used, and that the secret is not empty.",
            _other_secret,
        ),
    )
)
RULES: tuple[RuleDescription, ...] = (
    GENUINE,
    REPEATED,
    UNKNOWN,
    *(forgery.rule for forgery in FORGERIES),
)


def of_unknown_type(genuine: Genuine) -> Genuine | None:
    """Return a delivery of a future event type; None if the document does not allow for it."""
    declared = genuine.webhook.delivery
    if not genuine.webhook.is_open or declared is None or declared.event_type is None:
        return None
    changed = genuine.changed(declared.event_type.raw, f"{genuine.webhook.name}.later")
    event = changed.text(declared.event_id.raw) if declared.event_id else None
    if event and declared.event_id:
        # A new event id, as a known event would be acknowledged in any case.
        last = "0" if event[-1] != "0" else "1"
        changed = changed.changed(declared.event_id.raw, event[:-1] + last)
    return changed
