"""Violations as findings, with the requests that show them."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.record import Record, Violation
from specwright.findings import Evidence, Finding, Level
from specwright.pointer import Pointer

# Of one finding.
_EXCHANGES = 4


def failures(record: Record) -> list[Violation]:
    """The violations, each once: the first one of those that say the same."""
    found: dict[tuple[str, Pointer, str], Violation] = {}
    for each in list(record.violations):
        found.setdefault((each.rule, each.pointer, each.message), each)
    return list(found.values())


def findings(contract: Contract, record: Record) -> Iterator[Finding]:
    """The failures, numbered from F1."""
    for number, each in enumerate(failures(record), 1):
        yield Finding(
            each.rule,
            Level.ERROR,
            contract.document.locate(each.pointer),
            each.pointer,
            each.message,
            evidence=(Evidence("failure", f"F{number}"), *_evidence(each)),
        )


def _evidence(violation: Violation) -> Iterator[Evidence]:
    for exchange in violation.exchanges[-_EXCHANGES:]:
        yield Evidence(f"request {exchange.number}, {exchange.source}", exchange.request.curl)
        answer = exchange.response.shown if exchange.response else exchange.failure or "no answer"
        yield Evidence(f"answer {exchange.number}", answer)
