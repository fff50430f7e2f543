"""Judgement of attempts to deliver webhooks, written to the record of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from specwright.conformance.checks.access.isolation import ISOLATION
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt, DeliveryFault
from specwright.conformance.checks.webhooks.checks import (
    CHECKS,
    DELIVERY_SIGNATURE,
    EVENT_CONTENT,
    EVENT_HEADERS,
    EVENT_SCHEMA,
    carried,
    in_body,
)
from specwright.conformance.checks.webhooks.endpoints import (
    EVENT_UNSUBSCRIBED,
    SOURCE,
    ReceiverEndpoint,
)
from specwright.conformance.checks.webhooks.sequence import (
    DELIVERY_ACKNOWLEDGED,
    DELIVERY_RETRY,
    Pace,
    awaited,
    broken,
)
from specwright.conformance.contract.webhooks import Registration, SentWebhook
from specwright.conformance.driver.roles import ANONYMOUS
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.http_messages import Headers
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.delivery import DELIVERY, Delivery
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.keywords.trigger import TRIGGER
from specwright.vocabulary.keywords.webhook_endpoint import WEBHOOK_ENDPOINT

EVENT_MISSING = BehaviourRule(
    "event-missing",
    BehaviourCategory.WEBHOOKS,
    "A declared event is sent within the declared time after its cause.",
    example="an invoice is paid, and no delivery of invoice.paid arrives",
    advice=(
        "Write the event in the transaction of the change (an outbox), and send it from there."
    ),
    weight=7,
)
DELIVERY_REDIRECT = BehaviourRule(
    "delivery-redirect",
    BehaviourCategory.WEBHOOKS,
    "A redirect is a failed attempt, and is not followed.",
    example="an endpoint returns 302, and the delivery goes to the new URL",
    advice="Turn redirects off in the HTTP client, and count one as a failed attempt.",
)
DELIVERY_DELETED = BehaviourRule(
    "delivery-deleted",
    BehaviourCategory.WEBHOOKS,
    "A deleted endpoint gets no further deliveries.",
    example="DELETE /endpoints/7 -> 204, and a delivery is sent to it",
    advice="Check before each attempt that the endpoint still exists.",
)

WEBHOOKS = join("webhooks")
# A delivery in progress when its endpoint was removed may still arrive.
REMOVAL_SECONDS = 0.25

# The keyword that each rule is about; other rules are about the webhook as a whole.
_DECLARATIONS: Mapping[str, str] = {
    EVENT_MISSING: TRIGGER.name,
    EVENT_CONTENT: TRIGGER.name,
    DELIVERY_SIGNATURE: SIGNATURE.name,
    DELIVERY_RETRY: DELIVERY.name,
    DELIVERY_ACKNOWLEDGED: DELIVERY.name,
    DELIVERY_REDIRECT: DELIVERY.name,
}
# The part of a webhook that a rule requires.
_NEEDS: Mapping[str, Callable[[SentWebhook], object]] = {
    EVENT_SCHEMA: attrgetter("payload"),
    EVENT_CONTENT: attrgetter("has_content"),
    DELIVERY_SIGNATURE: attrgetter("signature"),
    DELIVERY_RETRY: attrgetter("delivery"),
    DELIVERY_ACKNOWLEDGED: attrgetter("delivery"),
    DELIVERY_REDIRECT: attrgetter("delivery"),
}


def applies(rule: str, webhook: SentWebhook) -> bool:
    """Return whether a rule applies to a webhook."""
    return rule not in _NEEDS or _NEEDS[rule](webhook) is not None


def identify(webhooks: Sequence[SentWebhook]) -> Callable[[Headers], tuple[str, str]]:
    """Return a function that reads the type and the id of an event from request headers."""
    declared = [webhook.delivery for webhook in webhooks if webhook.delivery is not None]
    types = {delivery.event_type_header.raw.lower() for delivery in declared}
    ids = {delivery.event_id_header.raw.lower() for delivery in declared}

    def read(headers: Headers) -> tuple[str, str]:
        fields = [(name.lower(), value) for name, value in headers]
        type_ = next((value for name, value in fields if name in types), "")
        return type_, next((value for name, value in fields if name in ids), "")

    return read


def place(rule: str, webhook: SentWebhook) -> Pointer:
    """Return the pointer to the part of a webhook that a rule is about."""
    declaration = _DECLARATIONS.get(rule)
    return webhook.pointer if declaration is None else webhook.pointer + join(declaration)


@dataclass(frozen=True, slots=True)
class Cause:
    """A call that triggers a webhook, with the times before and after it."""

    begun_at: float
    exchange: Exchange
    answered_at: float


@dataclass(slots=True)
class Judge:
    """The application of rules to attempts; each distinct violation is recorded once."""

    record: Record
    webhooks: Sequence[SentWebhook]
    pace: Pace
    _noted: set[tuple[str, Pointer, str]] = field(default_factory=set)

    def webhook(self, attempt: DeliveryAttempt) -> SentWebhook | None:
        """Return the webhook that an attempt delivers, by its body, else by its header."""
        declared = [
            (webhook, webhook.delivery) for webhook in self.webhooks if webhook.delivery is not None
        ]
        for pointer in {each.event_type.raw for _, each in declared if each.event_type}:
            name = in_body(attempt, pointer)
            for webhook, _ in declared:
                if webhook.name == name:
                    return webhook
        for webhook, each in declared:
            if webhook.name in attempt.values(each.event_type_header.raw):
                return webhook
        return None

    def events(self, attempts: Sequence[DeliveryAttempt]) -> list[list[DeliveryAttempt]]:
        """Return the attempts of each event, except events that followed a redirect."""
        name = identify(self.webhooks)
        astray = {name(attempt.headers) for attempt in attempts if attempt.is_redirected}
        by_event: dict[tuple[str, str], list[DeliveryAttempt]] = {}
        for attempt in attempts:
            if name(attempt.headers) not in astray:
                by_event.setdefault(name(attempt.headers), []).append(attempt)
        return list(by_event.values())

    def single(self, endpoint: ReceiverEndpoint, attempts: Sequence[DeliveryAttempt]) -> None:
        """Check each attempt by itself."""
        for attempt in attempts:
            webhook = self.webhook(attempt)
            if webhook is None:
                self._stray(attempt)
                continue
            if attempt.is_redirected:
                message = "the redirect was followed"
                self._break(DELIVERY_REDIRECT, webhook, message, attempt)
                continue
            for rule, check in CHECKS.items():
                if not applies(rule, webhook) or (
                    rule == DELIVERY_SIGNATURE and not endpoint.secret
                ):
                    continue
                self._check(rule, webhook)
                for message in check(webhook, attempt, endpoint.secret):
                    self._break(rule, webhook, message, attempt)
            if attempt.fault is DeliveryFault.REDIRECT:
                self._check(DELIVERY_REDIRECT, webhook)

    def together(self, attempts: Sequence[DeliveryAttempt], now: float) -> None:
        """Check the attempts of each event together, up to now."""
        for event in self.events(attempts):
            webhook = self.webhook(event[0])
            if webhook is None or webhook.delivery is None:
                continue
            if any(self.pace.pause(webhook.delivery, n) for n, e in enumerate(event, 1) if e.fault):
                self._check(DELIVERY_RETRY, webhook)
            if event[-1].fault is None and self._is_watched(webhook.delivery, event[-1], now):
                self._check(DELIVERY_ACKNOWLEDGED, webhook)
            for rule, message, last in broken(webhook, webhook.delivery, event, self.pace, now):
                self._break(rule, webhook, message, *event[: event.index(last) + 1])

    def arrival(
        self, webhook: SentWebhook, cause: Cause, attempts: Sequence[DeliveryAttempt]
    ) -> None:
        """Check that a webhook arrived within its time after its trigger."""
        if webhook.trigger is None:
            return
        until = cause.answered_at + webhook.trigger.within_seconds
        self._check(EVENT_MISSING, webhook)
        for value, first in self.arrived(webhook, cause, attempts).items():
            if first is None:
                carries = webhook.trigger.carries
                kind = "" if carries is None else f" with '{value}' at '{carries.at.raw}'"
                seconds = webhook.trigger.within_seconds
                message = f"no delivery of it{kind} arrived within {seconds} seconds"
                self._break(EVENT_MISSING, webhook, message, before=(cause.exchange,))
            elif first.received_at > until:
                self._break(EVENT_MISSING, webhook, "it arrived too late", first)

    def arrived(
        self, webhook: SentWebhook, cause: Cause, attempts: Sequence[DeliveryAttempt]
    ) -> dict[str | None, DeliveryAttempt | None]:
        """Return the first attempts of a webhook after its trigger, by the declared values.

        Without such values, it is the first one of all.
        """
        declared = webhook.trigger.carries if webhook.trigger is not None else None
        after = [attempt for attempt in attempts if attempt.received_at >= cause.begun_at]
        own = [attempt for attempt in after if self.webhook(attempt) is webhook]
        if declared is None:
            return {None: next(iter(own), None)}
        return {
            # A body that did not arrive may have had the value.
            value.raw: next(
                (attempt for attempt in own if carried(webhook, attempt) in (value.raw, None)), None
            )
            for value in declared.values
        }

    def again(
        self, webhook: SentWebhook, since: float, attempts: Sequence[DeliveryAttempt]
    ) -> None:
        """Check that an event is not sent again after a time, while its value stays low."""
        for event in self.events(attempts):
            if self.webhook(event[0]) is webhook and event[0].received_at > since:
                message = "it is sent again while the value is still below its threshold"
                self._break(EVENT_CONTENT, webhook, message, event[0])

    def tested(
        self,
        registration: Registration,
        tested: Sequence[DeliveryAttempt],
        others: Sequence[DeliveryAttempt],
    ) -> None:
        """Check that a test of one endpoint did not reach another one as well."""
        name = identify(self.webhooks)
        known = {name(attempt.headers) for attempt in tested}
        for attempt in others:
            webhook = self.webhook(attempt)
            is_sent = webhook is not None and registration.is_sent_to_one(webhook)
            if is_sent and name(attempt.headers) in known:
                message = "a test of one endpoint reaches another one"
                self._violate(EVENT_UNSUBSCRIBED, registration.operation.pointer, message, attempt)

    def apart(self, registration: Registration, attempts: Sequence[DeliveryAttempt]) -> None:
        """Check that an endpoint in live mode, without events, received nothing."""
        for attempt in attempts:
            message = "an endpoint receives events of live mode"
            self._violate(ISOLATION, registration.operation.pointer, message, attempt)

    def pending(self, attempts: Sequence[DeliveryAttempt]) -> Iterator[float]:
        """Yield the time until which the attempts of an event must be watched."""
        webhook = self.webhook(attempts[0])
        if webhook is None or webhook.delivery is None:
            return
        until = awaited(attempts, webhook.delivery, self.pace)
        if until is not None:
            yield until
        elif (pause := self.pace.pause(webhook.delivery, 1)) and attempts[-1].fault is None:
            yield attempts[-1].received_at + pause

    def selection(
        self,
        registration: Registration,
        selected: Sequence[str],
        attempts: Sequence[DeliveryAttempt],
    ) -> None:
        """Check that an endpoint received only the types that it selected."""
        if registration.declared.event_types is None:
            return
        pointer = registration.operation / WEBHOOK_ENDPOINT.name
        self.record.check(EVENT_UNSUBSCRIBED, pointer)
        for attempt in attempts:
            webhook = self.webhook(attempt)
            if webhook is None or webhook.name in selected or registration.is_sent_to_one(webhook):
                continue
            message = f"'{webhook.name}' reached an endpoint that did not select it"
            self._violate(EVENT_UNSUBSCRIBED, pointer, message, attempt)

    def silence(
        self, registration: Registration, removed_at: float, attempts: Sequence[DeliveryAttempt]
    ) -> None:
        """Check that an endpoint received nothing after it was removed."""
        pointer = registration.remove.pointer
        self.record.check(DELIVERY_DELETED, pointer)
        for attempt in attempts:
            if attempt.received_at > removed_at + REMOVAL_SECONDS:
                message = "a delivery arrived after its endpoint was removed"
                self._violate(DELIVERY_DELETED, pointer, message, attempt)

    def leave(self, reasons: Mapping[str, str]) -> None:
        """Record the reasons for rules that were not applied to a webhook."""
        for webhook in self.webhooks:
            for rule, reason in reasons.items():
                pointer = place(rule, webhook)
                if applies(rule, webhook) and pointer not in self.record.checked.get(rule, ()):
                    self.record.skip(rule, pointer, reason)

    def _stray(self, attempt: DeliveryAttempt) -> None:
        # Without a type, it could be any webhook that declares no header for its type.
        if all(webhook.delivery is not None for webhook in self.webhooks):
            message = "a delivery has a type that is not a webhook of the document"
            self._violate(EVENT_HEADERS, WEBHOOKS, message, attempt)

    def _is_watched(self, declared: Delivery, acknowledged: DeliveryAttempt, now: float) -> bool:
        pause = self.pace.pause(declared, 1)
        return pause is not None and now >= acknowledged.received_at + pause

    def _check(self, rule: str, webhook: SentWebhook) -> None:
        self.record.check(rule, place(rule, webhook))

    def _break(
        self,
        rule: str,
        webhook: SentWebhook,
        message: str,
        *attempts: DeliveryAttempt,
        before: tuple[Exchange, ...] = (),
    ) -> None:
        self._violate(rule, place(rule, webhook), message, *attempts, before=before)

    def _violate(
        self,
        rule: str,
        pointer: Pointer,
        message: str,
        *attempts: DeliveryAttempt,
        before: tuple[Exchange, ...] = (),
    ) -> None:
        if (rule, pointer, message) in self._noted:
            return
        self._noted.add((rule, pointer, message))
        shown = tuple(self.record.keep(self._exchange(attempt)) for attempt in attempts)
        self.record.violate(Violation(rule, pointer, message, before + shown))

    def _exchange(self, attempt: DeliveryAttempt) -> Exchange:
        webhook = self.webhook(attempt)
        return Exchange(
            number=0,
            source=SOURCE,
            role=ANONYMOUS,
            operation=None if webhook is None else webhook.pointer,
            request=HttpRequest(attempt.method, attempt.url, attempt.headers, attempt.body),
            response=None if attempt.status is None else HttpResponse(attempt.status, (), b""),
            failure=None if attempt.fault is None else f"the receiver played {attempt.fault}",
            sent_at=attempt.received_at,
            seconds=0.0,
        )
