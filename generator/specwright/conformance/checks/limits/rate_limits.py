"""Limits on the requests in a time window (`x-contract-rate-limit`)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from specwright.conformance.checks.access.precedence import Mistake, mistakes, precedes
from specwright.conformance.checks.idempotency.used_keys import Keys
from specwright.conformance.checks.limits.rate_limit_headers import RATE_LIMIT_HEADERS, STATE
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIMITED, MAIN
from specwright.conformance.recording.exchange import Exchange
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.error import Condition
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.rate_limit import (
    RATE_LIMIT,
    RATE_LIMITS,
    RateLimitClassContract,
)

OVER_RATE_LIMIT = BehaviourRule(
    "rate-limit",
    BehaviourCategory.LIMITS,
    "No window has more served requests than the limit allows.",
    example="61 requests are served in one minute, and 60 are allowed",
    advice="Count in one place for all processes, before the request is handled.",
)
RATE_LIMIT_SCOPE = BehaviourRule(
    "rate-limit-scope",
    BehaviourCategory.LIMITS,
    "Scopes that are limited separately, such as keys, are counted separately.",
    example="requests of one key use up the limit of another",
    advice="Count by the scope that the limit is declared for, such as the key.",
)

_THREADS = 8
# Enough requests to show that a quota changes, and whether they are counted.
_IN_A_ROW = 4
_TOO_MANY = 429
# The tolerated difference between the clocks of server and test, in seconds.
_TOLERANCE = 2.0
# The scope in which each key has its own limits.
_KEY = "key"


@scenario(after="explore")
def windows(driver: Driver) -> None:
    """Watch the remaining quota of each limit, while it is nearly unused."""
    limits = driver.contract.rate_limits
    for name, declared in limits.classes.items() if limits is not None else ():
        place, call = join(RATE_LIMITS.name, "classes", name.raw), _cheapest(driver, name.raw)
        if call is not None:
            _falls(driver, place, call)
            _is_apart(driver, place, call, declared)
            _counts_mistakes(driver, place, name.raw, call)


def _falls(driver: Driver, place: Pointer, call: OperationCall) -> None:
    """Check that requests reduce the remaining quota."""
    role = LIMITED if LIMITED in driver.target.keys else MAIN
    exchanges = [driver.send(call, role) for _ in range(_IN_A_ROW)]
    left = [_left(driver, exchange) for exchange in exchanges]
    if None in left:
        return
    driver.target.record.check(RATE_LIMIT_HEADERS, place)
    if len(set(left)) == 1:
        message = "the remaining quota never changes"
        driver.violate(RATE_LIMIT_HEADERS, call.operation, message, *exchanges, at=place)


def _is_apart(
    driver: Driver, place: Pointer, call: OperationCall, declared: RateLimitClassContract
) -> None:
    """Check that requests with another key do not count for a limit by key."""
    record, keys = driver.target.record, driver.target.keys
    if declared.scope.raw != _KEY:
        return
    if LIMITED not in keys or keys[LIMITED] == keys[MAIN]:
        record.skip(RATE_LIMIT_SCOPE, place, "no key with limits that may be used up was given")
        return
    before = driver.send(call, LIMITED)
    between = [driver.send(call) for _ in range(_IN_A_ROW)]
    after = driver.send(call, LIMITED)
    left, then = _left(driver, before), _left(driver, after)
    if left is None or then is None:
        record.skip(RATE_LIMIT_SCOPE, place, "no response gives the remaining quota")
        return
    record.check(RATE_LIMIT_SCOPE, place)
    # The passing of time only restores quota.
    if left - then > 1:
        message = "requests with another key are counted"
        driver.violate(RATE_LIMIT_SCOPE, call.operation, message, before, *between, after, at=place)


def _counts_mistakes(driver: Driver, place: Pointer, name: str, call: OperationCall) -> None:
    """Check that requests count which the limit is declared to be checked before."""
    errors = driver.contract.errors
    role = LIMITED if LIMITED in driver.target.keys else MAIN
    for mistake in mistakes(driver) if errors is not None else ():
        at = mistake.operation
        of_class = _class_of(driver, mistake.method, None if at is None else at.pointer)
        is_before = errors and precedes(errors, Condition.RATE_LIMITED, mistake.condition)
        if of_class != name or not is_before:
            continue
        driver.target.record.check(OVER_RATE_LIMIT, place)
        # At the end of a window in the middle, earlier requests no longer count.
        shown = _uncounted(driver, call, mistake, role)
        if shown and _uncounted(driver, call, mistake, role):
            message = f"{mistake.shown}: does not count for the limit of the class '{name}'"
            driver.violate(OVER_RATE_LIMIT, None, message, *shown, at=place)


def _uncounted(driver: Driver, call: OperationCall, mistake: Mistake, role: str) -> list[Exchange]:
    """Return the exchanges that show that a mistake does not count; empty if it does."""
    before = driver.send(call, role)
    between = [mistake.send(driver, role) for _ in range(_IN_A_ROW)]
    after = driver.send(call, role)
    left, then = _left(driver, before), _left(driver, after)
    is_refused = any(
        exchange.response and exchange.response.status == _TOO_MANY for exchange in between
    )
    if left is None or then is None or is_refused or left - then > len(between):
        return []
    return [before, *between, after]


def _class_of(driver: Driver, method: str, operation: Pointer | None) -> str | None:
    """Return the class of an operation; for an unknown path, that of all with its method."""
    names = {
        limit.class_.raw
        for limited, limit in driver.contract.declaring(RATE_LIMIT)
        if limited.method == method and operation in (None, limited.pointer)
    }
    return names.pop() if len(names) == 1 else None


@scenario(after="charges", share=2)
def rate_limits(driver: Driver) -> None:
    """Use up the limit of every class, with a key for that purpose."""
    limits, record = driver.contract.rate_limits, driver.target.record
    if limits is None:
        return
    for name, declared in limits.classes.items():
        place = join(RATE_LIMITS.name, "classes", name.raw)
        if LIMITED not in driver.target.keys:
            record.skip(OVER_RATE_LIMIT, place, "no key with limits that may be used up was given")
            continue
        call = _cheapest(driver, name.raw)
        if call is None:
            record.skip(OVER_RATE_LIMIT, place, "no operation of the class has succeeded")
            continue
        with ThreadPoolExecutor(_THREADS) as pool:
            exchanges = list(
                pool.map(lambda _, call=call: driver.send(call, LIMITED), range(declared.limit + 5))
            )
        _count(driver, place, name.raw, declared, exchanges)
        # All operations of a class share its limit.
        is_used_up = any(
            exchange.response and exchange.response.status == 429 for exchange in exchanges
        )
        for operation in _of_class(driver, name.raw) if is_used_up else ():
            another = next(driver.candidates(operation), None)
            if another is not None:
                _beyond(driver, place, name.raw, call, another)


def _beyond(
    driver: Driver, place: Pointer, name: str, usual: OperationCall, call: OperationCall
) -> None:
    """Call an operation of a class with a used-up limit, as the next usual call confirms."""
    exchange = driver.send(call, LIMITED)
    response, declared = exchange.response, call.operation.get(IDEMPOTENCY)
    if response is None:
        return
    if response.status != _TOO_MANY:
        again = driver.send(usual, LIMITED)
        if again.response is not None and again.response.status == _TOO_MANY:
            message = f"does not count for the limit of the class '{name}'"
            driver.violate(OVER_RATE_LIMIT, call.operation, message, exchange, again, at=place)
    elif declared is not None:
        Keys(driver, call.operation, declared).is_free(exchange, call)


def _count(
    driver: Driver,
    place: Pointer,
    name: str,
    declared: RateLimitClassContract,
    exchanges: list[Exchange],
) -> None:
    record = driver.target.record
    refused = [
        exchange for exchange in exchanges if exchange.response and exchange.response.status == 429
    ]
    if len(refused) == len(exchanges):
        record.skip(OVER_RATE_LIMIT, place, "the limit of the key had been used up before")
        return
    served = _served(driver, name)
    first = min(exchange.sent_at for exchange in exchanges)
    last = max(exchange.sent_at + exchange.seconds for exchange in served)
    # After more than a window, the limit may have been renewed.
    if last - first >= declared.window_seconds:
        record.skip(OVER_RATE_LIMIT, place, "the target is too slow to use the limit up")
        return
    record.check(OVER_RATE_LIMIT, place)
    _waits(driver, place, declared, served, refused)
    requests = f"requests of the class '{name}' within {declared.window_seconds} seconds"
    within = [exchange for exchange in served if exchange.sent_at >= last - declared.window_seconds]
    if len(within) > declared.limit:
        message = f"more than {declared.limit} {requests} were served"
        driver.violate(OVER_RATE_LIMIT, None, message, served[-1], at=place)
        return
    unused = next(
        (exchange for exchange in served if _left(driver, exchange) == declared.limit - 1), None
    )
    if refused and unused is not None:
        since = [
            exchange for exchange in served if exchange.sent_at + exchange.seconds >= unused.sent_at
        ]
        if len(since) < declared.limit:
            message = f"fewer than {declared.limit} {requests} were served"
            driver.violate(OVER_RATE_LIMIT, None, message, refused[0], at=place)


def _waits(
    driver: Driver,
    place: Pointer,
    declared: RateLimitClassContract,
    served: list[Exchange],
    refused: list[Exchange],
) -> None:
    """Check that the requested pause does not end before a request may be served again."""
    limits = driver.contract.rate_limits
    header = limits.headers.retry if limits is not None else None
    if header is None or len(served) < declared.limit:
        return
    free_at = served[-declared.limit].sent_at + declared.window_seconds
    for exchange in refused[:1]:
        pause = (exchange.response and exchange.response.header(header.raw)) or ""
        if (
            pause.isdecimal()
            and exchange.sent_at + exchange.seconds + int(pause) < free_at - _TOLERANCE
        ):
            message = f"{header.raw} allows a retry while the limit is still used up"
            driver.violate(RATE_LIMIT_HEADERS, None, message, exchange, at=place)


def _served(driver: Driver, name: str) -> list[Exchange]:
    """Return the exchanges of a class that were served to the limited key until now."""
    return [
        exchange
        for exchange in driver.target.record.exchanges
        if exchange.role == LIMITED
        and _class_of(driver, exchange.request.method, exchange.operation) == name
        if exchange.response is not None and exchange.response.status != 429
    ]


def _left(driver: Driver, exchange: Exchange) -> int | None:
    """Return the remaining quota of the limit according to a response."""
    limits = driver.contract.rate_limits
    header = limits.headers.state if limits is not None else None
    if header is None or exchange.response is None or exchange.response.status == 429:
        return None
    match = STATE.search(exchange.response.header(header.raw) or "")
    return int(match["left"]) if match else None


def _cheapest(driver: Driver, name: str) -> OperationCall | None:
    """Return a call of the class without effect: a safe one, or one for a missing resource."""
    of_class = _of_class(driver, name)
    safe = [
        operation.pointer
        for operation in of_class
        if operation.is_safe and operation.pointer in driver.successes
    ]
    if safe:
        return min((driver.successes[pointer] for pointer in safe), key=_size)[0]
    for operation in of_class:
        if operation.method == "DELETE" and len(operation.slots) == 1:
            return OperationCall(operation, {operation.slots[0].key: "nothing-has-this-id"})
    return None


def _of_class(driver: Driver, name: str) -> list[ContractOperation]:
    return [
        operation
        for operation, limit in driver.contract.declaring(RATE_LIMIT)
        if limit.class_.raw == name
    ]


def _size(success: tuple[OperationCall, Exchange]) -> int:
    response = success[1].response
    return 0 if response is None else len(response.body)
