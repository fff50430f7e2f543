"""Links found in responses, written into the document for schemathesis."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from specwright.conformance.contract.calls import ABSENT, Call
from specwright.conformance.contract.contract import Contract, Operation
from specwright.conformance.contract.links import inferred
from specwright.conformance.recording.exchange import Exchange
from specwright.document.model import Document
from specwright.pointer import Pointer, resolve


def write_links(
    derived: Document, contract: Contract, seen: Iterable[Exchange], left_out: Set[Pointer]
) -> None:
    """Write the links of the last successful responses into a derived document.

    Args:
        left_out: operations that the derived document will not have.
    """
    last: dict[tuple[Pointer, int], tuple[Operation, Exchange]] = {}
    for exchange in seen:
        operation, response = contract.operations.get(exchange.operation or ""), exchange.response
        if operation is not None and response is not None and response.is_success:
            last[operation.pointer, response.status] = operation, exchange
    for (pointer, status), (operation, exchange) in last.items():
        declared = operation.response(status)
        is_linked = bool(contract.links(operation, status))
        links = {} if is_linked else _links(contract, operation, exchange, left_out)
        if declared is not None and links:
            # A shared response must not get the links of a single operation.
            own = {**derived.follow(resolve(derived.data, declared.pointer)), "links": links}
            resolve(derived.data, pointer)["responses"][_pattern(operation, status)] = own


def _links(
    contract: Contract, operation: Operation, exchange: Exchange, left_out: Set[Pointer]
) -> dict[str, Any]:
    sent = exchange.request.json_or_none
    assert exchange.response is not None
    call = Call(operation, body=ABSENT if sent is None else sent)
    found = inferred(contract, call, exchange.response)
    kept = [link for link in found if link.target not in left_out]
    return {
        f"link{number}": {**_target(contract, link.target), "parameters": dict(link.parameters)}
        for number, link in enumerate(kept, 1)
    }


def _target(contract: Contract, pointer: Pointer) -> dict[str, str]:
    id = contract.operations[pointer].site.id
    return {"operationRef": f"#{pointer}"} if id is None else {"operationId": id}


def _pattern(operation: Operation, status: int) -> str:
    return next(
        each
        for each in (str(status), f"{status // 100}XX", "default")
        if each in operation.responses
    )
