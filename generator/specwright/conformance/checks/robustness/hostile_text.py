"""Requests as they come from accidents and attacks: no server should fail at them."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED
from specwright.conformance.checks.responses.error_codes import ERROR_CODE
from specwright.conformance.checks.robustness.failures import SERVER_ERROR
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import Absent, OperationCall
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.json_values import JsonValue
from specwright.pointer import join
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.error import Condition

# An unfinished pattern: a server must not read a text as one, or must refuse it.
_PATTERN = '"(a[b*c+?{'
# Characters that end texts, patterns and paths in the languages behind a server.
_TEXTS = ("it's", 'a"b', "100%", "back\\slash", "a;b--", _PATTERN, "x" * 1_000, "名前")
# The number of unknown members in one body: an error may not list all of them.
_MANY = 40


@scenario(after="robustness", share=3)
def hostile(driver: Driver) -> None:
    """Send hostile texts in every path and query, and bodies that are missing or all wrong."""
    for operation in driver.contract.operations.values():
        success = driver.successes.get(operation.pointer)
        if success is None:
            reason = "the operation never succeeded"
            driver.target.record.skip(SERVER_ERROR, operation.pointer, reason)
            continue
        for call in _with_texts(success[0]):
            driver.target.record.check(SERVER_ERROR, operation.pointer)
            driver.probe(call)
        if operation.body is not None:
            _without_body(driver, success[0])
            _many_mistakes(driver, success[0])
            _too_large(driver, success[0])


def _with_texts(call: OperationCall) -> Iterator[OperationCall]:
    for slot in call.operation.slots:
        if slot.written.location in ("path", "query"):
            for text in _TEXTS:
                yield call.with_argument(slot.key, text)


def _without_body(driver: Driver, call: OperationCall) -> None:
    """Send no body and an empty body, where one is required."""
    if not driver.contract.needs_body(call.operation):
        return
    empty = [header for header in call.headers if header[0] != "Content-Type"]
    for how, headers, content in (
        ("no body", empty, None),
        ("an empty body", call.headers, b""),
    ):
        _is_refused(driver, call, headers, content, how)


def _many_mistakes(driver: Driver, call: OperationCall) -> None:
    """Send more mistakes than an error may list; the monitors validate the response."""
    schema = driver.contract.body_schema(call.operation)
    problems = driver.contract.requests.problems
    if schema is None or not isinstance(call.body, dict) or any(problems(schema, call.body)):
        return
    for number in range(_MANY):
        call = call.with_member(join(f"unknown{number}"), number)
    if any(problems(schema, _body(call))):
        _is_refused(driver, call, call.headers, call.content, f"{_MANY} unknown members")


def _body(call: OperationCall) -> JsonValue:
    return None if isinstance(call.body, Absent) else call.body


def _too_large(driver: Driver, call: OperationCall) -> None:
    """Send a body above the limit that is not JSON, as it must not be parsed first."""
    limit = BODY_LIMIT.read(driver.contract.document.data)
    if limit is None:
        return
    content = b"[" + b" " * limit.max_bytes
    exchange = _is_refused(driver, call, call.headers, content, "a body that is too large")
    response, errors = exchange.response, driver.contract.errors
    if response is None or errors is None or response.status in (429, 500):
        return
    wanted = {
        code.raw
        for code, each in errors.codes.items()
        if each.condition is Condition.BODY_TOO_LARGE
    }
    if wanted and not response.is_success and response.at(errors.code.raw) not in wanted:
        message = f"a body that is too large was not answered '{min(wanted)}'"
        driver.violate(ERROR_CODE, call.operation, message, exchange)


def _is_refused(
    driver: Driver,
    call: OperationCall,
    headers: list[tuple[str, str]],
    content: bytes | None,
    how: str,
) -> Exchange:
    operation, target = call.operation, driver.target
    request = target.request(
        operation.method, call.path, headers=headers, body=content, operation=operation.pointer
    )
    exchange = target.send(request, driver.source, operation.pointer)
    target.record.check(INVALID_ACCEPTED, operation.pointer)
    if exchange.succeeded:
        driver.violate(INVALID_ACCEPTED, operation, f"{how} was accepted", exchange)
    return exchange
