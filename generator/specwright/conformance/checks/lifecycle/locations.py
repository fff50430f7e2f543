"""Locations of resources: the Location of a created resource, and paths below its parent."""

from __future__ import annotations

from specwright.conformance.checks.lifecycle.readers import reader_at
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.links import Unknown, evaluate, leads
from specwright.conformance.contract.resources import Shape, shape, variables
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.json_values import JsonValue

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
    makers = {shape(operation.site.key): operation for operation in _creating(driver)}
    for operation in driver.contract.operations.values():
        path = shape(operation.site.key)
        if operation.method != "GET" or path[-1:] != (None,) or path[:-1].count(None) == 0:
            continue
        above = _above(path[:-1])
        maker, parent_maker = makers.get(path[:-1]), makers.get(above[:-1])
        if maker is None or parent_maker is None:
            continue
        own, new = _made(driver, maker, path), _made(driver, parent_maker, above)
        if own is None or new is None or own[: len(new) - 1] != new[:-1]:
            continue
        names = [("path", name) for name in variables(operation.site.key)]
        right = driver.send(OperationCall(operation, dict(zip(names, own, strict=True))))
        other = (*new, *own[len(new) :])
        wrong = driver.probe(OperationCall(operation, dict(zip(names, other, strict=True))))
        responses = [exchange.response for exchange in (right, wrong)]
        driver.target.record.check(PARENT, operation.pointer)
        if all(response is not None and response.is_success for response in responses):
            message = "a child of one resource is found below another one"
            driver.violate(PARENT, operation, message, right, wrong)


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


def _made(driver: Driver, maker: ContractOperation, path: Shape) -> tuple[JsonValue, ...] | None:
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
