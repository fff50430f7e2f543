"""What was written, looked for in what is read afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.alternatives import alternatives
from specwright.conformance.contract.calls import Absent, Call
from specwright.conformance.contract.contract import Contract, Operation
from specwright.conformance.contract.read_only import in_place
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.recording.exchange import Exchange, JsonValue, Response
from specwright.conformance.recording.record import Violation
from specwright.document.model import Document
from specwright.pointer import Pointer, join, resolve

# By which writing is done later, or said to be.
_LATER = 202
_ONE_WAY = ("readOnly", "writeOnly")
_ANNOTATIONS = ("title", "description", "default", "example", "examples", "deprecated")


@dataclass(frozen=True, slots=True)
class _Member:
    """A member that is written and read by one schema, with two values of it."""

    name: str
    place: Pointer
    values: tuple[JsonValue, JsonValue]


def written(bench: Workbench) -> None:
    """Write two values one after the other, and read the resource after each.

    A server may write a value in another way than it was sent. One that shows the same for both
    has not written the second one.
    """
    for writer in bench.contract.operations.values():
        # What is limited or paid for is written by the scenarios of these.
        is_free = writer.declared["capacity"] is None and writer.declared["charge"] is None
        makes = writer.method == "POST" and "201" in writer.responses and is_free
        if writer.body is not None and (makes or writer.method in ("PUT", "PATCH")):
            _written(bench, writer, _reader(bench.contract, writer))


def _reader(contract: Contract, writer: Operation) -> Operation:
    """What shows what was written: the answer itself where nothing else reads the path."""
    if writer.method == "POST":
        return writer
    path = shape(writer.site.key)
    return next(
        (
            each
            for each in contract.operations.values()
            if each.method == "GET" and shape(each.site.key) == path
        ),
        writer,
    )


def _written(bench: Workbench, writer: Operation, reader: Operation) -> None:
    made = bench.succeed(writer)
    if made is None:
        reason = "the operation never succeeded"
        bench.target.record.skip(Behaviour.WRITTEN_IS_READ, writer.pointer, reason)
        return
    for member in _members(bench.contract, writer, reader):
        shown = [_shown(bench, made[0], reader, member, value) for value in member.values]
        first, second = shown
        if first is None or second is None:
            continue
        bench.target.record.check(Behaviour.WRITTEN_IS_READ, member.place)
        if first[0] == second[0] != member.values[1]:
            message = f"{writer.name}: '{member.name}' is the same after two values were written"
            exchanges = (*first[1], *second[1])
            bench.target.record.violate(
                Violation(Behaviour.WRITTEN_IS_READ, member.place, message, exchanges)
            )
    # What was tried is no example for later calls.
    bench.made[writer.pointer] = made


def _shown(
    bench: Workbench, call: Call, reader: Operation, member: _Member, value: JsonValue
) -> tuple[JsonValue, tuple[Exchange, ...]] | None:
    """What is read of a member after a value was written; None where that cannot be told."""
    body = {} if isinstance(call.body, Absent) or not isinstance(call.body, dict) else call.body
    changed = replace(bench.with_fresh_key(call), body={**body, member.name: value})
    sent = bench.send(changed)
    if not _is_done(sent.response):
        return None
    read = sent if reader is call.operation else bench.send(_reading(bench, call, reader))
    found = None if read.response is None else read.response.json_or_none
    if not _is_done(read.response) or not isinstance(found, dict) or member.name not in found:
        return None
    return found[member.name], (sent,) if read is sent else (sent, read)


def _reading(bench: Workbench, call: Call, reader: Operation) -> Call:
    """The call that reads what a call has written; their paths may name a variable differently."""
    known = next(bench.candidates(reader), None)
    names = zip(*(variables(each.site.key) for each in (reader, call.operation)), strict=True)
    path = {("path", own): call.arguments[("path", other)] for own, other in names}
    return Call(reader, {**({} if known is None else known.arguments), **path})


def _is_done(response: Response | None) -> bool:
    return response is not None and response.is_success and response.status != _LATER


def _members(contract: Contract, writer: Operation, reader: Operation) -> Iterator[_Member]:
    document, sent = contract.document, contract.body_schema(writer)
    declared = reader.response(201 if reader.method == "POST" else 200)
    read = None if declared is None else contract.schema_of(declared)
    if sent is None or read is None:
        return
    reads = dict(_properties(document, read))
    for name, place in _properties(document, sent):
        if name in reads and _plain(document, place) == _plain(document, reads[name]):
            values = [
                each
                for each in _values(document, place)
                if not any(contract.requests.problems(place, each))
            ]
            if len(values) >= 2:
                yield _Member(name, place, (values[0], values[1]))


def _properties(document: Document, schema: Pointer) -> Iterator[tuple[str, Pointer]]:
    """The members that are both written and read, of the schema itself."""
    for at, found in in_place(document, schema):
        for name in found.get("properties") or {}:
            place = at + join("properties", name)
            parts = [each for _, each in in_place(document, place)]
            if not any(
                each.get(way) is True for each in parts for way in ("readOnly", "writeOnly")
            ):
                yield name, place


def _plain(document: Document, place: Pointer) -> list[dict[str, object]]:
    """A schema without null, which is written for what is to stay, and without annotations."""
    return [
        {name: value for name, value in each.items() if name not in _ANNOTATIONS}
        for each in alternatives(document, resolve(document.data, place))
        if each.get("type") != "null"
    ]


def _values(document: Document, place: Pointer) -> Iterator[JsonValue]:
    """Values of one type that no server takes for each other."""
    for each in alternatives(document, resolve(document.data, place)):
        listed = each.get("enum")
        match each.get("type"):
            case _ if isinstance(listed, list):
                # What leads from one state to the next is for the server to say.
                continue
            case "string" if "format" not in each and "pattern" not in each:
                yield from ("first text", "another one", "ab", "cd")
            case "integer" | "number":
                yield from (7, 8, 1, 2)
            case "boolean":
                yield from (True, False)
