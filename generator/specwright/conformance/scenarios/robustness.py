"""Requests that no client should send: broken bodies, things and methods that are not there."""

from __future__ import annotations

from dataclasses import replace

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.target import MAIN
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.calls import Call
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import Exchange, Request
from specwright.conformance.recording.record import Violation
from specwright.document.shape import METHODS
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.error import Condition

_NOWHERE = "nothing-has-this-id"
# Of methods that a path does not have; TRACE and CONNECT are often refused on the way.
_TRIED = ("put", "patch", "delete", "post", "get")
_REFUSED = (404, 405, 501)


def robustness(bench: Workbench) -> None:
    """Send what does not fit in ways that no schema can say."""
    for operation in bench.contract.operations.values():
        made = bench.made.get(operation.pointer)
        call = made[0] if made else next(bench.candidates(operation), None)
        if call is None:
            bench.target.record.skip(
                Behaviour.SERVER_ERROR, operation.pointer, "no request could be made"
            )
            continue
        _bodies(bench, call)
        _nowhere(bench, call)
    for path in dict.fromkeys(each.site.key for each in bench.contract.operations.values()):
        _methods(bench, path)


def _bodies(bench: Workbench, call: Call) -> None:
    operation = call.operation
    if operation.body is None:
        return
    limit = BODY_LIMIT.read(bench.contract.document.data)
    media_type = operation.body[0]
    forms = {
        "a body that is no JSON": (b'{"a": ', media_type, Condition.INVALID_JSON),
        "a body that is no UTF-8": (b'{"a": "\xff\xfe"}', media_type, Condition.INVALID_JSON),
        "a nested body": (b"[" * 5_000 + b"]" * 5_000, media_type, None),
        "a body of another media type": (
            call.content or b"{}",
            "application/x-unknown",
            Condition.UNSUPPORTED_MEDIA_TYPE,
        ),
    }
    if limit is not None:
        large = b'{"a": "' + b"x" * limit.max_bytes + b'"}'
        forms["a body that is too large"] = (large, media_type, Condition.BODY_TOO_LARGE)
    for how, (content, kind, condition) in forms.items():
        headers = [(name, kind if name == "Content-Type" else each) for name, each in call.headers]
        request = bench.target.request(
            operation.method,
            call.path,
            headers=headers,
            body=content,
            operation=operation.pointer,
        )
        _refused(bench, operation, request, how, condition)


def _refused(
    bench: Workbench, operation: Operation, request: Request, how: str, condition: Condition | None
) -> None:
    record, errors = bench.target.record, bench.contract.errors
    exchange = bench.target.send(request, bench.source, operation.pointer)
    response = exchange.response
    record.check(Behaviour.SERVER_ERROR, operation.pointer)
    if response is None or response.status == 429 or response.status >= 500:
        return
    if response.is_success:
        message = f"{operation.name}: {how} was accepted"
        record.violate(
            Violation(Behaviour.INVALID_ACCEPTED, operation.pointer, message, (exchange,))
        )
    elif errors is not None and condition is not None:
        wanted = {code.raw for code, each in errors.codes.items() if each.condition is condition}
        if wanted and response.at(errors.code.raw) not in wanted:
            message = f"{operation.name}: {how} was not answered '{min(wanted)}'"
            record.violate(Violation(Behaviour.ERROR_CODE, operation.pointer, message, (exchange,)))


def _nowhere(bench: Workbench, call: Call) -> None:
    """Ask for something that is not there."""
    operation = call.operation
    variables = [each for each in operation.slots if each.written.location == "path"]
    # A PUT makes what is not there, unless it says otherwise (RFC 9110, 9.3.4).
    makes = operation.method == "PUT" and (
        "201" in operation.responses or "404" not in operation.responses
    )
    if not variables or makes:
        return
    exchange = bench.send(bench.with_fresh_key(call.with_argument(variables[-1].key, _NOWHERE)))
    response = exchange.response
    bench.target.record.check(Behaviour.CREATED_IS_FOUND, operation.pointer)
    if response is not None and response.is_success and operation.response(404) is not None:
        message = f"{operation.name}: something that was never made is there"
        _violate(bench, Behaviour.CREATED_IS_FOUND, operation, message, exchange)


def _methods(bench: Workbench, path: str) -> None:
    """A method that the path does not have (RFC 9110, 15.5.6)."""
    there = {
        each.method: each for each in bench.contract.operations.values() if each.site.key == path
    }
    some = next(iter(there.values()))
    made = next(filter(None, (bench.made.get(each.pointer) for each in there.values())), None)
    missing = [each.upper() for each in _TRIED if each in METHODS and each.upper() not in there]
    if not missing:
        return
    if made is None:
        reason = "no operation of the path succeeded"
        bench.target.record.skip(Behaviour.METHOD_NOT_ALLOWED, some.item, reason)
        return
    arguments = {key: each for key, each in made[0].arguments.items() if key[0] == "path"}
    call = replace(made[0], arguments=arguments)
    accept = [("Accept", "application/json")]
    request = bench.target.request(missing[0], call.path, headers=accept, operation=some.pointer)
    exchange = bench.target.send(request, bench.source, None, MAIN)
    response = exchange.response
    bench.target.record.check(Behaviour.METHOD_NOT_ALLOWED, some.item)
    if response is None or response.status == 429 or response.status >= 500:
        return
    errors = bench.contract.errors
    declared = errors is not None and any(
        each.condition is Condition.METHOD_NOT_ALLOWED for each in errors.codes.values()
    )
    if response.status not in ((405,) if declared else _REFUSED):
        message = f"{missing[0]} {path}: answered {response.status}"
    elif response.status == 405 and not _allows(response.header("allow"), set(there)):
        message = f"{missing[0]} {path}: Allow does not name the methods of the path"
    else:
        return
    record = bench.target.record
    record.violate(Violation(Behaviour.METHOD_NOT_ALLOWED, some.item, message, (exchange,)))


def _allows(header: str | None, methods: set[str]) -> bool:
    named = {each.strip().upper() for each in (header or "").split(",")}
    return methods <= named


def _violate(
    bench: Workbench, rule: str, operation: Operation, message: str, exchange: Exchange
) -> None:
    record = bench.target.record
    record.violate(Violation(rule, operation.pointer, message, (exchange,)))
