"""Requests for resources after their deletion."""

from __future__ import annotations

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_existence
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.findings import values_of

DELETED_IS_GONE = BehaviourRule(
    "deleted-is-gone",
    BehaviourCategory.STATE,
    "A deleted resource no longer exists.",
    example="DELETE /items/7 -> 204, then GET /items/7 -> 200",
    advice="Exclude deleted resources from every query, and remove them from caches.",
    weight=10,
    judge=judge_existence,
)


@scenario(after="capacity")
def deleted(driver: Driver) -> None:
    """Delete one resource of each kind, and request it afterwards in every way.

    A resource without its own id, such as the settings of a user, may still have its defaults.
    """
    for operation in driver.contract.operations.values():
        if operation.method == "DELETE" and operation.site.key.rstrip("/").endswith("}"):
            _deleted(driver, operation)


def _deleted(driver: Driver, operation: ContractOperation) -> None:
    record = driver.target.record
    success = driver.first_success(operation) or _after_another(driver, operation)
    if success is None:
        record.skip(DELETED_IS_GONE, operation.pointer, "the operation never succeeded")
        return
    call, first = success
    if not first.succeeded:
        reason = "a redirect does not say that the resource was deleted"
        record.skip(DELETED_IS_GONE, operation.pointer, reason)
        return
    record.check(DELETED_IS_GONE, operation.pointer)
    for other in sorted(driver.contract.operations.values(), key=lambda other: not other.is_safe):
        path, removed = other.site.key.rstrip("/"), operation.site.key.rstrip("/")
        below = path == removed or path.startswith(f"{removed}/")
        # A PUT may create it again (RFC 9110, 9.3.4).
        if (
            not below
            or other.method == "PUT"
            or {slot.key for slot in operation.slots} - {slot.key for slot in other.slots}
        ):
            continue
        later = next(driver.candidates(other), None)
        if later is None:
            continue
        again = driver.send(OperationCall(other, {**later.arguments, **call.arguments}, later.body))
        response = again.response
        if response is not None and response.is_success:
            # RFC 9110, 9.3.5 and 9.2.2: a second DELETE may succeed unless a 404 is declared.
            if other is operation and operation.response(404) is None:
                continue
            message = f"answered {response.status} after {operation.name}"
            cause = f"answered with success after {operation.name}"
            driver.violate(
                DELETED_IS_GONE,
                other,
                message,
                first,
                again,
                at=operation.pointer,
                cause=cause,
                values=values_of(operation.name),
            )


def _after_another(
    driver: Driver, operation: ContractOperation
) -> tuple[OperationCall, Exchange] | None:
    """Create a resource with the operation of its path or the path above, and delete it."""
    path = operation.site.key.rstrip("/")
    makers = {("POST", path.rpartition("/")[0]), ("PUT", path)}
    for maker in driver.contract.operations.values():
        is_maker = (maker.method, maker.site.key.rstrip("/")) in makers
        if is_maker and driver.first_success(maker) is not None:
            return driver.first_success(operation)
    return None
