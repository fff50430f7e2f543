"""Values that a server shows only once (`x-contract-once`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.report.redaction import REDACTED

SHOWN_ONCE = BehaviourRule(
    "shown-once",
    BehaviourCategory.STATE,
    "A value that is shown once does not appear in any other response.",
    example="POST /keys -> 201 with a secret, then GET /keys/7 with the same secret",
    advice="Return the secret when it is created and never again; store only its digest.",
    weight=16,
    judge=judge_shape,
)


@dataclass(slots=True)
class ShownOnce:
    """A search for the values of a run that are shown once, in all later responses."""

    contract: Contract
    record: Record
    _first: dict[str, Exchange] = field(default_factory=dict, repr=False)

    def check(self, exchange: Exchange, response: HttpResponse) -> Iterator[Violation]:
        """Yield a violation for each value that a response repeats."""
        text = response.body.decode("utf-8", "replace")
        for value, first in self._first.items():
            if value in text:
                name = self.contract.name_of(exchange)
                message = f"{name} repeats a value that may be shown only once"
                yield Violation(SHOWN_ONCE, first.operation or "", message, (first, exchange))
        for value in self.contract.secrets(exchange.operation, response):
            self.record.check(SHOWN_ONCE, exchange.operation or "")
            if value != REDACTED:
                self._first.setdefault(value, exchange)
