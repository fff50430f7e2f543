"""Balances, which move by what is charged (`x-contract-charge`)."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, InvalidOperation

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.triggers import cause
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.calls import Call
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import Exchange, JsonValue
from specwright.conformance.recording.record import Violation
from specwright.pointer import join
from specwright.vocabulary.keywords.charge import CHARGE, Charge

_AT_ONCE = 4
_PAUSE_SECONDS = 0.1
# A balance that lasts for more of them is left as it is.
_MOST_CHARGES = 60


def conservation(bench: Workbench) -> None:
    """Compare the balance before and after one charge, a replay of it, and several at once."""
    for operation in bench.contract.operations.values():
        if operation.declared["charge"] is not None:
            _charges(bench, operation, operation.declared["charge"])
            _gives_back(bench, operation, operation.declared["charge"])


def exhausted(bench: Workbench) -> None:
    """Spend until a charge is refused, where a reset brings the balance back afterwards."""
    operations = bench.contract.operations.values()
    charging = [each for each in operations if each.declared["charge"] is not None]
    if not any(each.declared["reset"] is not None for each in operations):
        return
    # What they need may have gone meanwhile, and there is still money to make it again.
    for operation in charging:
        if operation.pointer in bench.made and operation.site.id:
            cause(bench, operation.site.id, None)
    for operation in charging:
        _spend(bench, operation, operation.declared["charge"])


def _spend(bench: Workbench, operation: Operation, declared: Charge) -> None:
    """Call an operation until it does not succeed; not where that would take too many calls."""
    for _ in range(_MOST_CHARGES):
        call = _dearest(bench, operation)
        exchange = None if call is None else bench.send(call)
        if exchange is None or exchange.response is None or not exchange.response.is_success:
            return
        amount, balance = _charged([exchange], declared), _balance(bench, declared)
        if not amount or balance is None or balance / amount > _MOST_CHARGES:
            return


def _dearest(bench: Workbench, operation: Operation) -> Call | None:
    """A call that has succeeded, with the numbers in its body as large as they may be."""
    if operation.pointer not in bench.made:
        return None
    contract = bench.contract
    call = bench.with_fresh_key(bench.made[operation.pointer][0])
    schema = contract.body_schema(operation)
    found = contract.document.follow({"$ref": f"#{schema}"}) if schema is not None else None
    properties = found.get("properties") or {} if isinstance(found, dict) else {}
    for name, value in properties.items():
        described = contract.document.follow(value)
        most = described.get("maximum") if isinstance(described, dict) else None
        if isinstance(most, int) and isinstance(call.body, dict) and name in call.body:
            call = call.with_member(join(name), most)
    return call


def _charges(bench: Workbench, operation: Operation, declared: Charge) -> None:
    record, place = bench.target.record, operation.pointer + join(CHARGE.name)
    made = bench.succeed(operation)
    if made is None:
        record.skip(Behaviour.CONSERVATION, place, "the operation never succeeded")
        return
    again = bench.with_fresh_key(made[0])
    several = [bench.with_fresh_key(made[0]) for _ in range(_AT_ONCE)]
    for how, calls in (("one call", [again]), ("a replay", [again]), ("calls at once", several)):
        before = _balance(bench, declared)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            exchanges = list(pool.map(bench.send, calls))
        after = _balance(bench, declared)
        charged = Decimal(0) if how == "a replay" else _charged(exchanges, declared)
        if before is None or after is None or charged is None:
            record.skip(Behaviour.CONSERVATION, place, "a balance or an amount is no number")
            return
        record.check(Behaviour.CONSERVATION, place)
        if how == "one call" and _left(exchanges[0], declared) not in (None, after):
            message = f"{operation.name}: the answer tells another balance than there is"
            record.violate(Violation(Behaviour.CONSERVATION, place, message, tuple(exchanges)))
        if before - after != charged:
            message = f"{operation.name}: the balance does not move by what {how} charged"
            record.violate(Violation(Behaviour.CONSERVATION, place, message, tuple(exchanges)))


def _gives_back(bench: Workbench, operation: Operation, declared: Charge) -> None:
    """Make the call whose amount is given back, and watch the balance until it is."""
    record, place = bench.target.record, operation.pointer + join(CHARGE.name, "refund")
    if declared.refund is None:
        return
    before = _balance(bench, declared)
    call = bench.example(operation, declared.refund.scenario.raw)
    exchange = None if call is None else bench.ask(call)
    if exchange is None or exchange.response is None or not exchange.response.is_success:
        record.skip(Behaviour.CONSERVATION, place, "its example did not succeed")
        return
    record.check(Behaviour.CONSERVATION, place)
    ends = time.monotonic() + declared.refund.within_seconds
    while _balance(bench, declared) != before:
        if time.monotonic() > ends:
            message = f"{operation.name}: what was to be given back is kept"
            record.violate(Violation(Behaviour.CONSERVATION, place, message, (exchange,)))
            return
        time.sleep(_PAUSE_SECONDS)


def _balance(bench: Workbench, declared: Charge) -> Decimal | None:
    found = bench.succeed(bench.contract.by_id[declared.balance.raw])
    response = found[1].response if found is not None else None
    return None if response is None else _number(response.at(declared.at.raw))


def _charged(exchanges: list[Exchange], declared: Charge) -> Decimal | None:
    """What the answers that say success have taken together."""
    total = Decimal(0)
    for exchange in exchanges:
        if exchange.response is not None and exchange.response.is_success:
            amount = _number(exchange.response.at(declared.amount.raw))
            if amount is None:
                return None
            total += amount
    return total


def _left(exchange: Exchange, declared: Charge) -> Decimal | None:
    """The balance that an answer tells."""
    response = exchange.response
    if declared.left is None or response is None:
        return None
    return _number(response.at(declared.left.raw))


def _number(value: JsonValue) -> Decimal | None:
    try:
        return None if isinstance(value, bool) or value is None else Decimal(str(value))
    except InvalidOperation:
        return None
