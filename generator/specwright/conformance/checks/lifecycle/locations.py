"""Locations of resources: the Location of a created resource, and paths below its parent."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from specwright.conformance.checks.lifecycle.readers import reader_at
from specwright.conformance.checks.lifecycle.written_members import is_done
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.links import Unknown, evaluate, leads, listed_items
from specwright.conformance.contract.page_arguments import largest
from specwright.conformance.contract.resources import Shape, shape, variables
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.findings import Level
from specwright.json_values import JsonValue, mapping
from specwright.names import snake
from specwright.pointer import join

LOCATION = BehaviourRule(
    "location",
    BehaviourCategory.STATE,
    "The Location of a 201 is the URL of the created resource (RFC 9110, 10.2.2 and 15.3.2).",
    example="POST /items -> 201 with the id 7 and Location: /items/8",
    advice="Build the URL from the route and the id of the stored resource.",
)
PARENT = BehaviourRule(
    "parent",
    BehaviourCategory.STATE,
    "A resource is found below its own parent, and below no other.",
    example=(
        "POST /shops -> 201 with the id 2, then GET /shops/2/items/7 -> 200, which is of shop 1"
    ),
    advice="Query by both ids, and return 404 if they do not belong together.",
)
MOVED_IS_GONE = BehaviourRule(
    "moved-is-gone",
    BehaviourCategory.STATE,
    "A resource that was moved below another parent is not found below the earlier one.",
    example=(
        'POST /shops/1/items/7/move {"shop_id": 2} -> 200, and GET /shops/1/items/7 -> 200 with '
        '"shop_id": 2'
    ),
    advice="Query by both ids, and replace the parent rather than add one.",
    level=Level.WARNING,
)

# The values of the variables in a path, in its order.
_Ids: TypeAlias = "tuple[JsonValue, ...]"
# Members that identify a resource.
_IDS = ("id", "uuid", "uid")
_NOT_THERE = (404, 410)


@scenario(after="written")
def located(driver: Driver) -> None:
    """Create one resource of each kind, and follow its Location."""
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    for operation in _creating(driver):
        success = driver.first_success(operation)
        response = None if success is None else success[1].response
        location = None if response is None else response.header("location")
        if success is None or response is None or response.status != 201 or location is None:
            continue
        call = reader_at(routes, success[1].request.url, location)
        if call is None:
            continue
        read = driver.send(call)
        driver.target.record.check(LOCATION, operation.pointer)
        if read.response is not None and read.response.status in _NOT_THERE:
            message = "Location refers to a missing resource"
            driver.violate(LOCATION, operation, message, success[1], read)
        elif _is_another(response.json_or_none, read):
            message = "Location refers to a different resource"
            driver.violate(LOCATION, operation, message, success[1], read)


@scenario(after="located")
def parents(driver: Driver) -> None:
    """Create a child of one resource, and look for it below another, new one."""
    for operation in driver.contract.operations.values():
        path = shape(operation.site.key)
        if operation.method != "GET" or path[-1:] != (None,):
            continue
        family = _family(driver, path)
        if family is None:
            continue
        own, other = family
        right, wrong = driver.send(_at(operation, own)), driver.probe(_at(operation, other))
        driver.target.record.check(PARENT, operation.pointer)
        if right.succeeded and wrong.succeeded and _is_same(right, wrong, own, other):
            message = "a child of one resource is found below another one"
            driver.violate(PARENT, operation, message, right, wrong)
        _listed_below(driver, path, own, other)


@scenario(after="parents")
def moves(driver: Driver) -> None:
    """Move a child below a new parent, and look for it below the earlier one."""
    for operation in driver.contract.operations.values():
        success = driver.successes.get(operation.pointer)
        if operation.is_safe or success is None or len(variables(operation.site.key)) < 2:
            continue
        name = _parent_in_body(driver, operation)
        family = None if name is None else _family(driver, _above(shape(operation.site.key)))
        if name is not None and family is not None:
            _move(driver, success[0], name, *family)
            # Later calls must not move to this parent.
            driver.successes[operation.pointer] = success


def _parent_in_body(driver: Driver, operation: ContractOperation) -> str | None:
    """Return the member of a body that has the name of the parent in the path."""
    schema = driver.contract.body_schema(operation)
    wanted = snake(variables(operation.site.key)[-2])
    for _, part in in_place(driver.contract.document, schema) if schema is not None else ():
        for name in mapping(part.get("properties")):
            if snake(name) == wanted:
                return name
    return None


def _move(driver: Driver, call: OperationCall, name: str, own: _Ids, other: _Ids) -> None:
    operation, parent = call.operation, other[-2]
    reader = _reader(driver, _above(shape(operation.site.key)))
    if reader is None:
        return
    path = _at(operation, own).arguments
    moving = replace(call, arguments={**call.arguments, **path}).with_member(join(name), parent)
    moved = driver.send(driver.with_fresh_key(moving))
    if not is_done(moved.response):
        return
    new, old = driver.probe(_at(reader, other)), driver.probe(_at(reader, own))
    driver.target.record.check(MOVED_IS_GONE, operation.pointer)
    # A copy that stays has the earlier parent.
    shown = mapping(old.response.json_or_none).get(name) if old.response is not None else None
    if new.succeeded and old.succeeded and str(shown) == str(parent):
        message = "what was moved is still found below its earlier parent"
        driver.violate(MOVED_IS_GONE, operation, message, moved, old)


def _reader(driver: Driver, path: Shape) -> ContractOperation | None:
    operations = driver.contract.operations.values()
    readers = (
        operation
        for operation in operations
        if operation.method == "GET" and shape(operation.site.key) == path
    )
    return next(readers, None)


def _family(driver: Driver, path: Shape) -> tuple[_Ids, _Ids] | None:
    """Return the ids in the path of a new child, and in that below another, new parent."""
    if path[:-1].count(None) == 0:
        return None
    makers = {shape(operation.site.key): operation for operation in _creating(driver)}
    above = _above(path[:-1])
    maker, parent_maker = makers.get(path[:-1]), makers.get(above[:-1])
    if maker is None or parent_maker is None:
        return None
    own, new = _made(driver, maker, path), _made(driver, parent_maker, above)
    if own is None or new is None or own[: len(new) - 1] != new[:-1]:
        return None
    return own, (*new, *own[len(new) :])


def _at(operation: ContractOperation, ids: _Ids) -> OperationCall:
    """Return the call of an operation with the ids in its path."""
    names = (("path", name) for name in variables(operation.site.key))
    return OperationCall(operation, dict(zip(names, ids, strict=False)))


def _is_same(right: Exchange, wrong: Exchange, own: _Ids, other: _Ids) -> bool:
    """Return whether two responses show one resource, apart from the parent in the path.

    Another parent may have a child of its own with the same id.
    """
    one, two = (
        exchange.response.body.decode("utf-8", "replace") if exchange.response is not None else ""
        for exchange in (right, wrong)
    )
    return one == two.replace(str(other[-2]), str(own[-2]))


def _listed_below(driver: Driver, path: Shape, own: _Ids, other: _Ids) -> None:
    """Look for a child in the list of its parent, and in that of another one.

    Args:
        path: that of the child, with these values in it, and those below the other parent.
    """
    for lister in driver.contract.operations.values():
        if lister.method != "GET" or shape(lister.site.key) != path[:-1]:
            continue
        names = [("path", name) for name in variables(lister.site.key)]
        calls = [
            largest(OperationCall(lister, dict(zip(names, values, strict=False))), driver.contract)
            for values in (own, other)
        ]
        right, wrong = (driver.probe(call) for call in calls)
        items = _items(driver, calls[0], right, path).get(str(own[-1]))
        driver.target.record.check(PARENT, lister.pointer)
        # A new parent may have children of its own with the same ids.
        if items is not None and _items(driver, calls[1], wrong, path).get(str(own[-1])) == items:
            message = "a child of one resource is in the list of another one"
            driver.violate(PARENT, lister, message, right, wrong)


def _items(
    driver: Driver, call: OperationCall, exchange: Exchange, path: Shape
) -> dict[str, JsonValue]:
    """Return the items of a list by the ids that the path of an item has."""
    response = exchange.response
    if response is None or not response.is_success:
        return {}
    for lead in leads(driver.contract, call, response):
        if lead.shape == path:
            return dict(listed_items(response, lead.expressions[-1]))
    return {}


def _creating(driver: Driver) -> list[ContractOperation]:
    return [
        operation
        for operation in driver.contract.operations.values()
        if operation.method == "POST"
        and operation.pointer in driver.successes
        and "201" in operation.responses
    ]


def _above(path: Shape) -> Shape:
    """Return the shape of a path up to its last variable."""
    return path[: len(path) - path[::-1].index(None)]


def _made(driver: Driver, maker: ContractOperation, path: Shape) -> _Ids | None:
    """Create a resource, and return the values of the variables in its path."""
    success = driver.first_success(maker)
    if success is None or success[1].response is None:
        return None
    call, response = success[0], success[1].response
    for lead in leads(driver.contract, call, response):
        if lead.shape == path:
            try:
                return tuple(
                    evaluate(expression, call, response) for expression in lead.expressions
                )
            except Unknown:
                return None
    return None


def _is_another(created: JsonValue, read: Exchange) -> bool:
    """Return whether two responses have different ids."""
    body = read.response.json_or_none if read.response is not None else None
    if not isinstance(created, dict) or not isinstance(body, dict):
        return False
    shared = [id_ for id_ in _IDS if id_ in created and id_ in body]
    return any(created[member] != body[member] for member in shared[:1])
