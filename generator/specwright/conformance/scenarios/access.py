"""Who may do what: requests without credentials, and requests for what belongs to others."""

from __future__ import annotations

import re

from specwright.conformance.calls import Call
from specwright.conformance.contract import Operation
from specwright.conformance.exchange import Exchange, JsonValue
from specwright.conformance.monitors import sort_key
from specwright.conformance.record import Violation
from specwright.conformance.target import MAIN, NOBODY, OTHER, STRANGER, SUSPENDED
from specwright.conformance.workbench import Workbench

_AMOUNT = re.compile(r"-?\d+\.\d+")


def credentials(bench: Workbench) -> None:
    """Call every operation that asks for a credential without one, and with a wrong one."""
    for operation in bench.contract.operations.values():
        if operation.scheme is None:
            continue
        call = bench.made[operation.pointer][0] if operation.pointer in bench.made else None
        call = call or next(bench.candidates(operation), None)
        if call is None:
            reason = "no request could be made"
            bench.target.record.skip("credentials-ignored", operation.pointer, reason)
            continue
        for role, how in ((NOBODY, "without credentials"), (STRANGER, "with a wrong key")):
            exchange = bench.send(call, role)
            bench.target.record.check("credentials-ignored", operation.pointer)
            response = exchange.response
            # Statuses by which other interfaces hide that there is anything (RFC 9110, 15.5.4).
            refused = (401,) if operation.response(401) is not None else (401, 403, 404)
            if response is not None and response.status not in (*refused, 429):
                message = f"{operation.name}: answered {response.status} {how}"
                bench.target.record.violate(
                    Violation("credentials-ignored", operation.scheme.pointer, message, (exchange,))
                )
                break


def permission(bench: Workbench) -> None:
    """Call every operation that asks for a credential with a key that may do nothing."""
    record = bench.target.record
    for operation in bench.contract.operations.values():
        if operation.scheme is None:
            continue
        call = next(bench.candidates(operation), None)
        if SUSPENDED not in bench.target.keys or call is None:
            reason = "no key was given that may do nothing"
            record.skip("permission", operation.pointer, reason)
            continue
        exchange = bench.send(call, SUSPENDED)
        record.check("permission", operation.pointer)
        response = exchange.response
        if response is not None and response.status not in (403, 429):
            message = f"answered {response.status} to a key that may do nothing"
            _violate(bench, operation, message, exchange, "permission")


def isolation(bench: Workbench) -> None:
    """Ask, as another partner, for what this one has made, and look for it in the other's lists."""
    record = bench.target.record
    if OTHER not in bench.target.keys:
        for operation in bench.contract.operations.values():
            if operation.scheme and operation.template.names:
                reason = "no key of another partner was given"
                record.skip("isolation", operation.pointer, reason)
        return
    own = _own_values(bench)
    for operation in bench.contract.operations.values():
        if operation.scheme is None:
            continue
        if operation.template.names:
            _by_path(bench, operation, own)
        elif operation.declared["pagination"] is not None:
            _by_list(bench, operation, own)


def _own_values(bench: Workbench) -> set[str]:
    """The texts that first came from an answer to something that was made for this partner.

    What had been in an answer or a request before, such as an item of a shared catalogue, is not
    this partner's own, nor is what the document names, such as a status.
    """
    seen = set(_texts(bench.contract.document.data))
    own = set[str]()
    for exchange in bench.target.record.exchanges:
        operation = bench.contract.operations.get(exchange.operation or "")
        response = exchange.response
        if operation is None or response is None or not response.is_success:
            continue
        sent = exchange.request.url + (exchange.request.body or b"").decode("utf-8", "replace")
        found = {each for each in _texts(response.json_or_none) if _can_tell(each)}
        if exchange.role == MAIN and not operation.is_safe:
            own |= {each for each in found - seen if each not in sent}
        seen |= found
    return own


def _can_tell(text: str) -> bool:
    """Whether a text can tell one partner's from another's: moments and amounts may be equal."""
    is_moment = not isinstance(sort_key(text), str)
    return len(text) > 5 and not is_moment and _AMOUNT.fullmatch(text) is None


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def _by_path(bench: Workbench, operation: Operation, own: set[str]) -> None:
    """Every value of a path's variable that is this partner's own."""
    slots = [each for each in operation.slots if each.written.location == "path"]
    for slot in slots:
        for value in bench.known(operation, slot)[:3]:
            if value not in own:
                continue
            call = _with_path(bench, operation)
            if call is None:
                continue
            exchange = bench.send(bench.with_fresh_key(call.with_argument(slot.key, value)), OTHER)
            bench.target.record.check("isolation", operation.pointer)
            if exchange.response is not None and exchange.response.is_success:
                _violate(bench, operation, "another partner reached what is not its own", exchange)


def _with_path(bench: Workbench, operation: Operation) -> Call | None:
    if operation.pointer in bench.made:
        return bench.made[operation.pointer][0]
    return next(bench.candidates(operation), None)


def _by_list(bench: Workbench, operation: Operation, own: set[str]) -> None:
    if operation.pointer not in bench.made:
        return
    call, _ = bench.made[operation.pointer]
    exchange = bench.send(call, OTHER)
    bench.target.record.check("isolation", operation.pointer)
    response = exchange.response
    items = response.at(operation.declared["pagination"].items.raw) if response else None
    if own & set(_texts(items)):
        _violate(bench, operation, "the list of another partner shows this one's", exchange)


def _violate(
    bench: Workbench,
    operation: Operation,
    message: str,
    exchange: Exchange,
    rule: str = "isolation",
) -> None:
    bench.target.record.violate(
        Violation(rule, operation.pointer, f"{operation.name}: {message}", (exchange,))
    )
