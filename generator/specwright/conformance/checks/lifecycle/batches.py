"""Batches: several creations in one request, with a result for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.lifecycle.readers import reader_of_created
from specwright.conformance.checks.lifecycle.written_members import is_done, makes_freely
from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.links import member_names
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.findings import Level
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.names import snake
from specwright.pointer import Pointer, join

BATCH_IS_COMPLETE = BehaviourRule(
    "batch-is-complete",
    BehaviourCategory.STATE,
    "A batch that has results has one for each of its items.",
    example="POST /item-batches with three items of the same title -> 200 with one result",
    advice="Keep the results in a list in the order of the request, and not by a value of an item.",
    level=Level.WARNING,
)

_ITEMS = 3
_MISSING = (404, 410)
# Members by which a result reports a success or a failure.
_WORDS = frozenset(("status", "state", "outcome", "result", "code", "error", "success", "ok"))


@scenario(after="uploads")
def batches(driver: Driver) -> None:
    """Create three resources by each batch, and read them."""
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    makers = {
        end: operation
        for operation in driver.contract.operations.values()
        if makes_freely(operation) and (end := _end(driver.contract, operation)) is not None
    }
    for operation in driver.contract.operations.values():
        success = driver.successes.get(operation.pointer)
        if operation.method != "POST" or success is None:
            continue
        for name, items in _lists(driver.contract, operation):
            maker = makers.get(items)
            if maker is not None and maker is not operation:
                _Trial(driver, routes, maker, success[0], name).run()
        # Later calls must not use the items tried here.
        driver.successes[operation.pointer] = success


def _end(contract: Contract, operation: ContractOperation) -> Pointer | None:
    """Return the pointer of the schema of a body, without references to it."""
    schema = contract.body_schema(operation)
    return None if schema is None else _of(contract, schema)


def _of(contract: Contract, schema: Pointer) -> Pointer:
    return contract.document.end(schema, {"$ref": f"#{schema}"})[0]


def _lists(
    contract: Contract, operation: ContractOperation
) -> Iterator[tuple[str | None, Pointer]]:
    """Yield the lists in a body: the name of the member, or None, and the schema of the items."""
    schema = contract.body_schema(operation)
    for at, part in in_place(contract.document, schema) if schema is not None else ():
        if isinstance(part.get("items"), dict):
            yield None, _of(contract, at + join("items"))
        for name in mapping(part.get("properties")):
            for below, list_ in in_place(contract.document, at + join("properties", name)):
                if isinstance(list_.get("items"), dict):
                    yield name, _of(contract, below + join("items"))


@dataclass(frozen=True, slots=True)
class _Trial:
    """A batch of creations.

    Attributes:
        maker: the operation that makes one of its items.
        name: the member of the body with the items; None if the body is the list.
    """

    driver: Driver
    routes: ContractRoutes
    maker: ContractOperation
    call: OperationCall
    name: str | None

    def run(self) -> None:
        """Make one item twice; make three of it in a batch if that succeeds, else three others."""
        success = self.driver.first_success(self.maker)
        if success is None:
            return
        single, first = success
        again = self.driver.send(self.driver.with_fresh_key(single))
        one, other = (self._reader(single, exchange) for exchange in (first, again))
        if one is None:
            return
        bodies: list[JsonValue] = [mapping(single.body)] * _ITEMS
        is_repeatable = other is not None and one.arguments != other.arguments
        if not is_repeatable or self._is_invalid(bodies):
            bodies = [mapping(self.driver.renewed(single).body) for _ in range(_ITEMS)]
        batch = self.driver.send(
            replace(self.driver.with_fresh_key(self.call), body=self._body(bodies))
        )
        response = batch.response
        if response is None or not is_done(response):
            return
        results = list(_results(response))
        self.driver.target.record.check(BATCH_IS_COMPLETE, self.call.operation.pointer)
        if 0 < len(results) < _ITEMS:
            message = "fewer results than items, each of which can be created alone"
            self._violate(BATCH_IS_COMPLETE, message, batch)
        self._are_found(one, [result for result in results if isinstance(result, dict)], batch)

    def _body(self, items: list[JsonValue]) -> JsonValue:
        return items if self.name is None else {**mapping(self.call.body), self.name: items}

    def _is_invalid(self, items: list[JsonValue]) -> bool:
        """Return whether the items may not be equal."""
        schema = self.driver.contract.body_schema(self.call.operation)
        assert schema is not None, "it has a list"
        return any(self.driver.contract.strict_requests.problems(schema, self._body(items)))

    def _reader(self, call: OperationCall, exchange: Exchange) -> OperationCall | None:
        if not is_done(exchange.response):
            return None
        return reader_of_created(self.driver, self.routes, call, exchange)

    def _are_found(self, one: OperationCall, results: list[JsonObject], batch: Exchange) -> None:
        """Read the resource of each result; if one can be read, so can those of equal results."""
        path = variables(one.operation.site.key)
        names = member_names(shape(one.operation.site.key)[:-1], path[-1])
        known = list[JsonObject]()
        missing = list[tuple[JsonObject, Exchange]]()
        for result in results:
            id_ = _id(result, names)
            if id_ is None:
                continue
            read = self.driver.probe(one.with_argument(("path", path[-1]), id_))
            if read.succeeded:
                known.append(result)
            elif read.response is not None and read.response.status in _MISSING:
                missing.append((result, read))
        self.driver.target.record.check(CREATED_IS_FOUND, self.call.operation.pointer)
        for result, read in missing:
            if any(_is_alike(result, other) for other in known):
                message = "a batch reports a resource that cannot be read, like one that can"
                self._violate(CREATED_IS_FOUND, message, batch, read)
                return

    def _violate(self, rule: str, message: str, *exchanges: Exchange) -> None:
        self.driver.violate(rule, self.call.operation, message, *exchanges)


def _results(response: HttpResponse) -> Iterator[JsonValue]:
    """Yield the items of a list, or of all lists in an object."""
    body = response.json_or_none
    yield from sequence(body)
    for value in mapping(body).values():
        yield from sequence(value)


def _id(result: JsonObject, names: tuple[str, ...]) -> JsonValue:
    members = {snake(name): value for name, value in result.items()}
    values = (members[name] for name in names if name in members)
    return next((value for value in values if isinstance(value, (str, int))), None)


def _is_alike(one: JsonObject, other: JsonObject) -> bool:
    """Return whether two results report the same: they have equal flags and short words."""
    return _report(one) == _report(other)


def _report(result: JsonObject) -> JsonObject:
    return {
        name: value
        for name, value in result.items()
        if isinstance(value, bool) or value is None or snake(name) in _WORDS
    }
