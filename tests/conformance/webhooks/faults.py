"""Providers that each break one rule about webhooks."""

from __future__ import annotations

import base64
import time
from dataclasses import replace
from typing import Any

from .provider import FEW, LATEST, PAUSES, WITHIN, Attempt, Event, Hook, Provider, soon


class DecodesTheSecret(Provider):
    def sign(self, key: bytes, body: bytes, at: int) -> str:
        return super().sign(base64.b64decode(key), body, at)


class SignsInCapitals(Provider):
    def sign(self, key: bytes, body: bytes, at: int) -> str:
        mac, _, rest = super().sign(key, body, at).partition(";")
        return f"mac={mac[4:].upper()};{rest}"


class SignsInAnotherOrder(Provider):
    def sign(self, key: bytes, body: bytes, at: int) -> str:
        mac, _, moment = super().sign(key, body, at).partition(";")
        return f"{moment};{mac}"


class SignsLongAgo(Provider):
    def sign(self, key: bytes, body: bytes, at: int) -> str:
        return super().sign(key, body, at - 302)


class SignsOnce(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        made: Attempt = event.__dict__.setdefault(hook.url, super().attempt(hook, event, number))
        return made


class WritesAnewAfterSigning(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        return replace(super().attempt(hook, event, number), body=event.body(indent=1))


class RetriesWithAnotherId(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        # With another id, it would be sent again about the same boxes.
        id = event.id if event.kind == "boxes.few" else f"{event.id}-{number}"
        return super().attempt(hook, replace(event, id=id), number)


class RetriesWithOtherBytes(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        made = super().attempt(hook, event, number)
        body = event.body(indent=number)
        mac = self.sign(hook.secret.encode(), body, int(time.time()))
        return Attempt(body, {**made.headers, "Parcel-Mac": mac})


class NeverRetries(Provider):
    def pauses(self) -> list[float]:
        return []


class RetriesAtOnce(Provider):
    def pauses(self) -> list[float]:
        return [0.0 for _ in PAUSES]


class WaitsForSlowAnswers(Provider):
    timeout = 10.0


class FollowsRedirects(Provider):
    follows_redirects = True


class SendsText(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        made = super().attempt(hook, event, number)
        return Attempt(made.body, {**made.headers, "Content-Type": "text/plain"})


class NamesAnotherKind(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        made = super().attempt(hook, event, number)
        return Attempt(made.body, {**made.headers, "Parcel-Kind": "parcel.lost"})


class NamesAnotherEvent(Provider):
    def attempt(self, hook: Hook, event: Event, number: int) -> Attempt:
        made = super().attempt(hook, event, number)
        return Attempt(made.body, {**made.headers, "Parcel-Event": f"{event.id}0"})


class SendsWhatNobodyDeclared(Provider):
    def kinds(self, is_fragile: bool) -> list[str]:
        return [*super().kinds(is_fragile), "parcel.lost"]

    def is_addressed(self, hook: Hook, event: Event) -> bool:
        return super().is_addressed(hook, event) or event.kind == "parcel.lost"


class WeighsInWords(Provider):
    def emit(self, event: Event) -> None:
        # The others carry declared weights.
        super().emit(replace(event, weight="five") if event.kind == "boxes.few" else event)


class SendsToEverybody(Provider):
    def is_addressed(self, hook: Hook, event: Event) -> bool:
        return not hook.is_gone


class SendsToTheRemoved(Provider):
    def is_over(self, hook: Hook) -> bool:
        return False


class SendsTwice(Provider):
    def after(self, hook: Hook, attempt: Attempt) -> None:
        self.post(hook, attempt)


class ForgetsAKind(Provider):
    def kinds(self, is_fragile: bool) -> list[str]:
        return ["parcel.sent"]


class SendsLate(Provider):
    def deliver(self, hook: Hook, event: Event) -> None:
        if event.kind == "parcel.broken":
            self.stopped.wait(WITHIN + 0.7)
        super().deliver(hook, event)


class SendsOneWeight(Provider):
    def weights(self, kind: str) -> list[int]:
        return super().weights(kind)[:1]


class SendsAnotherWeight(Provider):
    def weights(self, kind: str) -> list[int]:
        return [*super().weights(kind), *([6] if kind == "parcel.sent" else [])]


class IsDueSoon(Provider):
    def emit(self, event: Event) -> None:
        super().emit(replace(event, due=soon(60)))


class IsDueMuchLater(Provider):
    def emit(self, event: Event) -> None:
        super().emit(replace(event, due=soon(2 * LATEST)))


class TellsOfTheLost(Provider):
    def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if body.get("lost"):
            self.emit(Event("lost", "parcel.sent", 0))
        return super().handle(method, path, body)


class PingsTheSubscribed(Provider):
    def start(self, hook: Hook, event: Event) -> None:
        if event.kind != "hook.ping" or event.kind in hook.wanted:
            super().start(hook, event)


class TellsEachTimeOfFewBoxes(Provider):
    def is_short(self) -> bool:
        return self.boxes < FEW


FAULTS: dict[type[Provider], str] = {
    DecodesTheSecret: "signature",
    SignsInCapitals: "signature",
    SignsInAnotherOrder: "signature",
    SignsLongAgo: "signature",
    SignsOnce: "signature",
    WritesAnewAfterSigning: "signature",
    RetriesWithAnotherId: "delivery-retry",
    RetriesWithOtherBytes: "delivery-retry",
    NeverRetries: "delivery-retry",
    RetriesAtOnce: "delivery-retry",
    WaitsForSlowAnswers: "delivery-retry",
    FollowsRedirects: "delivery-redirect",
    SendsText: "event-headers",
    NamesAnotherKind: "event-headers",
    NamesAnotherEvent: "event-headers",
    SendsWhatNobodyDeclared: "event-headers",
    WeighsInWords: "event-schema",
    SendsToEverybody: "event-unsubscribed",
    SendsToTheRemoved: "delivery-deleted",
    SendsTwice: "delivery-acknowledged",
    ForgetsAKind: "event-missing",
    SendsLate: "event-missing",
    SendsOneWeight: "event-missing",
    PingsTheSubscribed: "event-missing",
    SendsAnotherWeight: "event-content",
    IsDueSoon: "event-content",
    IsDueMuchLater: "event-content",
    TellsOfTheLost: "event-content",
    TellsEachTimeOfFewBoxes: "event-content",
}
