"""How much there may be of resources, and of requests in a window."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from specwright.conformance.calls import Call
from specwright.conformance.contract import Operation
from specwright.conformance.exchange import Exchange
from specwright.conformance.record import Violation
from specwright.conformance.target import LIMITED
from specwright.conformance.workbench import Workbench
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.capacity import CAPACITY, Capacity
from specwright.vocabulary.keywords.rate_limit import RATE_LIMITS, RateLimitClass

_THREADS = 8


def capacity(bench: Workbench) -> None:
    """Fill every capacity, exceed it, and use it again after a release."""
    for operation in bench.contract.operations.values():
        if operation.declared["capacity"] is not None:
            _capacity(bench, operation, operation.declared["capacity"])


def _capacity(bench: Workbench, operation: Operation, declared: Capacity) -> None:
    record, place = bench.target.record, operation.pointer + join(CAPACITY.name)
    _release_all(bench, declared)
    before = _there(bench, operation)
    refused: Exchange | None = None
    made: list[Exchange] = []
    for _ in range(declared.limit + 1):
        call = next(bench.candidates(operation), None)
        exchange = None if call is None else bench.send(call)
        if exchange is None or exchange.response is None:
            record.skip("capacity", place, "no request could be made")
            return
        if not exchange.response.is_success:
            refused = exchange
            break
        made.append(exchange)
    if not made and not before:
        record.skip("capacity", place, "the operation never succeeded")
        return
    record.check("capacity", place)
    errors = bench.contract.errors
    if refused is None or refused.response is None:
        message = f"{operation.name}: more than {declared.limit} were made"
        record.violate(Violation("capacity", place, message, tuple(made)))
    else:
        response = refused.response
        code = response.at(errors.code.raw) if errors is not None else declared.code.raw
        if (response.status, code) != (declared.status, declared.code.raw):
            message = (
                f"{operation.name}: answered {response.status}, not {declared.status} "
                f"{declared.code.raw}, when the capacity is used up"
            )
            record.violate(Violation("capacity", place, message, (refused,)))
        if before is not None and before + len(made) < declared.limit:
            message = f"{operation.name}: fewer than {declared.limit} could be made"
            record.violate(Violation("capacity", place, message, (refused,)))
    _release(bench, operation, declared)


def _release_all(bench: Workbench, declared: Capacity) -> None:
    """Remove what is known of, so that there is room."""
    release = bench.contract.by_id.get(declared.release.raw) if declared.release else None
    if release is not None and release.slots:
        for value in list(bench.known(release, release.slots[0])):
            bench.send(Call(release, {release.slots[0].key: value}))


def _there(bench: Workbench, operation: Operation) -> int | None:
    """How many there are, where a list in the same path can tell."""
    for each in bench.contract.operations.values():
        page = each.declared["pagination"]
        if each.site.key == operation.site.key and page is not None:
            made = bench.succeed(each)
            response = made[1].response if made is not None else None
            items = response.at(page.items.raw) if response is not None else None
            return len(items) if isinstance(items, list) else None
    return None


def _release(bench: Workbench, operation: Operation, declared: Capacity) -> None:
    """Remove one, and make another one in its place; then remove all that were made here."""
    record, place = bench.target.record, operation.pointer + join(CAPACITY.name)
    release = bench.contract.by_id.get(declared.release.raw) if declared.release else None
    if release is None or not release.slots:
        return
    slot = release.slots[0]
    for number, value in enumerate(list(bench.known(release, slot))):
        removed = bench.send(Call(release, {slot.key: value}))
        if removed.response is None or not removed.response.is_success or number > 0:
            continue
        call = next(bench.candidates(operation), None)
        again = None if call is None else bench.send(call)
        if again is not None and again.response is not None and not again.response.is_success:
            message = f"{operation.name}: refused after a place had been released"
            record.violate(Violation("capacity", place, message, (removed, again)))


def rate_limits(bench: Workbench) -> None:
    """Use up the limit of every class with a key that may be used up."""
    limits, record = bench.contract.rate_limits, bench.target.record
    if limits is None:
        return
    for name, declared in limits.classes.items():
        place = join(RATE_LIMITS.name, "classes", name.raw)
        if LIMITED not in bench.target.keys:
            record.skip("rate-limit", place, "no key was given whose limits may be used up")
            continue
        call = _cheapest(bench, name.raw)
        if call is None:
            record.skip("rate-limit", place, "no operation of the class has succeeded")
            continue
        with ThreadPoolExecutor(_THREADS) as pool:
            exchanges = list(
                pool.map(lambda _, call=call: bench.send(call, LIMITED), range(declared.limit + 5))
            )
        _count(bench, place, name.raw, declared, exchanges)
        # A class counts all its operations together: what one has used up, the others lack.
        last = exchanges[-1].response
        for each in _of_class(bench, name.raw) if last and last.status == 429 else ():
            another = next(bench.candidates(each), None)
            if another is not None:
                bench.send(another, LIMITED)


def _count(
    bench: Workbench,
    place: Pointer,
    name: str,
    declared: RateLimitClass,
    exchanges: list[Exchange],
) -> None:
    record = bench.target.record
    served = [each for each in exchanges if each.response and each.response.status != 429]
    refused = [each for each in exchanges if each.response and each.response.status == 429]
    if not served:
        record.skip("rate-limit", place, "the limit of the key had been used up before")
        return
    first = min(each.sent_at for each in exchanges)
    last = max(each.sent_at + each.seconds for each in served)
    # Longer than a window, the limit may have been renewed meanwhile.
    if last - first >= declared.window_seconds:
        record.skip("rate-limit", place, "the target is too slow to use the limit up")
        return
    record.check("rate-limit", place)
    said = f"requests of the class '{name}' within {declared.window_seconds} seconds"
    if len(served) > declared.limit:
        message = f"more than {declared.limit} {said} were served"
        record.violate(Violation("rate-limit", place, message, (served[-1],)))
    elif refused and len(served) < declared.limit and _is_unused(bench, declared, served):
        message = f"fewer than {declared.limit} {said} were served"
        record.violate(Violation("rate-limit", place, message, (refused[0],)))


def _is_unused(bench: Workbench, declared: RateLimitClass, served: list[Exchange]) -> bool:
    """Whether an answer said that nothing had been counted before it."""
    limits = bench.contract.rate_limits
    header = limits.headers.state if limits is not None else None
    told = [each.response.header(header.raw) or "" for each in served if header and each.response]
    return any(f";r={declared.limit - 1};" in each for each in told)


def _cheapest(bench: Workbench, name: str) -> Call | None:
    """A call of the class that changes nothing: one that is safe, or for what is not there."""
    of_class = _of_class(bench, name)
    safe = [each.pointer for each in of_class if each.is_safe and each.pointer in bench.made]
    if safe:
        return min((bench.made[each] for each in safe), key=_size)[0]
    for each in of_class:
        if each.method == "DELETE" and len(each.slots) == 1:
            return Call(each, {each.slots[0].key: "nothing-has-this-id"})
    return None


def _of_class(bench: Workbench, name: str) -> list[Operation]:
    declared = [(each, each.declared["rate_limit"]) for each in bench.contract.operations.values()]
    return [each for each, limit in declared if limit and limit.class_.raw == name]


def _size(made: tuple[Call, Exchange]) -> int:
    response = made[1].response
    return 0 if response is None else len(response.body)
