"""Balances, which change by the charged amounts (`x-contract-charge`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from http.client import PAYMENT_REQUIRED

from specwright.conformance.checks.access.isolation import ISOLATION
from specwright.conformance.checks.idempotency.used_keys import Keys
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIVE_MODE, MAIN
from specwright.conformance.driver.triggers import cause
from specwright.conformance.recording.exchange import FUZZING, Exchange, decimal_of
from specwright.json_values import mapping
from specwright.pointer import join
from specwright.vocabulary.keywords.charge import CHARGE, Charge
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.reset import RESET

CONSERVATION = BehaviourRule(
    "conservation",
    BehaviourCategory.STATE,
    "A balance changes by the charged and refunded amounts, and by nothing else.",
    example="an invoice of 500 cents changes the balance by 499",
    advice="Write the invoice and its ledger entry in one transaction, in whole minor units.",
    weight=14,
)

_AT_ONCE = 4
_PAUSE_SECONDS = 0.1
# A balance that covers more charges is not used up.
_MOST_CHARGES = 60


@scenario(after="restoration", share=20, needs=CHARGE)
def conservation(driver: Driver) -> None:
    """Compare the balance before and after a charge, a replay of it, and concurrent charges."""
    for operation, charge in driver.contract.declaring(CHARGE):
        _charges(driver, operation, charge)
        _gives_back(driver, operation, charge)


@scenario(after=FUZZING, needs=CHARGE, name="charges")
def exhausted(driver: Driver) -> None:
    """Spend until a charge is refused, if a reset restores the balance afterwards."""
    charging = list(driver.contract.declaring(CHARGE))
    if not any(driver.contract.declaring(RESET)):
        return
    # The resources that they need may be gone, and there is still money to create them again.
    for operation, _ in charging:
        if operation.pointer in driver.successes and operation.site.id:
            cause(driver, operation.site.id, None)
    for operation, charge in charging:
        _spend(driver, operation, charge)


def _spend(driver: Driver, operation: ContractOperation, declared: Charge) -> None:
    """Call an operation until it fails, unless that would take too many calls."""
    amount: Decimal | None = None
    for _ in range(_MOST_CHARGES):
        call = _dearest(driver, operation)
        exchange = None if call is None else driver.send(call)
        if exchange is None or not exchange.succeeded:
            _is_told(driver, operation, declared, exchange, amount)
            _leaves_free(driver, operation, exchange)
            return
        amount, balance = _charged([exchange], declared), _balance(driver, declared)
        if not amount or balance is None or balance / amount > _MOST_CHARGES:
            return


def _is_told(
    driver: Driver,
    operation: ContractOperation,
    declared: Charge,
    unpaid: Exchange | None,
    amount: Decimal | None,
) -> None:
    """Check the amounts in the refusal of a call that was paid for before.

    Args:
        amount: the amount that the same call was charged; None if it did not succeed.
    """
    response = None if unpaid is None else unpaid.response
    if unpaid is None or response is None or declared.unpaid is None:
        return
    if response.status != PAYMENT_REQUIRED:
        return
    place = operation.pointer + join(CHARGE.name, "unpaid")
    driver.target.record.check(CONSERVATION, place)
    for name, at, actual in (
        ("required amount", declared.unpaid.amount, amount),
        ("balance", declared.unpaid.balance, _balance(driver, declared)),
    ):
        shown = decimal_of(response.at(at.raw))
        if actual is not None and shown != actual:
            message = f"the {name} in the refusal is {shown}, not {actual}"
            driver.violate(CONSERVATION, operation, message, unpaid, at=place)


def _leaves_free(driver: Driver, operation: ContractOperation, unpaid: Exchange | None) -> None:
    """Check that a request that could not be paid for leaves its key free for one that can."""
    declared = operation.get(IDEMPOTENCY)
    if declared is None or unpaid is None or unpaid.response is None:
        return
    if unpaid.response.status == PAYMENT_REQUIRED:
        Keys(driver, operation, declared).is_free(unpaid, driver.successes[operation.pointer][0])


def _dearest(driver: Driver, operation: ContractOperation) -> OperationCall | None:
    """Return a successful call with the numbers in its body at their maximum."""
    if operation.pointer not in driver.successes:
        return None
    contract = driver.contract
    call = driver.with_fresh_key(driver.successes[operation.pointer][0])
    schema = contract.body_schema(operation)
    body_schema = contract.document.follow({"$ref": f"#{schema}"}) if schema is not None else None
    for name, value in mapping(mapping(body_schema).get("properties")).items():
        described = contract.document.follow(value)
        most = described.get("maximum") if isinstance(described, dict) else None
        if isinstance(most, int) and isinstance(call.body, dict) and name in call.body:
            call = call.with_member(join(name), most)
    return call


def _charges(driver: Driver, operation: ContractOperation, declared: Charge) -> None:
    record, place = driver.target.record, operation.pointer + join(CHARGE.name)
    success = driver.first_success(operation)
    if success is None and operation.pointer in driver.successes and operation.site.id:
        # The resources that it needs may be gone.
        cause(driver, operation.site.id, None)
        success = driver.successes[operation.pointer]
    if success is None:
        record.skip(CONSERVATION, place, "the operation never succeeded")
        return
    again = driver.with_fresh_key(success[0])
    several = [driver.with_fresh_key(success[0]) for _ in range(_AT_ONCE)]
    for how, calls in (("one call", [again]), ("a replay", [again]), ("calls at once", several)):
        before, apart = _balance(driver, declared), _apart(driver, declared)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            exchanges = list(pool.map(driver.send, calls))
        after = _balance(driver, declared)
        if apart != _apart(driver, declared):
            message = f"{how} changed the balance of live mode"
            driver.violate(ISOLATION, operation, message, *exchanges)
        charged = Decimal(0) if how == "a replay" else _charged(exchanges, declared)
        if before is None or after is None or charged is None:
            record.skip(CONSERVATION, place, "a balance or an amount is not a number")
            return
        record.check(CONSERVATION, place)
        if how == "one call" and _left(exchanges[0], declared) not in (None, after):
            message = "the balance in the response is not the actual one"
            driver.violate(CONSERVATION, operation, message, *exchanges, at=place)
        if before - after != charged:
            message = f"the balance does not change by the amount that {how} charged"
            driver.violate(CONSERVATION, operation, message, *exchanges, at=place)


def _apart(driver: Driver, declared: Charge) -> Decimal | None:
    """Return the balance in live mode, which calls in this mode must not change."""
    return _balance(driver, declared, LIVE_MODE) if LIVE_MODE in driver.target.keys else None


def _gives_back(driver: Driver, operation: ContractOperation, declared: Charge) -> None:
    """Make the call with a refund, also for larger numbers, and wait for the refund."""
    record, place = driver.target.record, operation.pointer + join(CHARGE.name, "refund")
    call = (
        None if declared.refund is None else driver.example(operation, declared.refund.scenario.raw)
    )
    if declared.refund is None:
        return
    if call is None:
        record.skip(CONSERVATION, place, "its example did not succeed")
        return
    for attempt in (call, *_several(driver, call)):
        before = _balance(driver, declared)
        exchange = driver.probe(driver.with_fresh_key(attempt))
        if not exchange.succeeded:
            record.skip(CONSERVATION, place, "its example did not succeed")
            return
        record.check(CONSERVATION, place)
        ends = time.monotonic() + declared.refund.within_seconds
        while _balance(driver, declared) != before:
            if time.monotonic() > ends:
                message = "the declared refund is missing"
                driver.violate(CONSERVATION, operation, message, exchange, at=place)
                return
            time.sleep(_PAUSE_SECONDS)


def _several(driver: Driver, call: OperationCall) -> Iterator[OperationCall]:
    """Yield the call with larger numbers: each one with a default, increased."""
    contract = driver.contract
    schema = contract.body_schema(call.operation)
    described = contract.document.follow({"$ref": f"#{schema}"}) if schema is not None else None
    for name, value in mapping(mapping(described).get("properties")).items():
        default = value.get("default") if isinstance(value, dict) else None
        if isinstance(default, int) and not isinstance(default, bool):
            more = call.with_member(join(name), default + 2)
            if not any(contract.requests.problems(str(schema), more.body)):
                yield more


def _balance(driver: Driver, declared: Charge, role: str = MAIN) -> Decimal | None:
    operation = driver.contract.by_id[declared.balance.raw]
    if role == MAIN:
        success = driver.first_success(operation)
        response = success[1].response if success is not None else None
    else:
        response = driver.probe(next(driver.candidates(operation)), role).response
    return None if response is None else decimal_of(response.at(declared.at.raw))


def _charged(exchanges: list[Exchange], declared: Charge) -> Decimal | None:
    """Return the total amount charged by successful responses; None if one is not a number."""
    total = Decimal(0)
    for exchange in exchanges:
        response = exchange.response
        if response is not None and response.is_success:
            amount = decimal_of(response.at(declared.amount.raw))
            if amount is None:
                return None
            total += amount
    return total


def _left(exchange: Exchange, declared: Charge) -> Decimal | None:
    """Return the balance in a response."""
    response = exchange.response
    if declared.left is None or response is None:
        return None
    return decimal_of(response.at(declared.left.raw))
