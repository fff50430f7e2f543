"""Violations as findings, with the requests that show them."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.record import Record, Violation
from specwright.findings import Evidence, Finding, Level

# Of one finding.
_EXCHANGES = 4


def findings(contract: Contract, record: Record) -> Iterator[Finding]:
    """Yield a finding for each failure, which names its id."""
    for id, each in record.failures.items():
        yield Finding(
            each.rule,
            Level.ERROR,
            contract.document.locate(each.pointer),
            each.pointer,
            each.message,
            evidence=(Evidence("failure", id), *_evidence(each)),
        )


def _evidence(violation: Violation) -> Iterator[Evidence]:
    for exchange in violation.exchanges[-_EXCHANGES:]:
        yield Evidence(f"request {exchange.number}, {exchange.source}", exchange.request.curl)
        answer = exchange.response.shown if exchange.response else exchange.failure or "no answer"
        yield Evidence(f"answer {exchange.number}", answer)
