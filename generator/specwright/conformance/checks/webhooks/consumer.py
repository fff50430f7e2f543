"""Tests of a consumer of webhooks: its responses to deliveries, as findings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from specwright.conformance.checks.webhooks.deliveries import (
    FORGERIES,
    GENUINE,
    REPEATED,
    UNKNOWN,
    Genuine,
    ReceivedMessage,
    of_unknown_type,
)
from specwright.conformance.contract.webhooks import SentWebhook
from specwright.conformance.driver.preflight import in_words
from specwright.document.model import Document
from specwright.errors import InputError
from specwright.extras import LazyLibrary
from specwright.findings import Evidence, Finding, Level, RuleDescription, values_of
from specwright.json_values import JsonValue
from specwright.pointer import join
from specwright.vocabulary.keywords.signature import SIGNATURE

if TYPE_CHECKING:
    import httpx2
else:
    httpx2 = LazyLibrary("httpx2")

_SECONDS = 15.0
_SUCCESS = range(200, 300)
_REFUSAL = range(400, 500)

# The status, or the reason why there was no response.
_Response: TypeAlias = int | str


@dataclass(frozen=True, slots=True)
class _Trial:
    """A delivery to be sent.

    Attributes:
        words: a description of the delivery.
        event: its body, before a forgery changes it.
        is_genuine: whether it must be acknowledged; otherwise it must be refused.
    """

    rule: RuleDescription
    webhook: SentWebhook
    words: str
    event: JsonValue
    message: ReceivedMessage
    is_genuine: bool


@dataclass(frozen=True, slots=True)
class Consumer:
    """The endpoint of a consumer, and the secret that it verifies deliveries with."""

    document: Document
    url: str
    secret: str = field(repr=False)

    def findings(self, webhooks: Sequence[SentWebhook]) -> list[Finding]:
        """Send every delivery; return findings on the responses and on deliveries not sent.

        Raises:
            InputError: the consumer cannot be reached, or there is nothing to send.
        """
        return [*asyncio.run(self._try_all(webhooks)), *self._left_out(webhooks)]

    async def _try_all(self, webhooks: Sequence[SentWebhook]) -> list[Finding]:
        findings: list[Finding] = []
        async with httpx2.AsyncClient(timeout=_SECONDS, trust_env=False) as client:
            for trial in self._trials(webhooks):
                response = await self._send(client, trial)
                if not findings and isinstance(response, str):
                    raise InputError(
                        f"the consumer does not respond: {response}", hint="start it, then retry"
                    )
                findings.append(self._finding(trial, response))
        if not findings:
            raise InputError(
                "no webhook of the document has an example, or a schema with a value to send",
                hint="give one of them an example of its body in JSON",
            )
        return findings

    def _trials(self, webhooks: Sequence[SentWebhook]) -> Iterator[_Trial]:
        """Yield the deliveries in sending order, each created when it is due."""
        for webhook in webhooks:
            for name, event in webhook.examples:
                signed = self._genuine(webhook, event).signed()
                words = f"a delivery of '{webhook.name}'"
                if len(webhook.examples) > 1:
                    words += f" with the example '{name}'"
                yield _Trial(GENUINE, webhook, words, event, signed, True)
        for webhook in [webhook for webhook in webhooks if webhook.examples][:1]:
            _, event = webhook.examples[0]
            signed = self._genuine(webhook, event).signed()
            yield _Trial(REPEATED, webhook, "a repeated event", event, signed, True)
            unknown = of_unknown_type(self._genuine(webhook, event))
            if unknown is not None:
                words = "an event of an unknown type"
                yield _Trial(UNKNOWN, webhook, words, event, unknown.signed(), True)
        for webhook in [webhook for webhook in webhooks if webhook.examples and webhook.scheme][:1]:
            if webhook.scheme is not None:
                _, event = webhook.examples[0]
                for forgery in FORGERIES:
                    genuine = self._genuine(webhook, event)
                    forged = forgery.make(genuine, webhook.scheme)
                    words = f"a delivery {forgery.words}"
                    yield _Trial(forgery.rule, webhook, words, event, forged, False)

    def _genuine(self, webhook: SentWebhook, event: JsonValue) -> Genuine:
        return Genuine(webhook, event, self.secret, time.time())

    async def _send(self, client: httpx2.AsyncClient, trial: _Trial) -> _Response:
        declared = trial.webhook.delivery
        try:
            async with asyncio.timeout(declared.timeout_seconds if declared else _SECONDS):
                async with client.stream(
                    trial.webhook.method,
                    self.url,
                    headers=list(trial.message.headers),
                    content=trial.message.body,
                ) as response:
                    return response.status_code
        except TimeoutError:
            return "the response took too long"
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            return in_words(f"{type(error).__name__}: {error}")

    def _finding(self, trial: _Trial, response: _Response) -> Finding:
        level, words = _judged(trial, response)
        pointer = trial.webhook.pointer + ("" if trial.is_genuine else join(SIGNATURE.name))
        return Finding(
            trial.rule.id,
            level,
            self.document.locate(pointer),
            pointer,
            f"{trial.words} {words}",
            evidence=() if level is Level.INFO else (_shown(trial),),
            values=values_of(trial.event),
        )

    def _left_out(self, webhooks: Sequence[SentWebhook]) -> Iterator[Finding]:
        for webhook in webhooks:
            reasons = [
                (
                    GENUINE,
                    "has no example, and no value of its schema was found",
                    not webhook.examples,
                ),
                (FORGERIES[0].rule, "is not signed, so nothing can be forged", not webhook.scheme),
                (UNKNOWN, "does not belong to an extensible union", not webhook.is_open),
            ]
            for rule, reason, applies in reasons:
                if applies:
                    yield Finding(
                        rule.id,
                        Level.INFO,
                        self.document.locate(webhook.pointer),
                        webhook.pointer,
                        f"not tried: '{webhook.name}' {reason}",
                    )


def _judged(trial: _Trial, response: _Response) -> tuple[Level, str]:
    declared = trial.webhook.delivery
    success = _SUCCESS if declared is None else declared.success_statuses
    if isinstance(response, str):
        return Level.ERROR, f"was not answered: {response}"
    if response in success:
        level = Level.INFO if trial.is_genuine else Level.ERROR
        return level, f"was acknowledged with {response}"
    if trial.is_genuine:
        return Level.ERROR, f"was not acknowledged, but answered with {response}"
    if response in _REFUSAL:
        return Level.INFO, f"was refused with {response}"
    return Level.WARNING, f"was answered with {response}, but a refusal must be 4XX"


def _shown(trial: _Trial) -> Evidence:
    return Evidence(
        "headers", "\n".join(f"{name}: {value}" for name, value in trial.message.headers)
    )
