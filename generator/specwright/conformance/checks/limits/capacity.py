"""Limits on the number of resources (`x-contract-capacity`)."""

from __future__ import annotations

from contextlib import suppress

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.links import Unknown, evaluate
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIVE_MODE
from specwright.conformance.recording.exchange import Exchange
from specwright.pointer import join
from specwright.vocabulary.keywords.capacity import CAPACITY, Capacity
from specwright.vocabulary.keywords.pagination import PAGINATION

OVER_CAPACITY = BehaviourRule(
    "capacity",
    BehaviourCategory.LIMITS,
    (
        "There are never more resources than the declared capacity, and released capacity can be "
        "used again."
    ),
    example="a third endpoint is created, and the declared capacity is two",
    advice="Count and insert in one transaction under a lock; do not count deleted resources.",
)

# The scope in which each mode has its own capacity.
_MODE = "mode"


@scenario(after="receiver URLs")
def capacity(driver: Driver) -> None:
    """Use up every capacity, exceed it, and use it again after a release."""
    for operation, declared in driver.contract.declaring(CAPACITY):
        _capacity(driver, operation, declared)


def _capacity(driver: Driver, operation: ContractOperation, declared: Capacity) -> None:
    record, place = driver.target.record, operation.pointer + join(CAPACITY.name)
    release_all(driver, declared)
    before = _there(driver, operation)
    refused: Exchange | None = None
    created: list[Exchange] = []
    for _ in range(declared.limit + 1):
        call = next(driver.candidates(operation), None)
        exchange = None if call is None else driver.send(call)
        if exchange is None or exchange.response is None:
            record.skip(OVER_CAPACITY, place, "no request could be made")
            return
        if not exchange.response.is_success:
            refused = exchange
            break
        created.append(exchange)
    if operation.pointer not in driver.successes:
        record.skip(OVER_CAPACITY, place, "the operation never succeeded")
        return
    record.check(OVER_CAPACITY, place)
    errors = driver.contract.errors
    if refused is None or refused.response is None:
        message = f"more than {declared.limit} were created"
        driver.violate(OVER_CAPACITY, operation, message, *created, at=place)
    else:
        response = refused.response
        code = response.at(errors.code.raw) if errors is not None else declared.code.raw
        if (response.status, code) != (declared.status, declared.code.raw):
            message = (
                f"answered {response.status}, not {declared.status} "
                f"{declared.code.raw}, when the capacity is used up"
            )
            driver.violate(OVER_CAPACITY, operation, message, refused, at=place)
        if before is not None and before + len(created) < declared.limit:
            message = f"fewer than {declared.limit} could be created"
            driver.violate(OVER_CAPACITY, operation, message, refused, at=place)
    _apart(driver, operation, declared)
    _release(driver, operation, declared)


def _apart(driver: Driver, operation: ContractOperation, declared: Capacity) -> None:
    """Check that resources in one mode do not use up the capacity of the other."""
    call = next(driver.candidates(operation), None)
    if declared.scope.raw != _MODE or LIVE_MODE not in driver.target.keys or call is None:
        return
    exchange = driver.probe(call, LIVE_MODE)
    if exchange.response is None:
        return
    if exchange.response.status == declared.status:
        message = "both modes share one capacity"
        place = operation.pointer + join(CAPACITY.name)
        driver.violate(OVER_CAPACITY, operation, message, exchange, at=place)
    release = driver.contract.by_id.get(declared.release.raw) if declared.release else None
    for link in driver.contract.links(operation, exchange.response.status):
        if release is not None and link.target == release.pointer:
            with suppress(Unknown):
                values = [
                    evaluate(parameter, call, exchange.response)
                    for parameter in link.parameters.values()
                ]
                driver.probe(OperationCall(release, {release.slots[0].key: values[0]}), LIVE_MODE)


def release_all(driver: Driver, declared: Capacity) -> None:
    """Remove the known resources, to free capacity."""
    release = driver.contract.by_id.get(declared.release.raw) if declared.release else None
    if release is not None and release.slots:
        for value in list(driver.known(release, release.slots[0])):
            driver.send(OperationCall(release, {release.slots[0].key: value}))


def _there(driver: Driver, operation: ContractOperation) -> int | None:
    """Return the number of existing resources, if a list at the same path shows them."""
    for lister, page in driver.contract.declaring(PAGINATION):
        if lister.site.key == operation.site.key:
            success = driver.first_success(lister)
            response = success[1].response if success is not None else None
            items = response.at(page.items.raw) if response is not None else None
            return len(items) if isinstance(items, list) else None
    return None


def _release(driver: Driver, operation: ContractOperation, declared: Capacity) -> None:
    """Remove a resource and create another one in its place; then remove all known ones."""
    place = operation.pointer + join(CAPACITY.name)
    release = driver.contract.by_id.get(declared.release.raw) if declared.release else None
    if release is None or not release.slots:
        return
    slot = release.slots[0]
    for number, value in enumerate(list(driver.known(release, slot))):
        removed = driver.send(OperationCall(release, {slot.key: value}))
        if not removed.succeeded or number > 0:
            continue
        call = next(driver.candidates(operation), None)
        again = None if call is None else driver.send(call)
        if again is not None and again.response is not None and not again.response.is_success:
            message = "refused after capacity had been released"
            driver.violate(OVER_CAPACITY, operation, message, removed, again, at=place)
