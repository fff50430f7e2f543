"""Violations as findings: one for each cause, with the operations affected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from specwright.conformance.checks.table import BY_ID
from specwright.conformance.checks.table import DESCRIPTIONS as RULES
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record, Violation
from specwright.findings import (
    EXPECTED,
    Evidence,
    Finding,
    Level,
    Occurrence,
    RuleDescription,
    in_order,
    values_of,
)
from specwright.http_messages import (
    BODY_LIMIT,
    MessageContent,
    RequestMessage,
    ResponseMessage,
)
from specwright.internal_errors import INTERNAL_ERROR
from specwright.pointer import Pointer
from specwright.policy import WAIVER_EXPIRED, WAIVER_UNUSED, Settings, Waivers, places_of

DESCRIPTIONS: tuple[RuleDescription, ...] = (
    *RULES,
    WAIVER_UNUSED,
    WAIVER_EXPIRED,
    INTERNAL_ERROR,
)
_BY_ID = {rule.id: rule for rule in DESCRIPTIONS}
# The reason for accepting a finding that an earlier run also had.
IN_BASELINE = "It is in the baseline."
# The most exchanges of one occurrence.
_EXCHANGES = 4


@dataclass(frozen=True, slots=True)
class Known:
    """The identity of a failure across runs, which does not depend on a seed, a day or words."""

    rule: str
    operation: str
    pointer: Pointer
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standards:
    """The requirements of a project on an implementation.

    Attributes:
        baseline: failures of an earlier run that are accepted for now.
    """

    settings: Settings = field(default_factory=Settings)
    baseline: frozenset[Known] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """The findings that count, and those that the project accepts."""

    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...]


def judged(
    contract: Contract,
    record: Record,
    standards: Standards = Standards(),
    *,
    is_whole: bool = False,
) -> Judged:
    """Return a graded finding for each cause; rules that are off are left out.

    Failures of one rule have the same cause if they are described in the same words, apart from
    the operation and the values.

    Args:
        is_whole: whether the run was complete, so that unused waivers are known.
    """
    settings = standards.settings
    waivers = Waivers(settings, _BY_ID)
    causes: dict[tuple[str, str, Level, str | None], list[Occurrence]] = {}
    identities: dict[str, tuple[str, ...]] = {}
    for id, violation in record.failures.items():
        occurrence = _occurrence(contract, id, violation)
        known = known_as(violation, occurrence.operation)
        cause = violation.cause or violation.message
        # Without a cause that is the same everywhere, the fault is that of a place.
        place = () if violation.cause else values_of(violation.pointer)
        identities[id] = (*place, *violation.values)
        places = (*places_of(occurrence.pointer), occurrence.operation)
        level = settings.level(_BY_ID[violation.rule], places)
        if level is not Level.OFF:
            reason = waivers.reason(violation.rule, places)
            if reason is None and known in standards.baseline:
                reason = IN_BASELINE
            causes.setdefault((violation.rule, cause, level, reason), []).append(occurrence)
    findings = [
        replace(_finding(*cause, occurrences), values=identities[occurrences[0].id])
        for cause, occurrences in causes.items()
    ]
    about = (
        finding for finding in waivers.findings() if is_whole or finding.rule == WAIVER_EXPIRED.id
    )
    return Judged(
        in_order([*(finding for finding in findings if finding.waived is None), *about]),
        in_order(finding for finding in findings if finding.waived is not None),
    )


def _finding(
    rule: str, cause: str, level: Level, reason: str | None, occurrences: Sequence[Occurrence]
) -> Finding:
    first = occurrences[0]
    return Finding(
        rule,
        level,
        first.location,
        first.pointer,
        _message(cause, occurrences),
        evidence=first.evidence,
        waived=reason,
        cause=cause,
        occurrences=tuple(occurrences),
    )


def known_as(violation: Violation, operation: str) -> Known:
    """Return the identity of a violation across runs."""
    return Known(str(violation.rule), operation, violation.pointer, violation.values)


def operation_of(contract: Contract, violation: Violation) -> str:
    """Return the operation of a violation, such as `POST /orders`; empty if it has none."""
    proof = violation.exchanges[-1] if violation.exchanges else None
    for operation in contract.operations.values():
        if f"{violation.pointer}/".startswith(f"{operation.pointer}/"):
            return operation.name
        if proof is not None and proof.operation is None and violation.pointer == operation.item:
            return f"{proof.request.method} {operation.site.key}"
    own = contract.operations.get((proof and proof.operation) or "")
    return "" if own is None else own.name


def _occurrence(contract: Contract, id: str, violation: Violation) -> Occurrence:
    return Occurrence(
        id,
        operation_of(contract, violation),
        contract.document.locate(violation.pointer),
        contract.document.as_written(violation.pointer),
        violation.text,
        (
            Evidence("failure", id),
            *_expected(contract, violation),
            *_evidence(violation.exchanges),
        ),
    )


def _expected(contract: Contract, violation: Violation) -> Iterator[Evidence]:
    """Yield the response that the rule expects, if that is known."""
    rule = BY_ID.get(violation.rule)
    if rule is not None:
        expected = rule.expected
        text = expected if isinstance(expected, str) else expected(contract, violation.pointer)
        if text:
            yield Evidence(EXPECTED, text)


def _message(cause: str, occurrences: Sequence[Occurrence]) -> str:
    """Return the message of a single occurrence, else the cause with the number of operations."""
    if len(occurrences) == 1:
        return occurrences[0].message
    operations = {occurrence.operation for occurrence in occurrences if occurrence.operation}
    if len(operations) == len(occurrences):
        return f"{cause}: {len(operations)} operations"
    where = operations.pop() if len(operations) == 1 else f"{len(operations)} operations"
    return f"{cause}: {len(occurrences)} places in {where}"


def _evidence(exchanges: Sequence[Exchange]) -> Iterator[Evidence]:
    for exchange in exchanges[-_EXCHANGES:]:
        yield from shown(exchange)


def shown(exchange: Exchange) -> Iterator[Evidence]:
    """Yield the request and the response of an exchange."""
    request, response = exchange.request, exchange.response
    content = MessageContent.of(request.headers, request.body, BODY_LIMIT)
    yield Evidence(
        f"request {exchange.number}, {exchange.source}",
        request.curl,
        RequestMessage(request.method, request.url, content),
    )
    label = f"response {exchange.number}"
    if response is None:
        yield Evidence(label, exchange.failure or "no response")
    else:
        content = MessageContent.of(response.headers, response.body, BODY_LIMIT)
        yield Evidence(label, response.shown, ResponseMessage(response.status, content))
