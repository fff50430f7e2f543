"""Resources in a list, compared with the same resources read individually."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.lists.item_order import sort_key
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.links import Unknown, evaluate, inferred
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join, split
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract

LIST_AGREES = BehaviourRule(
    "list-agrees",
    BehaviourCategory.LISTS,
    "An item of a list equals the resource when read by itself.",
    example="GET /items has the price 1 for an item, GET /items/7 has 2",
    advice="Build both representations with one function, from the same row.",
)


@scenario(after="sorting")
def agreement(driver: Driver) -> None:
    """Read the first item of each list by its link, and compare the two."""
    for operation, declared in driver.contract.declaring(PAGINATION):
        if operation.pointer in driver.successes:
            call, _ = driver.successes[operation.pointer]
            listed = driver.send(call)
            for reader in _readers(driver, call, listed, declared):
                _compare(driver, call, reader, declared)


def _readers(
    driver: Driver, call: OperationCall, listed: Exchange, declared: PaginationContract
) -> Iterator[OperationCall]:
    """Yield calls along links that return an item of a list, by the same schema."""
    contract, operation, response = driver.contract, call.operation, listed.response
    if response is None or not response.is_success:
        return
    item = _schema(contract, operation, response.status, (*split(declared.items.raw), "0"))
    links = contract.links(operation, response.status)
    for link in links or inferred(contract, call, response):
        target = contract.operations[link.target]
        if item is None or not target.is_safe or _schema(contract, target, 200, ()) != item:
            continue
        try:
            yield OperationCall(
                target,
                {
                    slot.key: evaluate(expression, call, response)
                    for name, expression in link.parameters.items()
                    if (slot := target.slot(name)) is not None
                },
            )
        except Unknown:
            continue


def _schema(
    contract: Contract, operation: ContractOperation, status: int, place: tuple[str, ...]
) -> Pointer | None:
    """Return the pointer to the schema of a value in a response; None if it is not declared."""
    response = operation.response(status)
    schema = None if response is None else contract.schema_of(response)
    if schema is None:
        return None
    at, described = contract.document.end(schema, {"$ref": f"#{schema}"})
    for token in place:
        if isinstance(described, dict) and token in mapping(described.get("properties")):
            inner = at + join("properties", token)
        elif isinstance(described, dict) and "items" in described:
            inner = at + join("items")
        else:
            return None
        at, described = contract.document.end(inner, {"$ref": f"#{inner}"})
    return at


def _compare(
    driver: Driver, call: OperationCall, reader: OperationCall, declared: PaginationContract
) -> None:
    """Compare the members that did not change between reads before and after the list."""
    record, place = driver.target.record, reader.operation.pointer
    before, listed, after = driver.send(reader), driver.send(call), driver.send(reader)
    first, last = (_members(exchange.response) for exchange in (before, after))
    name = split(declared.id.raw)[-1] if declared.id is not None else ""
    items = listed.response.at(declared.items.raw) if listed.response is not None else None
    for item in map(_plain, items if isinstance(items, list) else ()):
        if name not in item or item[name] != first.get(name):
            continue
        record.check(LIST_AGREES, place)
        for member in sorted(item.keys() & first.keys() & last.keys()):
            if first[member] == last[member] != item[member]:
                message = f"'{member}' differs in the list"
                driver.violate(LIST_AGREES, reader.operation, message, listed, after, at=place)


def _members(response: HttpResponse | None) -> dict[str, object]:
    return {} if response is None else _plain(response.json_or_none)


def _plain(value: JsonValue) -> dict[str, object]:
    """Return the scalar members of an object for comparison; lists may leave out the others."""
    if not isinstance(value, dict):
        return {}
    return {
        name: sort_key(each)
        for name, each in value.items()
        if isinstance(each, (str, int, float)) and each != ""
    }
