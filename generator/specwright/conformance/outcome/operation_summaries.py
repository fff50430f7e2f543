"""The successes of each operation, or the last attempt if it never succeeded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.outcome.evidence import shown
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.findings import OperationSummary
from specwright.pointer import Pointer

# Hints, by the status of the last response.
_HINTS = {
    401: "the key is not accepted here: check which scheme the operation requires",
    403: "the key lacks the permission to call it: use one that has it",
    404: "give an example of {names} that exists",
    409: "the request conflicts with existing data: give an example without a conflict",
    405: "the server does not support this method: is the base URL right?",
    415: "the server expects another media type than the document declares",
    429: "use a key with a higher rate limit",
}
_REFUSED = "give an example of {names} that the server accepts"
_FAILED = "the server failed: check its log"
_NOT_SENT = "no request could be made: give an example of {names}"
_REDIRECTED = "the server redirects: correct the path in the document, or the base URL"


def operation_summaries(contract: Contract, record: Record) -> Iterator[OperationSummary]:
    """Yield each operation with the number of its successes."""
    by_operation = defaultdict[Pointer, list[Exchange]](list)
    for exchange in record.exchanges:
        by_operation[exchange.operation or ""].append(exchange)
    for operation in contract.operations.values():
        sent = by_operation[operation.pointer]
        count = sum(1 for exchange in sent if operation.is_success(exchange.response))
        own = [exchange for exchange in sent if exchange.role == MAIN] or sent
        if count or not own:
            hint = "" if count else _NOT_SENT.format(names=_inputs(operation))
            yield OperationSummary(operation.name, count, hint=hint)
        else:
            # Requests of scenarios are valid, apart from values that they cannot know.
            last = next((e for e in reversed(own) if e.source == "scenarios"), own[-1])
            yield OperationSummary(
                operation.name, 0, _outcome(last), _hint(operation, last), tuple(shown(last))
            )


def _outcome(exchange: Exchange) -> str:
    return str(exchange.response.status) if exchange.response else exchange.failure or "no response"


def _hint(operation: ContractOperation, exchange: Exchange) -> str:
    status = exchange.response.status if exchange.response is not None else 500
    if 300 <= status < 400:
        return _REDIRECTED
    words = _HINTS.get(status, _FAILED if status >= 500 else _REFUSED)
    return words.format(names=_inputs(operation))


def _inputs(operation: ContractOperation) -> str:
    """Return the inputs that a caller has to know, in words."""
    names = [f"'{slot.key[1]}'" for slot in operation.slots if slot.written.required]
    names += ["the body"] if operation.has_body else []
    return ", ".join(names) or "its parameters"
