"""Runs of rules on operations, with reasons for those that were skipped."""

from __future__ import annotations

import socket
from collections import Counter, defaultdict
from collections.abc import Iterator

from specwright.conformance.checks.table import DESCRIPTIONS as RULES
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.record import Record
from specwright.findings import RuleRun, RunTime
from specwright.pointer import Pointer

_NOT_ASKED = "nothing in the contract or run requires it"


def rule_runs(contract: Contract, record: Record) -> Iterator[RuleRun]:
    """Yield a run for each rule and each operation that it was tried on, or skipped for.

    A part outside all operations, such as a shared response, belongs to the whole API. The rules
    that were tried on an operation share the time of its requests equally.
    """
    subjects = _Subjects(contract)
    tried = {
        rule.id: {subjects.of(pointer) for pointer in record.checked.get(rule.id, ())}
        for rule in RULES
    }
    skipped = {(skip.rule, subjects.of(skip.pointer)): skip.reason for skip in record.skips}
    seconds = defaultdict[str, float](float)
    for exchange in record.exchanges:
        seconds[subjects.of(exchange.operation or "")] += exchange.seconds
    shares = Counter(subject for names in tried.values() for subject in names)
    for rule in RULES:
        reasons = {subject: why for (name, subject), why in skipped.items() if name == rule.id}
        for subject in sorted(tried[rule.id]):
            yield RuleRun(subject, rule.id, seconds=seconds[subject] / shares[subject])
        for subject in sorted(reasons.keys() - tried[rule.id]):
            yield RuleRun(subject, rule.id, reasons[subject])
        if not tried[rule.id] and not reasons:
            yield RuleRun("", rule.id, _NOT_ASKED)


def run_time(record: Record) -> RunTime | None:
    """Return the time of the first request, and the seconds until the last response."""
    if not record.exchanges:
        return None
    started = min(exchange.sent_at for exchange in record.exchanges)
    ended = max(exchange.sent_at + exchange.seconds for exchange in record.exchanges)
    return RunTime(started, ended - started, socket.gethostname() or "localhost")


class _Subjects:
    """The operations and webhooks that places of a document belong to."""

    def __init__(self, contract: Contract) -> None:
        self._names = {
            operation.pointer: operation.name for operation in contract.operations.values()
        }
        self._names |= {webhook.pointer: webhook.key for webhook in contract.webhooks}
        self._known: dict[Pointer, str] = {}

    def of(self, pointer: Pointer) -> str:
        """Return the operation or webhook of a pointer into it or to its path item, else ""."""
        if pointer not in self._known:
            self._known[pointer] = next(
                (
                    name
                    for place, name in self._names.items()
                    if f"{pointer}/".startswith(f"{place}/") or place.rpartition("/")[0] == pointer
                ),
                "",
            )
        return self._known[pointer]
