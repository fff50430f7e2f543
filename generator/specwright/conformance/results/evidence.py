"""Violations as findings: one for each cause, with the operations that have it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange, message
from specwright.conformance.recording.record import Record, Violation
from specwright.findings import Evidence, Finding, Level, Occurrence

# Of one occurrence.
_EXCHANGES = 4


def findings(contract: Contract, record: Record) -> Iterator[Finding]:
    """Yield a finding for each cause, in the order in which they were found.

    Failures of one rule have one cause if they are said in the same words, but for the operation
    and the values.
    """
    causes: dict[tuple[str, str], list[Occurrence]] = {}
    for id, each in record.failures.items():
        found = _occurrence(contract, id, each)
        causes.setdefault((each.rule, cause_of(each, found.operation)), []).append(found)
    for (rule, cause), occurrences in causes.items():
        first = occurrences[0]
        yield Finding(
            rule,
            Level.ERROR,
            first.location,
            first.pointer,
            _message(cause, occurrences),
            evidence=first.evidence,
            cause=cause,
            occurrences=tuple(occurrences),
        )


def cause_of(violation: Violation, operation: str) -> str:
    """What is wrong, without the operation that the message begins with."""
    return violation.cause or violation.message.removeprefix(f"{operation}:").strip()


def operation_of(contract: Contract, violation: Violation) -> str:
    """The operation that a violation is about, such as `POST /orders`; empty if there is none."""
    proof = violation.exchanges[-1] if violation.exchanges else None
    for each in contract.operations.values():
        if f"{violation.pointer}/".startswith(f"{each.pointer}/"):
            return each.name
        if proof is not None and proof.operation is None and violation.pointer == each.item:
            return f"{proof.request.method} {each.site.key}"
    operation = contract.operations.get((proof and proof.operation) or "")
    return "" if operation is None else operation.name


def _occurrence(contract: Contract, id: str, violation: Violation) -> Occurrence:
    return Occurrence(
        id,
        operation_of(contract, violation),
        contract.document.locate(violation.pointer),
        violation.pointer,
        violation.message,
        (Evidence("failure", id), *_evidence(violation.exchanges)),
    )


def _message(cause: str, occurrences: Sequence[Occurrence]) -> str:
    """What one operation does, else the cause with how many do so."""
    if len(occurrences) == 1:
        return occurrences[0].message
    operations = {each.operation for each in occurrences if each.operation}
    if len(operations) == len(occurrences):
        return f"{cause}: {len(operations)} operations"
    where = operations.pop() if len(operations) == 1 else f"{len(operations)} operations"
    return f"{cause}: {len(occurrences)} places of {where}"


def _evidence(exchanges: Sequence[Exchange]) -> Iterator[Evidence]:
    for exchange in exchanges[-_EXCHANGES:]:
        request, response = exchange.request, exchange.response
        written = {"method": request.method, "url": request.url}
        yield Evidence(
            f"request {exchange.number}, {exchange.source}",
            request.curl,
            json.dumps(written | message(request.headers, request.body)),
        )
        label = f"answer {exchange.number}"
        if response is None:
            yield Evidence(label, exchange.failure or "no answer")
        else:
            answered = {"status": response.status, **message(response.headers, response.body)}
            yield Evidence(label, response.shown, json.dumps(answered))
