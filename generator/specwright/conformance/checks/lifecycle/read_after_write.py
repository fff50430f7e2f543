"""Written values, compared with the values that are read afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.contract.value_parts import in_place, subschema_at
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.document.model import Document
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.json_values import JsonValue, mapping, texts
from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE

WRITTEN_IS_READ = BehaviourRule(
    "written-is-read",
    BehaviourCategory.STATE,
    "A member that was written successfully has its new value.",
    example='PATCH /items/7 {"title": "first text"} -> 200, then GET /items/7 -> the old title',
    advice="Store the member, or refuse it. Declare one that only responses have as `readOnly`.",
)
CHANGE_KEEPS = BehaviourRule(
    "change-keeps",
    BehaviourCategory.STATE,
    "A change leaves the members that it does not name as they were.",
    example='PATCH /items/7 {"title": "ab"} -> 200, then GET /items/7 -> an empty description',
    advice=(
        "Change only the members in the request (`exclude_unset` in Pydantic, `partial=True` in "
        "Django REST framework), and do not apply defaults."
    ),
)

# The status of a write that is done later.
_LATER = 202
# A server that stores nothing, such as a mock, has one fault and not one for each member.
_NOT_STORED = "a value is the same after two values were written"
# Types with values that no server treats as equal.
_COMPARED = ("boolean", "integer", "number", "string")


@dataclass(frozen=True, slots=True)
class _Member:
    """A member that is both written and read, with two values of its schema."""

    name: str
    place: Pointer
    values: tuple[JsonValue, JsonValue]


@scenario(after="conservation")
def written(driver: Driver) -> None:
    """Write two values one after the other, and read the resource after each.

    A server may normalize a value. If it shows the same value for both, it has not written the
    second one.
    """
    for writer in driver.contract.operations.values():
        # Operations with a capacity or a charge have their own scenarios.
        is_free = writer.get(CAPACITY) is None and writer.get(CHARGE) is None
        makes = writer.method == "POST" and "201" in writer.responses and is_free
        changes, reader = writer.method in ("PUT", "PATCH"), _reader(driver.contract, writer)
        if writer.body is not None and (makes or changes):
            _written(driver, writer, reader)
        elif writer.files and changes and reader is not writer:
            _uploaded(driver, writer, reader)


def _reader(contract: Contract, writer: ContractOperation) -> ContractOperation:
    """Return the operation that shows written values: the writer, if no other reads its path."""
    if writer.method == "POST":
        return writer
    path = shape(writer.site.key)
    return next(
        (
            operation
            for operation in contract.operations.values()
            if operation.method == "GET" and shape(operation.site.key) == path
        ),
        writer,
    )


def _written(driver: Driver, writer: ContractOperation, reader: ContractOperation) -> None:
    success = driver.first_success(writer)
    if success is None:
        reason = "the operation never succeeded"
        driver.target.record.skip(WRITTEN_IS_READ, writer.pointer, reason)
        return
    members = list(_members(driver.contract, writer, reader))
    for member in members:
        one, other = ({member.name: value} for value in member.values)
        first, second = (
            _shown(driver, success[0], reader, value, member) for value in (one, other)
        )
        if first is None or second is None:
            continue
        driver.target.record.check(WRITTEN_IS_READ, member.place)
        if first[0] == second[0] != member.values[1]:
            message = f"'{member.name}' is the same after two values were written"
            proofs, rule = (*first[1], *second[1]), WRITTEN_IS_READ
            driver.violate(rule, writer, message, *proofs, at=member.place, cause=_NOT_STORED)
    if writer.method == "PATCH":
        _kept(driver, success[0], reader, members)
    # Later calls must not use the values tried here.
    driver.successes[writer.pointer] = success


def _uploaded(driver: Driver, writer: ContractOperation, reader: ContractOperation) -> None:
    """Upload two files one after the other, and read each; a server may convert them."""
    success = driver.first_success(writer)
    if success is None or not isinstance(success[0].body, dict):
        return
    exchanges: list[Exchange] = []
    for text in ("first text", "another one"):
        body = {**success[0].body, **dict.fromkeys(sorted(writer.files), text)}
        sent = driver.send(replace(driver.with_fresh_key(success[0]), body=body))
        read = driver.send(_reading(driver, success[0], reader))
        if not (_is_done(sent.response) and _is_done(read.response)):
            return
        exchanges += sent, read
    first, second = (exchange.response and exchange.response.body for exchange in exchanges[1::2])
    driver.target.record.check(WRITTEN_IS_READ, writer.pointer)
    if first == second:
        message = "the file is the same after two were uploaded"
        driver.violate(WRITTEN_IS_READ, writer, message, *exchanges)
    driver.successes[writer.pointer] = success


def _kept(
    driver: Driver, call: OperationCall, reader: ContractOperation, members: list[_Member]
) -> None:
    """Change one member after another, and read the one that was changed before.

    A change does not affect members that it does not name (RFC 5789; RFC 7396, section 1).
    """
    schema = driver.contract.body_schema(call.operation)
    parts = in_place(driver.contract.document, schema) if schema is not None else ()
    needed = {name for _, each in parts for name in texts(each.get("required"))}
    body = call.body if isinstance(call.body, dict) else {}
    plain = replace(call, body={name: each for name, each in body.items() if name in needed})
    free = [member for member in members if member.name not in needed]
    for kept, changed in zip(free, [*free[1:], *free[:1]], strict=True):
        if kept is changed:
            continue
        before = _shown(driver, plain, reader, {kept.name: kept.values[0]}, kept)
        after = _shown(driver, plain, reader, {changed.name: changed.values[0]}, kept)
        if before is None or after is None:
            continue
        driver.target.record.check(CHANGE_KEEPS, kept.place)
        if before[0] != after[0]:
            message = f"'{kept.name}' is different after '{changed.name}' was changed"
            proofs, rule = (*before[1], *after[1]), CHANGE_KEEPS
            driver.violate(rule, call.operation, message, *proofs, at=kept.place)


def _shown(
    driver: Driver,
    call: OperationCall,
    reader: ContractOperation,
    change: dict[str, JsonValue],
    member: _Member,
) -> tuple[JsonValue, tuple[Exchange, ...]] | None:
    """Return the value of a member as read after a change, with the exchanges; None if unknown."""
    body = call.body if isinstance(call.body, dict) else {}
    sent = driver.send(replace(driver.with_fresh_key(call), body={**body, **change}))
    if not _is_done(sent.response):
        return None
    read = sent if reader is call.operation else driver.send(_reading(driver, call, reader))
    shown = None if read.response is None else read.response.json_or_none
    if not _is_done(read.response) or not isinstance(shown, dict) or member.name not in shown:
        return None
    return shown[member.name], (sent,) if read is sent else (sent, read)


def _reading(driver: Driver, call: OperationCall, reader: ContractOperation) -> OperationCall:
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


def _is_done(response: HttpResponse | None) -> bool:
    return response is not None and response.is_success and response.status != _LATER


def _members(
    contract: Contract, writer: ContractOperation, reader: ContractOperation
) -> Iterator[_Member]:
    document, sent = contract.document, contract.body_schema(writer)
    declared = reader.response(201 if reader.method == "POST" else 200)
    read = None if declared is None else contract.schema_of(declared)
    if sent is None or read is None:
        return
    reads = dict(_properties(document, read))
    for name, place in _properties(document, sent):
        if name in reads and _types(document, place) == _types(document, reads[name]) != set():
            values = list(contract.distinct_values(place))
            if len(values) >= 2:
                yield _Member(name, place, (values[0], values[1]))


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
