"""What is there after something was made or removed."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.calls import Call
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation


def deleted(bench: Workbench) -> None:
    """Remove one thing of each kind, and ask for it afterwards in every way."""
    for operation in bench.contract.operations.values():
        if operation.method == "DELETE" and operation.slots:
            _deleted(bench, operation)


def _deleted(bench: Workbench, operation: Operation) -> None:
    record = bench.target.record
    made = bench.succeed(operation) or _after_another(bench, operation)
    if made is None:
        record.skip(Behaviour.DELETED_IS_GONE, operation.pointer, "the operation never succeeded")
        return
    call, first = made
    record.check(Behaviour.DELETED_IS_GONE, operation.pointer)
    for each in bench.contract.operations.values():
        below = each.site.key == operation.site.key or each.site.key.startswith(
            f"{operation.site.key}/"
        )
        if not below or {slot.key for slot in operation.slots} - {slot.key for slot in each.slots}:
            continue
        later = next(bench.candidates(each), None)
        if later is None:
            continue
        again = bench.send(Call(each, {**later.arguments, **call.arguments}, later.body))
        if again.response is not None and again.response.is_success:
            # RFC 9110, 9.3.5 and 9.2.2: a second DELETE may succeed where that is declared as well.
            if each is operation and operation.response(404) is None:
                continue
            message = f"{each.name}: answered {again.response.status} after {operation.name}"
            record.violate(
                Violation(Behaviour.DELETED_IS_GONE, operation.pointer, message, (first, again))
            )


def _after_another(bench: Workbench, operation: Operation) -> tuple[Call, Exchange] | None:
    """Make something to remove, where something in the path above makes it."""
    parent = operation.site.key.rpartition("/")[0]
    for each in bench.contract.operations.values():
        if each.site.key == parent and each.method == "POST" and bench.succeed(each) is not None:
            return bench.succeed(operation)
    return None
