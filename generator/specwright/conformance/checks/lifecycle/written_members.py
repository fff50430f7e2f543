"""Members that are both written and read, and their values after a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.lifecycle.readers import reader_of_created, reading
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.contract.value_parts import in_place, subschema_at
from specwright.conformance.driver.driver import Driver, is_conflict
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.document.model import Document
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.json_values import JsonObject, JsonValue, mapping, texts
from specwright.names import snake
from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE

# The status of a write that is done later.
_LATER = 202
# Types with values that no server treats as equal.
_COMPARED = ("boolean", "integer", "number", "string")


@dataclass(frozen=True, slots=True)
class WrittenMember:
    """A member that is both written and read.

    Attributes:
        values: two different ones that any server keeps apart, or none.
    """

    name: str
    place: Pointer
    values: tuple[JsonValue, ...]


def makes_freely(operation: ContractOperation) -> bool:
    """Return whether it creates resources; those with a capacity or a charge have own scenarios."""
    is_free = operation.get(CAPACITY) is None and operation.get(CHARGE) is None
    return operation.method == "POST" and "201" in operation.responses and is_free


def shown_after(
    driver: Driver,
    call: OperationCall,
    reader: ContractOperation,
    change: JsonObject,
    member: WrittenMember,
) -> tuple[JsonValue, tuple[Exchange, ...]] | None:
    """Return the value of a member as read after a change, with the exchanges; None if unknown."""
    result = object_after(driver, call, reader, change)
    if result is None or member.name not in result[0]:
        return None
    return result[0][member.name], result[1]


def object_after(
    driver: Driver, call: OperationCall, reader: ContractOperation, change: JsonObject
) -> tuple[JsonObject, tuple[Exchange, ...]] | None:
    """Return the object that is read after a change, with the exchanges; None if there is none."""
    sent = driver.send(_changed(driver, call, change))
    if is_conflict(sent):
        # There is one with these values, such as its name.
        sent = driver.send(_changed(driver, driver.renewed(call), change))
    if not is_done(sent.response):
        return None
    read = sent if reader is call.operation else driver.send(reading(driver, call, reader))
    shown = None if read.response is None else read.response.json_or_none
    if not is_done(read.response) or not isinstance(shown, dict):
        return None
    return shown, (sent,) if read is sent else (sent, read)


def object_created(
    driver: Driver,
    routes: ContractRoutes,
    call: OperationCall,
    edited: Callable[[OperationCall], OperationCall],
) -> tuple[JsonObject, tuple[Exchange, ...]] | None:
    """Return a new object as its creation and its reader show it; None if it is refused.

    Args:
        edited: returns the call with another body.
    """
    creation = driver.send(edited(driver.with_fresh_key(call)))
    if is_conflict(creation):
        # There is one with these values, such as its name.
        creation = driver.send(edited(driver.renewed(call)))
    if not is_done(creation.response):
        return None
    read = reader_of_created(driver, routes, call, creation)
    exchanges = (creation,) if read is None else (creation, driver.send(read))
    shown: JsonObject = {}
    for exchange in exchanges:
        if exchange.response is not None and is_done(exchange.response):
            shown |= mapping(exchange.response.json_or_none)
    return shown, exchanges


def _changed(driver: Driver, call: OperationCall, change: JsonObject) -> OperationCall:
    body = call.body if isinstance(call.body, dict) else {}
    return replace(driver.with_fresh_key(call), body={**body, **change})


def is_done(response: HttpResponse | None) -> bool:
    """Return whether a response says that a change was made, and not that it will be."""
    return response is not None and response.is_success and response.status != _LATER


def written_members(
    contract: Contract, writer: ContractOperation, reader: ContractOperation
) -> Iterator[WrittenMember]:
    """Yield the members of a body that a response shows, with the same type."""
    document = contract.document
    for name, place, read in shared_properties(contract, writer, reader):
        if _types(document, place) == _types(document, read) != set():
            values = tuple(contract.distinct_values(place))[:2]
            yield WrittenMember(name, place, values if len(values) == 2 else ())


def shared_properties(
    contract: Contract, writer: ContractOperation, reader: ContractOperation
) -> Iterator[tuple[str, Pointer, Pointer]]:
    """Yield the members of a body that a response shows: name, and the schemas of both sides.

    An id that the path has is none of them: a server may read that one only.
    """
    sent = contract.body_schema(writer)
    declared = reader.response(201 if reader.method == "POST" else 200)
    read = None if declared is None else contract.schema_of(declared)
    if sent is None or read is None:
        return
    reads = dict(_properties(contract.document, read))
    variables = {snake(name) for name in writer.template.names}
    ids = {"id", *variables} if variables else set()
    for name, place in _properties(contract.document, sent):
        if name in reads and snake(name) not in ids:
            yield name, place, reads[name]


def required_members(contract: Contract, operation: ContractOperation) -> frozenset[str]:
    """Return the names of the members that its body must have."""
    schema = contract.body_schema(operation)
    parts = in_place(contract.document, schema) if schema is not None else ()
    return frozenset(name for _, part in parts for name in texts(part.get("required")))


def least(contract: Contract, call: OperationCall) -> OperationCall:
    """Return a call with the members that its body must have, and no others."""
    body, needed = mapping(call.body), required_members(contract, call.operation)
    return replace(call, body={name: value for name, value in body.items() if name in needed})


def _properties(document: Document, schema: Pointer) -> Iterator[tuple[str, Pointer]]:
    """Yield the direct members of a schema that are both written and read."""
    for at, applied in in_place(document, schema):
        for name in mapping(applied.get("properties")):
            place = at + join("properties", name)
            schemas = [subschema_at(document, place)]
            if not any(is_left_out(document, schemas, polarity) for polarity in Polarity):
                yield name, place


def _types(document: Document, place: Pointer) -> set[tuple[str, str]]:
    """Return the scalar types and formats of a schema, without null, which may mean no change."""
    schemas = alternatives(document, resolve(document.data, place))
    kinds = {(str(schema.get("type")), str(schema.get("format", ""))) for schema in schemas}
    return {(type_, format_) for type_, format_ in kinds if type_ in _COMPARED}
