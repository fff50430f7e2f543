"""The calls that read a resource after it was written."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.links import Unknown, evaluate, leads
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange


def reader_of(contract: Contract, writer: ContractOperation) -> ContractOperation:
    """Return the operation that shows written values: the writer, if no other reads its path."""
    reader = None if writer.method == "POST" else contract.reader(writer)
    return writer if reader is None else reader


def reading(driver: Driver, call: OperationCall, reader: ContractOperation) -> OperationCall:
    """Return the call that reads the result of a call; the names of path variables may differ."""
    known = next(driver.candidates(reader), None)
    names = zip(
        *(variables(operation.site.key) for operation in (reader, call.operation)), strict=True
    )
    path = {
        ("path", own): call.arguments["path", other]
        for own, other in names
        # A document may lack the declaration of a variable.
        if ("path", other) in call.arguments
    }
    return OperationCall(reader, {**({} if known is None else known.arguments), **path})


def reader_of_created(
    driver: Driver,
    routes: ContractRoutes,
    call: OperationCall,
    created: Exchange,
    headers: Iterable[str] = ("location",),
) -> OperationCall | None:
    """Return the call that reads a created resource; None if no operation does.

    Args:
        headers: those of the response that may have its URL.
    """
    response = created.response
    assert response is not None, "it succeeded"
    for name in headers:
        location = response.header(name)
        read = None if location is None else reader_at(routes, created.request.url, location)
        if read is not None:
            return read
    for lead in leads(driver.contract, call, response):
        readers = (
            operation
            for operations in driver.contract.members.get(lead.shape, {}).values()
            for operation in operations
            if operation.method == "GET" and shape(operation.site.key) == lead.shape
        )
        for reader in readers:
            try:
                values = [evaluate(place, call, response) for place in lead.expressions]
            except Unknown:
                continue
            names = [("path", name) for name in variables(reader.site.key)]
            return OperationCall(reader, dict(zip(names, values, strict=True)))
    return None


def reader_at(routes: ContractRoutes, url: str, location: str) -> OperationCall | None:
    """Return the call that reads a Location; None if it is elsewhere, or no operation does.

    Args:
        url: that of the request, to which it is relative (RFC 9110, 10.2.2).
    """
    target = urljoin(url, location)
    reader = routes.operation("GET", target)
    path = None if reader is None else routes.path_values(reader.site, target)
    is_here = urlsplit(target).netloc == urlsplit(url).netloc
    if reader is None or path is None or not is_here:
        return None
    return OperationCall(reader, {("path", name): value for name, value in path.items()})
