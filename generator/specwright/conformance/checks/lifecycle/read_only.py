"""Members that only the server sets (`readOnly`), and that a creation has all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from specwright.conformance.checks.lifecycle.written_members import makes_freely, object_created
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.value_parts import in_place, subschema_at
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.findings import values_of
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, join

READ_ONLY = BehaviourRule(
    "read-only",
    BehaviourCategory.STATE,
    "A server sets read-only members itself, and takes none from the body of a creation.",
    example='POST /users {"name": "a", "is_admin": true} -> 201 with "is_admin": true',
    advice=(
        "Take from a body only the members that clients may set, and ignore or refuse the others "
        "(OWASP API3:2023). If clients may set this one, remove readOnly from the document."
    ),
)

# Of an operation: each takes a few requests.
_MOST = 6


@scenario(after="defaults")
def read_only_members(driver: Driver) -> None:
    """Create resources with values for members that only the server sets, and read them."""
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    for writer in driver.contract.operations.values():
        places = dict(_read_only(driver.contract, writer)) if makes_freely(writer) else {}
        success = success_now(driver, writer) if places and writer.body is not None else None
        if success is not None:
            _assign(driver, routes, success[0], places)
            # Later calls must not have these members.
            driver.successes[writer.pointer] = success


def _assign(
    driver: Driver, routes: ContractRoutes, call: OperationCall, places: Mapping[str, Pointer]
) -> None:
    plain = _created(driver, routes, call, {})
    values = {} if plain is None else dict(_values(driver.contract, plain[0], places))
    firsts: JsonObject = {name: first for name, (first, _) in values.items()}
    if plain is None or not firsts:
        return
    whole = _created(driver, routes, call, firsts)
    for name, (first, second) in values.items():
        # A server may refuse one of them, and take another one.
        shown = whole or _created(driver, routes, call, {name: first})
        if shown is None:
            continue
        driver.target.record.check(READ_ONLY, places[name])
        if shown[0].get(name) != first:
            continue
        # The value may be that of the server by chance, such as the next number: another one is
        # followed as well only if it is taken from the body.
        again = _created(driver, routes, call, {name: second})
        if again is not None and again[0].get(name) == second:
            exchanges = (*shown[1], *again[1])
            _violate(driver, call.operation, name, places[name], exchanges)


def _created(
    driver: Driver, routes: ContractRoutes, call: OperationCall, members: JsonObject
) -> tuple[JsonObject, tuple[Exchange, ...]] | None:
    return object_created(
        driver,
        routes,
        call,
        lambda call: replace(call, body={**mapping(call.body), **members}),
    )


def _values(
    contract: Contract, shown: JsonObject, places: Mapping[str, Pointer]
) -> Iterator[tuple[str, tuple[JsonValue, JsonValue]]]:
    """Yield two values for members that a response shows; the first is another one than there."""
    for name in [name for name in places if name in shown][:_MOST]:
        values = list(contract.distinct_values(places[name]))
        first = next((value for value in values if value != shown[name]), None)
        second = next((value for value in values if value != first), None)
        if first is not None and second is not None:
            yield name, (first, second)


def _read_only(contract: Contract, writer: ContractOperation) -> Iterator[tuple[str, Pointer]]:
    """Yield the direct members of a creation's response that no request has."""
    declared = writer.response(201)
    schema = None if declared is None else contract.schema_of(declared)
    for at, applied in in_place(contract.document, schema) if schema is not None else ():
        for name in mapping(applied.get("properties")):
            place = at + join("properties", name)
            schemas = [subschema_at(contract.document, place)]
            if is_left_out(contract.document, schemas, Polarity.TO_SERVER):
                yield name, place


def _violate(
    driver: Driver,
    writer: ContractOperation,
    name: str,
    place: Pointer,
    exchanges: tuple[Exchange, ...],
) -> None:
    message = f"'{name}', which is read-only, has the value that the body says"
    cause = "a read-only member has the value that the body says"
    values = values_of(name)
    driver.violate(READ_ONLY, writer, message, *exchanges, at=place, cause=cause, values=values)
