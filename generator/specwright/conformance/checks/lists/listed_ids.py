"""Ids of all resources in a list, not only of the newest one."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.lists.whole_lists import wholes
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation, Link
from specwright.conformance.contract.links import inferred, listed
from specwright.conformance.contract.resources import Shape, shape
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange


def listed_ids(driver: Driver, operation: ContractOperation) -> Iterator[str]:
    """Yield the values for the only path variable of an operation.

    They are those that links of lists give to it, or to another operation on the same resource.
    """
    wanted = _resource(operation)
    for call, before in list(driver.successes.values()) if wanted else ():
        links = [
            link
            for link in _links(driver, call, before)
            if _resource(driver.contract.operations[link.target]) == wanted
        ]
        whole = next(wholes(driver, call.operation), call)
        response = driver.probe(whole).response if links else None
        if response is not None:
            expressions = {
                str(each): None
                for link in links
                for name, each in link.parameters.items()
                if name.rpartition(".")[2] in driver.contract.operations[link.target].template.names
            }
            for expression in expressions:
                yield from listed(response, expression)


def _resource(operation: ContractOperation) -> Shape:
    """Return the path of the resource with the only variable in the path of an operation."""
    path = shape(operation.site.key)
    return path[: path.index(None) + 1] if path.count(None) == 1 else ()


def _links(driver: Driver, call: OperationCall, before: Exchange) -> list[Link]:
    response = before.response
    if response is None or not call.operation.is_safe:
        return []
    declared = driver.contract.links(call.operation, response.status)
    return declared or list(inferred(driver.contract, call, response))
