"""Declared defaults of members that a creation or a replacement leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.lifecycle.readers import reader_of
from specwright.conformance.checks.lifecycle.written_members import (
    least,
    makes_freely,
    object_after,
    object_created,
    required_members,
    written_members,
)
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.document.model import Document
from specwright.findings import Level, values_of
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer, resolve

DEFAULT_APPLIES = BehaviourRule(
    "default-applies",
    BehaviourCategory.STATE,
    "A member that a creation or a replacement leaves out gets its declared default.",
    example='POST /items {} -> 201 with "visibility": "public", and its default is "private"',
    advice="Apply the default of the document, or correct or remove it there.",
    level=Level.WARNING,
)


@dataclass(frozen=True, slots=True)
class _Default:
    """A member that may be left out, with its declared default.

    Attributes:
        other: another value; None if none is known.
    """

    name: str
    place: Pointer
    value: JsonValue
    other: JsonValue

    def is_in(self, shown: JsonObject) -> bool:
        """Return whether an object has the default; servers may spell a text in their way."""
        value = shown[self.name]
        if isinstance(value, str) and isinstance(self.value, str):
            return value.casefold() == self.value.casefold()
        return value == self.value


@scenario(after="replacements")
def defaults(driver: Driver) -> None:
    """Create and replace resources without the members that have a default, and read them."""
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    for writer in driver.contract.operations.values():
        reader = reader_of(driver.contract, writer)
        is_replacement = writer.method == "PUT" and reader is not writer
        if writer.body is None or not (is_replacement or makes_freely(writer)):
            continue
        declared = list(_defaults(driver, writer, reader))
        success = success_now(driver, writer) if declared else None
        if success is None:
            continue
        if not is_replacement:
            _create(driver, routes, success[0], declared)
        else:
            members = [member for member in declared if member.other is not None]
            _replace(driver, least(driver.contract, success[0]), reader, members)
        # Later calls must not lack these members.
        driver.successes[writer.pointer] = success


def _create(
    driver: Driver, routes: ContractRoutes, call: OperationCall, declared: Collection[_Default]
) -> None:
    names = {member.name for member in declared}
    created = object_created(driver, routes, call, lambda call: _without(call, names))
    if created is None:
        return
    shown, exchanges = created
    for member in declared:
        if shown.get(member.name) is not None:
            driver.target.record.check(DEFAULT_APPLIES, member.place)
            if not member.is_in(shown):
                _violate(driver, call.operation, member, exchanges)


def _without(call: OperationCall, names: Collection[str]) -> OperationCall:
    body = {name: value for name, value in mapping(call.body).items() if name not in names}
    return replace(call, body=body)


def _replace(
    driver: Driver, call: OperationCall, reader: ContractOperation, declared: Collection[_Default]
) -> None:
    """Write other values, and leave them out: together, and one by one if that is refused."""
    if not declared or _are_reset(driver, call, reader, declared):
        return
    if len(declared) > 1:
        for member in declared:
            _are_reset(driver, call, reader, [member])


def _are_reset(
    driver: Driver, call: OperationCall, reader: ContractOperation, declared: Collection[_Default]
) -> bool:
    """Return whether both requests were accepted."""
    others = {member.name: member.other for member in declared}
    before = object_after(driver, call, reader, others)
    after = object_after(driver, call, reader, {}) if before is not None else None
    if before is None or after is None:
        return False
    for member in declared:
        # The value that it had before: any other one may follow from the state of the resource.
        if before[0].get(member.name) == member.other and member.name in after[0]:
            driver.target.record.check(DEFAULT_APPLIES, member.place)
            if after[0][member.name] == member.other:
                _violate(driver, call.operation, member, (*before[1], *after[1]))
    return True


def _violate(
    driver: Driver, writer: ContractOperation, member: _Default, exchanges: tuple[Exchange, ...]
) -> None:
    message = f"'{member.name}' has another value than its declared default"
    cause = "a member that was left out has another value than its declared default"
    place, values = member.place, values_of(member.value)
    driver.violate(
        DEFAULT_APPLIES, writer, message, *exchanges, at=place, cause=cause, values=values
    )


def _defaults(
    driver: Driver, writer: ContractOperation, reader: ContractOperation
) -> Iterator[_Default]:
    """Yield the members with a default that may be left out, and that a response shows.

    A null does not count: the server may set any value. Nor do times and other texts with a format.
    """
    contract, document = driver.contract, driver.contract.document
    needed = required_members(contract, writer)
    for member in written_members(contract, writer, reader):
        declared = resolve(document.data, member.place)
        default = _default(document, declared)
        has_format = "format" in mapping(document.follow(declared)) and isinstance(default, str)
        if member.name in needed or has_format or not isinstance(default, (bool, int, float, str)):
            continue
        listed = (sequence(part.get("enum")) for part in alternatives(document, declared))
        values = [*(value for values in listed for value in values), *member.values]
        other = next((value for value in values if value != default), None)
        yield _Default(member.name, member.place, default, other)


def _default(document: Document, schema: JsonValue) -> JsonValue:
    """Return the default of a schema, which may be that of its reference or of its `allOf`."""
    described = mapping(document.follow(schema))
    parts = map(document.follow, sequence(described.get("allOf")))
    for part in map(mapping, (schema, described, *parts)):
        if "default" in part:
            return part["default"]
    return None
