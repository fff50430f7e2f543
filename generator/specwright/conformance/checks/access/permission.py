"""Requests with keys that lack permissions, scopes or roles."""

from __future__ import annotations

from itertools import islice

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_status_of
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import SUSPENDED, UNSCOPED

PERMISSION = BehaviourRule(
    "permission",
    BehaviourCategory.AUTHENTICATION,
    (
        "A key without permissions, such as that of a suspended tenant, gets 403 from every "
        "operation with a security requirement; a key without the required scopes or roles is "
        "refused."
    ),
    example=(
        "GET /invoices with the key of a suspended tenant, or without the scope that it "
        "requires -> 200"
    ),
    advice="Check the permissions of a key after it is authenticated, and return 403.",
    weight=19,
    expected="403",
    judge=judge_status_of(403),
)


# Calls with another resource, if that of one is gone.
_TRIED = 4


@scenario(after="isolation")
def permission(driver: Driver) -> None:
    """Call every operation that requires a credential with keys that must not be enough."""
    keys, record = driver.target.keys, driver.target.record
    for operation in driver.contract.operations.values():
        if operation.scheme is None:
            continue
        calls = list(islice(driver.candidates(operation), _TRIED))
        if SUSPENDED not in keys or not calls:
            reason = "no key without permissions was given"
            record.skip(PERMISSION, operation.pointer, reason)
        else:
            _suspended(driver, operation, calls[0])
        if UNSCOPED in keys and calls:
            _unscoped(driver, operation, calls)


def _suspended(driver: Driver, operation: ContractOperation, call: OperationCall) -> None:
    exchange = driver.send(call, SUSPENDED)
    driver.target.record.check(PERMISSION, operation.pointer)
    response = exchange.response
    if response is not None and response.status not in (403, 429):
        message = f"answered {response.status} to a key without permissions"
        driver.violate(PERMISSION, operation, message, exchange)


def _unscoped(driver: Driver, operation: ContractOperation, calls: list[OperationCall]) -> None:
    """Check a requirement of scopes, or of roles (OpenAPI 3.1.1, 4.8.30).

    A server may refuse with 403 (RFC 6750, 3.1), or hide that the resource exists.
    """
    credential = driver.target.credential
    demands = () if credential is None else credential.demands.get(operation.pointer, ())
    if not demands or not all(any(demand.values()) for demand in demands):
        return
    for call in calls:
        exchange = driver.probe(driver.with_fresh_key(call), UNSCOPED)
        response = exchange.response
        # Its resource may be gone, such as one that was deleted.
        if response is None or response.status not in (404, 410):
            break
    driver.target.record.check(PERMISSION, operation.pointer)
    if response is not None and response.is_success:
        scopes = " or ".join(
            ", ".join(scope for scopes in alternative.values() for scope in scopes)
            for alternative in demands
        )
        message = f"answered {response.status} to a key without {scopes}"
        driver.violate(PERMISSION, operation, message, exchange)
