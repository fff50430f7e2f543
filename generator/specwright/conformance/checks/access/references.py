"""References in requests to resources of another tenant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.requests.explore import success_now, takes_everything
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.links import (
    Unknown,
    evaluate,
    leads,
    named,
    wanted_names,
)
from specwright.conformance.contract.resources import shape, singular, variables
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.ids import invented, is_reference
from specwright.conformance.driver.roles import OTHER_TENANT
from specwright.conformance.recording.exchange import Exchange
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue, mapping
from specwright.names import snake
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE

FOREIGN_REFERENCE = BehaviourRule(
    "foreign-reference",
    BehaviourCategory.ISOLATION,
    "A request cannot refer to a resource of another tenant that it cannot read (OWASP "
    "API1:2023); sharing by an id alone may be meant.",
    example='POST /invoices {"customer_id": 7} -> 201, and GET /customers/7 -> 404',
    advice="Query the resource that a body refers to by owner and id together, as for a path.",
    level=Level.WARNING,
    weight=12,
)

_HIDDEN = (403, 404)


@scenario(after="isolation")
def references(driver: Driver) -> None:
    """Refer to resources of another tenant, where a reference to nothing is refused."""
    if OTHER_TENANT not in driver.target.keys:
        return
    foreign = list(_foreign(driver))
    for operation in driver.contract.operations.values():
        is_free = operation.get(CAPACITY) is None and operation.get(CHARGE) is None
        if operation.is_safe or operation.body is None or operation.scheme is None or not is_free:
            continue
        success = driver.successes.get(operation.pointer)
        places = list(_members(driver, operation, foreign)) if success is not None else []
        # An earlier call may refer to what is gone.
        again = success_now(driver, operation) if places else None
        if success is None or again is None:
            continue
        for name, place, resource in places:
            _refer(driver, again[0], name, place, resource)
        driver.successes[operation.pointer] = success


@dataclass(frozen=True, slots=True)
class _Foreign:
    """A resource of another tenant that this one cannot read.

    Attributes:
        names: those of members that refer to such resources, such as `customer_id`.
        creation: the exchange in which it was created.
        hidden: that in which it is not found.
    """

    id: str | int
    names: frozenset[str]
    creation: Exchange
    hidden: Exchange


def _foreign(driver: Driver) -> Iterator[_Foreign]:
    """Make a resource of each kind as the other tenant, and yield those that are hidden."""
    for maker in driver.contract.operations.values():
        success = driver.successes.get(maker.pointer)
        is_free = maker.get(CAPACITY) is None and maker.get(CHARGE) is None
        # A reset would take the events of the other tenant, for which another step waits.
        makes = maker.method == "POST" and not takes_everything(driver.contract, maker)
        if not makes or maker.template.names or success is None or not is_free:
            continue
        call = driver.renewed(success[0])
        creation = driver.probe(call, OTHER_TENANT)
        reader = _reader(driver, call, creation)
        if reader is None or creation.response is None:
            continue
        own, other = driver.probe(reader), driver.probe(reader, OTHER_TENANT)
        is_hidden = own.response is not None and own.response.status in _HIDDEN
        [((_, variable), id_)] = reader.arguments.items()
        named_so = named(driver.contract, maker, creation.response)
        names = {name for name, at in named_so if creation.response.at(at) == id_}
        names.update(wanted_names(reader.operation.site.key, variable))
        if is_hidden and other.succeeded and isinstance(id_, (str, int)):
            yield _Foreign(id_, frozenset(names), creation, own)


def _reader(driver: Driver, call: OperationCall, creation: Exchange) -> OperationCall | None:
    """Return the call that reads a resource by its only id."""
    if creation.response is None or not creation.succeeded:
        return None
    for lead in leads(driver.contract, call, creation.response):
        for reader in driver.contract.operations.values():
            if reader.method == "GET" and shape(reader.site.key) == lead.shape:
                try:
                    id_ = evaluate(lead.expressions[-1], call, creation.response)
                except Unknown:
                    continue
                return OperationCall(reader, {("path", variables(reader.site.key)[0]): id_})
    return None


def _members(
    driver: Driver, operation: ContractOperation, foreign: list[_Foreign]
) -> Iterator[tuple[str, Pointer, _Foreign]]:
    """Yield the members of a body that may refer to foreign resources, and these."""
    schema = driver.contract.body_schema(operation)
    problems = driver.contract.strict_requests.problems
    for at, part in in_place(driver.contract.document, schema) if schema is not None else ():
        for name in mapping(part.get("properties")):
            place = at + join("properties", name)
            for resource in foreign if is_reference(name) else ():
                fits = not any(problems(place, resource.id))
                if singular(snake(name)) in resource.names and fits:
                    yield name, place, resource


def _refer(
    driver: Driver, call: OperationCall, name: str, place: Pointer, resource: _Foreign
) -> None:
    own = ("path", name)
    if own in call.arguments:
        # It has moved there.
        call = call.with_argument(own, mapping(call.body).get(name, call.arguments[own]))

    def refer(value: JsonValue) -> Exchange:
        body = {**mapping(driver.renewed(call).body), name: value}
        return driver.probe(replace(driver.with_fresh_key(call), body=body))

    # A server that checks no reference shows nothing of the other tenant.
    nothing = refer(invented(resource.id))
    if nothing.response is None or not 400 <= nothing.response.status < 500:
        return
    driver.target.record.check(FOREIGN_REFERENCE, place)
    exchange = refer(resource.id)
    if exchange.succeeded:
        message = f"'{name}' may refer to a resource of another tenant, and not to a missing one"
        driver.violate(
            *(FOREIGN_REFERENCE, call.operation, message),
            *(resource.creation, resource.hidden, nothing, exchange),
            at=place,
            cause="a request may refer to a resource of another tenant",
            values=values_of(name),
        )
