"""Requests with a key without permissions."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.roles import SUSPENDED
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.recording.record import Violation


def permission(bench: Workbench) -> None:
    """Call every operation that requires a credential with a key without permissions."""
    record = bench.target.record
    for operation in bench.contract.operations.values():
        if operation.scheme is None:
            continue
        call = next(bench.candidates(operation), None)
        if SUSPENDED not in bench.target.keys or call is None:
            reason = "no key without permissions was given"
            record.skip(Behaviour.PERMISSION, operation.pointer, reason)
            continue
        exchange = bench.send(call, SUSPENDED)
        record.check(Behaviour.PERMISSION, operation.pointer)
        response = exchange.response
        if response is not None and response.status not in (403, 429):
            message = f"{operation.name}: answered {response.status} to a key without permissions"
            record.violate(Violation(Behaviour.PERMISSION, operation.pointer, message, (exchange,)))
