"""Observation of webhooks: it triggers every event, and waits for the deliveries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt, DeliveryFault
from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.checks import (
    DELIVERY_SIGNATURE,
    EVENT_CONTENT,
    EVENT_HEADERS,
    EVENT_SCHEMA,
)
from specwright.conformance.checks.webhooks.endpoints import (
    EVENT_UNSUBSCRIBED,
    CannotObserve,
    Endpoints,
    ReceiverEndpoint,
    outcome,
)
from specwright.conformance.checks.webhooks.judge import (
    DELIVERY_DELETED,
    DELIVERY_REDIRECT,
    EVENT_MISSING,
    WEBHOOKS,
    Cause,
    Judge,
    identify,
    place,
)
from specwright.conformance.checks.webhooks.receiver import GivenUp, Plays, Receiver, Setting
from specwright.conformance.checks.webhooks.sequence import (
    DELIVERY_ACKNOWLEDGED,
    DELIVERY_RETRY,
    Pace,
)
from specwright.conformance.contract.webhooks import Registration, SentWebhook
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange, decimal_of
from specwright.vocabulary.keywords.delivery import Delivery
from specwright.vocabulary.keywords.trigger import Falls

# Calls the operation with this id, with its request example of this name or with any valid request;
# returns the exchange, or that of a preceding call that failed.
Provoke = Callable[[str, str | None], Exchange]

# The delay of a slow response beyond the declared timeout.
_SLOWER_SECONDS = 0.5
# How long to watch for an event that must not be sent.
_QUIET_SECONDS = 2.0
# The usual statuses of applications and frameworks.
_USUAL_SUCCESSES = (200, 204, 202)
# Statuses that refuse a selection of types that an implementation does not accept.
_NOT_VALID = (400, 422)
_EACH_FAULT: Plays = (
    (DeliveryFault.REDIRECT,),
    (DeliveryFault.ERROR,),
    (DeliveryFault.DROP,),
    (DeliveryFault.RESET,),
)
_NOT_SEEN: Mapping[str, str] = {
    EVENT_SCHEMA: "no delivery of it arrived",
    EVENT_CONTENT: "no delivery of it arrived",
    EVENT_HEADERS: "no delivery of it arrived",
    DELIVERY_SIGNATURE: "no delivery of it with a known secret arrived",
    DELIVERY_REDIRECT: "no delivery of it was answered with a redirect",
    DELIVERY_RETRY: "the run does not wait as long as the declared pauses",
    DELIVERY_ACKNOWLEDGED: "the run ended before a repetition could have arrived",
}


def setting(
    webhooks: Sequence[SentWebhook],
    *,
    authority: Authority | None = None,
    public_url: str | None = None,
    port: int = 0,
) -> Setting:
    """Return the settings of a receiver for these webhooks, as they are declared."""
    declared = [webhook.delivery for webhook in webhooks if webhook.delivery is not None]
    return Setting(
        identify(webhooks),
        authority,
        public_url,
        port,
        successes=_successes(declared),
        slow_seconds=max((delivery.timeout_seconds for delivery in declared), default=0)
        + _SLOWER_SECONDS,
    )


def _successes(declared: Sequence[Delivery]) -> Sequence[int]:
    """Return the usual statuses that acknowledge every webhook, else the lowest declared one."""
    usual = [
        status
        for status in _USUAL_SUCCESSES
        if all(status in delivery.success_statuses for delivery in declared)
    ]
    return usual or [min(delivery.success_statuses[0] for delivery in declared)]


@dataclass(slots=True)
class WebhookObservation:
    """An observation of the webhooks of an implementation.

    Attributes:
        provoke: calls the operations that trigger webhooks.
        live_mode: sends requests with a key of live mode; None without one.
        undone: operations with request examples that succeed and are undone later: what they make
            must not be reported as finished.
    """

    target: TargetServer
    receiver: Receiver
    webhooks: Sequence[SentWebhook]
    registration: Registration
    provoke: Provoke
    pace: Pace
    live_mode: TargetServer | None = None
    undone: Sequence[tuple[str, str]] = ()
    _judge: Judge = field(init=False, repr=False)
    _endpoints: Endpoints = field(init=False, repr=False)
    _causes: dict[str, Cause] = field(default_factory=dict, repr=False)
    _tests: dict[str, Cause] = field(default_factory=dict, repr=False)
    # The webhooks about a value below its threshold, with the time when it fell further.
    _lower: list[tuple[SentWebhook, float]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Prepare the endpoints and the judge of attempts."""
        self._judge = Judge(self.target.record, self.webhooks, self.pace)
        self._endpoints = Endpoints(self.target, self.registration)

    def run(self) -> None:
        """Register endpoints, trigger every event, wait for the deliveries, and judge them."""
        selected = self._selectable()
        registered: list[ReceiverEndpoint] = []
        apart = self._apart(selected)
        try:
            none = selected if self.registration.test is None else []
            removed = self._register(((DeliveryFault.ERROR,),), none, registered, selected)
            removed_at = self._remove_failing(removed)
            registered.remove(removed)
            every = [webhook.name for webhook in self.webhooks]
            whole = self._register(self._rotation(), every, registered, selected)
            plays = self._plays()
            narrow = self._register(plays, selected[:1], registered)
            for name, example in self.undone:
                self.provoke(name, example)
            self._cause_all(whole)
            self._cause_below(whole)
            until = self._cause_again(narrow, selected[:1], len(plays))
            self._settle(whole, narrow, len(plays), until)
        except (CannotObserve, GivenUp) as error:
            reason = str(error) or "the run ended early"
            self._judge.leave(dict.fromkeys((EVENT_MISSING, *_NOT_SEEN), reason))
            for rule, operation in (
                (EVENT_UNSUBSCRIBED, self.registration.operation),
                (DELIVERY_DELETED, self.registration.remove),
            ):
                self.target.record.skip(rule, operation.pointer, reason)
        else:
            self._look(whole, narrow, selected[:1])
            self._judge.tested(self.registration, *map(self._attempts, (narrow, whole)))
            self._judge.apart(self.registration, self._attempts(apart))
            if removed_at is not None:
                attempts = self.receiver.attempts(removed.url)
                self._judge.silence(self.registration, removed_at, attempts)
        finally:
            for endpoint in registered:
                self._endpoints.remove(endpoint)
            if self.live_mode is not None and apart is not None:
                Endpoints(self.live_mode, self.registration).remove(apart)

    def _register(
        self,
        plays: Plays,
        selected: Sequence[str],
        all_: list[ReceiverEndpoint],
        otherwise: Sequence[str] | None = None,
    ) -> ReceiverEndpoint:
        """Register an endpoint for some types, or for others if those cannot be selected."""
        url = self.receiver.endpoint(plays)
        try:
            endpoint = self._endpoints.register(url, selected)
        except CannotObserve:
            response = self.target.record.exchanges[-1].response
            is_refused = response is not None and response.status in _NOT_VALID
            if otherwise is None or otherwise == selected or not is_refused:
                raise
            endpoint = self._endpoints.register(url, otherwise)
        all_.append(endpoint)
        return endpoint

    def _apart(self, selected: Sequence[str]) -> ReceiverEndpoint | None:
        """Register an endpoint in live mode, where no event is triggered; None if it fails."""
        if self.live_mode is None:
            return None
        try:
            endpoints = Endpoints(self.live_mode, self.registration)
            return endpoints.register(self.receiver.endpoint(), selected)
        except CannotObserve:
            return None

    def _attempts(self, endpoint: ReceiverEndpoint | None) -> Sequence[DeliveryAttempt]:
        return () if endpoint is None else self.receiver.attempts(endpoint.url)

    def _remove_failing(self, endpoint: ReceiverEndpoint) -> float | None:
        """Remove an endpoint with a pending retry, and return the time of the removal.

        Raises:
            CannotObserve: connections to the receiver fail.
        """
        if self.registration.test is not None:
            self._endpoints.test(self.registration.test, endpoint)
            until = time.time() + self._test_seconds()
            self.receiver.wait(lambda: self._reaches(endpoint), until)
            if not self.receiver.attempts(endpoint.url) and self.receiver.distrusted:
                raise CannotObserve("the implementation does not trust the receiver's authority")
        removal = self._endpoints.remove(endpoint)
        if not removal.succeeded:
            pointer = self.registration.remove.pointer
            reason = f"{self.registration.remove.name} {outcome(removal)}"
            self.target.record.skip(DELIVERY_DELETED, pointer, reason)
            return None
        return time.time()

    def _reaches(self, endpoint: ReceiverEndpoint) -> bool:
        return bool(self.receiver.attempts(endpoint.url)) or self.receiver.distrusted > 0

    def _cause_all(self, whole: ReceiverEndpoint) -> None:
        """Make each call that triggers a webhook once."""
        causes: dict[tuple[str, str | None], Cause] = {}
        for webhook in self.webhooks:
            trigger = webhook.trigger
            if trigger is None or webhook.delivery is None:
                missing = "what causes it" if trigger is None else "which header names its type"
                reason = f"the document does not say {missing}"
                self.target.record.skip(EVENT_MISSING, place(EVENT_MISSING, webhook), reason)
                continue
            scenario = trigger.scenario.raw if trigger.scenario else None
            call = trigger.operation.raw, scenario
            if call not in causes:
                causes[call] = self._call(webhook, whole)
            cause = causes[call]
            if _is_done(cause):
                self._causes[webhook.name] = cause
            else:
                reason = f"the call that triggers it {outcome(cause.exchange)}"
                self.target.record.skip(EVENT_MISSING, place(EVENT_MISSING, webhook), reason)

    def _cause_below(self, whole: ReceiverEndpoint) -> None:
        """Lower values that are below their thresholds, which must not trigger the event again."""
        for webhook in self.webhooks:
            cause, trigger = self._causes.get(webhook.name), webhook.trigger
            if cause is None or trigger is None or trigger.falls is None:
                continue
            until = cause.answered_at + trigger.within_seconds
            self.receiver.wait(partial(self._has_arrived, webhook, cause, whole), until)
            begun_at, was_below = time.time(), self._is_below(trigger.falls)
            self.provoke(trigger.operation.raw, None)
            if was_below and self._is_below(trigger.falls):
                self._lower.append((webhook, begun_at))

    def _has_arrived(self, webhook: SentWebhook, cause: Cause, endpoint: ReceiverEndpoint) -> bool:
        came = self.receiver.attempts(endpoint.url)
        return None not in self._judge.arrived(webhook, cause, came).values()

    def _is_below(self, declared: Falls) -> bool:
        response = self.provoke(declared.read.raw, None).response
        if response is None:
            return False
        value, threshold = (
            decimal_of(response.at(text.raw)) for text in (declared.at, declared.below)
        )
        return value is not None and threshold is not None and value < threshold

    def _cause_again(self, narrow: ReceiverEndpoint, selected: Sequence[str], times: int) -> float:
        """Trigger a number of events of an endpoint; return when the last of them is due."""
        caused = [
            webhook
            for webhook in self.webhooks
            if self.registration.is_sent_to_one(webhook)
            or (self.registration.test is None and webhook.trigger and webhook.name in selected)
        ]
        for webhook in caused[:1]:
            causes = [self._call(webhook, narrow) for _ in range(times)]
            if self.registration.is_sent_to_one(webhook) and _is_done(causes[0]):
                self._tests[webhook.name] = causes[0]
        return time.time() + self._test_seconds()

    def _call(self, webhook: SentWebhook, endpoint: ReceiverEndpoint) -> Cause:
        trigger, test = webhook.trigger, self.registration.test
        assert trigger is not None
        begun_at = time.time()
        if test is not None and self.registration.is_sent_to_one(webhook):
            exchange = self._endpoints.test(test, endpoint)
        else:
            scenario = trigger.scenario.raw if trigger.scenario else None
            exchange = self.provoke(trigger.operation.raw, scenario)
        return Cause(begun_at, exchange, time.time())

    def _settle(
        self, whole: ReceiverEndpoint, narrow: ReceiverEndpoint, events: int, until: float
    ) -> None:
        """Wait for all expected events and their attempts, or until their time is over.

        Other steps of a run may cause further events, which must not prolong it.
        """
        endpoints = whole, narrow
        self._wait(endpoints, partial(self._due, whole, narrow, events, until))
        begun = [attempts[0] for attempts in self._events(endpoints)]
        self._wait(endpoints, partial(self._unsettled, endpoints, begun))

    def _wait(
        self, endpoints: Sequence[ReceiverEndpoint], pending: Callable[[], Iterable[float]]
    ) -> None:
        """Wait until nothing is pending; each attempt may change the times until which it is."""
        seen = -1

        def count() -> int:
            return sum(len(self.receiver.attempts(endpoint.url)) for endpoint in endpoints)

        def has_news() -> bool:
            return count() > seen

        while (latest := max(pending(), default=0)) > time.time():
            seen = count()
            self.receiver.wait(has_news, latest)

    def _due(
        self, whole: ReceiverEndpoint, narrow: ReceiverEndpoint, events: int, until: float
    ) -> Iterator[float]:
        """Yield the times until which the first attempts of events are expected."""
        yield from (begun_at + _QUIET_SECONDS for _, begun_at in self._lower)
        for causes, endpoint in ((self._causes, whole), (self._tests, narrow)):
            for webhook in self.webhooks:
                cause = causes.get(webhook.name)
                if cause and webhook.trigger and not self._has_arrived(webhook, cause, endpoint):
                    yield cause.answered_at + webhook.trigger.within_seconds
        if len(self._judge.events(self.receiver.attempts(narrow.url))) < events:
            yield until

    def _unsettled(
        self, endpoints: Sequence[ReceiverEndpoint], begun: Sequence[DeliveryAttempt]
    ) -> Iterator[float]:
        """Yield the times until which further attempts of events may arrive."""
        for attempts in self._events(endpoints):
            if attempts[0] in begun:
                yield from self._judge.pending(attempts)

    def _events(self, endpoints: Sequence[ReceiverEndpoint]) -> Iterator[Sequence[DeliveryAttempt]]:
        for endpoint in endpoints:
            yield from self._judge.events(self.receiver.attempts(endpoint.url))

    def _look(
        self, whole: ReceiverEndpoint, narrow: ReceiverEndpoint, selected: Sequence[str]
    ) -> None:
        now = time.time()
        for endpoint in (whole, narrow):
            attempts = self.receiver.attempts(endpoint.url)
            self._judge.single(endpoint, attempts)
            self._judge.together(attempts, now)
        came = self.receiver.attempts(whole.url)
        for webhook in self.webhooks:
            if webhook.name in self._causes:
                self._judge.arrival(webhook, self._causes[webhook.name], came)
        for webhook, since in self._lower:
            self._judge.again(webhook, since, came)
        # A test reaches an endpoint whether it has selected the type or not.
        for webhook in self.webhooks:
            if webhook.name in self._tests:
                tested = self.receiver.attempts(narrow.url)
                self._judge.arrival(webhook, self._tests[webhook.name], tested)
        self._judge.selection(self.registration, selected, self.receiver.attempts(narrow.url))
        self._judge.leave(_NOT_SEEN)
        if self.receiver.refused:
            reason = "some requests to the receiver were rejected: too many, or not HTTP"
            self.target.record.skip(EVENT_MISSING, WEBHOOKS, reason)

    def _selectable(self) -> list[str]:
        return [
            webhook.name
            for webhook in self.webhooks
            if not self.registration.is_sent_to_one(webhook)
        ]

    def _rotation(self) -> Plays:
        return _EACH_FAULT if self._waits(1) else ()

    def _plays(self) -> Plays:
        """Return the faults of the endpoint under test, the only one with slow faults."""
        plays: list[tuple[DeliveryFault, ...]] = [(DeliveryFault.REDIRECT,)]
        if self._waits(2):
            plays.append((DeliveryFault.ERROR, DeliveryFault.ERROR))
        if self._waits(1):
            plays += [(DeliveryFault.GONE,), (DeliveryFault.REFUSED,)]
        if self._waits(1) and self._timeout() <= self.pace.patience_seconds:
            plays.append((DeliveryFault.SLOW,))
        return plays

    def _waits(self, failures: int) -> bool:
        declared = (webhook.delivery for webhook in self.webhooks if webhook.delivery is not None)
        return any(self.pace.pause(delivery, failures) is not None for delivery in declared)

    def _timeout(self) -> float:
        declared = (webhook.delivery for webhook in self.webhooks if webhook.delivery is not None)
        return max((delivery.timeout_seconds for delivery in declared), default=0)

    def _test_seconds(self) -> float:
        declared = (webhook.trigger for webhook in self.webhooks if webhook.trigger is not None)
        return max((trigger.within_seconds for trigger in declared), default=0)


def _is_done(cause: Cause) -> bool:
    response = cause.exchange.response
    return response is not None and response.is_success
