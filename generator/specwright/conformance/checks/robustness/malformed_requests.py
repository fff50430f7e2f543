"""Requests that no client should send: malformed bodies, unknown resources and methods."""

from __future__ import annotations

from dataclasses import replace

from specwright.conformance.checks.lifecycle.readers import reading
from specwright.conformance.checks.lifecycle.written_members import is_done
from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED, accepted_form
from specwright.conformance.checks.responses.error_codes import ERROR_CODE
from specwright.conformance.checks.responses.statuses import UNREADABLE_REFUSAL
from specwright.conformance.checks.robustness.failures import SERVER_ERROR
from specwright.conformance.checks.robustness.methods import (
    ALLOW_HEADER,
    METHOD_NOT_ALLOWED,
    method_violation,
)
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_rejection
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.ids import invented
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.recording.exchange import HttpRequest
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.error import Condition

MEDIA_TYPE_ACCEPTED = BehaviourRule(
    "media-type-accepted",
    BehaviourCategory.VALIDATION,
    "A body whose Content-Type the operation does not declare is refused.",
    example="POST /items with Content-Type: application/x-unknown -> 201",
    advice="Check the Content-Type before the body is parsed, and refuse others with 415.",
    level=Level.INFO,
    judge=judge_rejection,
)

_NOWHERE = "nothing-has-this-id"
# Ids of this length are made by chance.
_LONG = 16
# Methods to try if a path does not have them; proxies often refuse TRACE and CONNECT.
_TRIED = ("put", "patch", "delete", "post", "get")


@scenario(after="validation", share=2)
def robustness(driver: Driver) -> None:
    """Send requests that are invalid in ways that no schema can express."""
    for operation in driver.contract.operations.values():
        success = driver.successes.get(operation.pointer)
        call = success[0] if success else next(driver.candidates(operation), None)
        if call is None:
            driver.target.record.skip(SERVER_ERROR, operation.pointer, "no request could be made")
            continue
        _bodies(driver, call)
        _nowhere(driver, call)
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    for path in dict.fromkeys(
        operation.site.key for operation in driver.contract.operations.values()
    ):
        _methods(driver, routes, path)


def _bodies(driver: Driver, call: OperationCall) -> None:
    operation = call.operation
    if operation.body is None:
        return
    limit = BODY_LIMIT.read(driver.contract.document.data)
    media_type = operation.body[0]
    forms = {
        "a body that is not JSON": (b'{"a": ', media_type, Condition.INVALID_JSON),
        "a body that is not UTF-8": (b'{"a": "\xff\xfe"}', media_type, Condition.INVALID_JSON),
        "a body of 5,000 nested lists": (b"[" * 5_000 + b"]" * 5_000, media_type, None),
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
        request = driver.target.request(
            operation.method,
            call.path,
            headers=headers,
            body=content,
            operation=operation.pointer,
        )
        _refused(driver, operation, request, how, condition)


def _refused(
    driver: Driver,
    operation: ContractOperation,
    request: HttpRequest,
    how: str,
    condition: Condition | None,
) -> None:
    record, errors = driver.target.record, driver.contract.errors
    exchange = driver.target.send(request, driver.source, operation.pointer)
    response = exchange.response
    for rule in (
        SERVER_ERROR,
        MEDIA_TYPE_ACCEPTED,
        UNREADABLE_REFUSAL,
    ):
        record.check(rule, operation.pointer)
    if response is None or response.status == 429 or response.status >= 500:
        return
    if response.is_success:
        is_medium = condition is Condition.UNSUPPORTED_MEDIA_TYPE
        rule = MEDIA_TYPE_ACCEPTED if is_medium else INVALID_ACCEPTED
        record.violate(accepted_form(operation, exchange, operation.pointer, how, rule))
    elif errors is not None and condition is not None:
        wanted = {code.raw for code, each in errors.codes.items() if each.condition is condition}
        if wanted and response.at(errors.code.raw) not in wanted:
            refusal = f"{how} is not refused with '{min(wanted)}'"
            message = f"{refusal}: {response.status}"
            values = values_of(condition, min(wanted))
            driver.violate(ERROR_CODE, operation, message, exchange, cause=refusal, values=values)


def _nowhere(driver: Driver, call: OperationCall) -> None:
    """Request a resource that does not exist: with any text as its id, and with an unused id."""
    operation = call.operation
    variables = [slot for slot in operation.slots if slot.written.location == "path"]
    if not variables:
        return
    key = variables[-1].key
    # An unknown parent may have an empty list, and what is not there may be deleted.
    is_member = operation.site.key.rstrip("/").endswith(f"{{{key[1]}}}")
    is_asked = is_member and operation.method in ("GET", "PUT", "PATCH")
    unused = _unused(call.arguments.get(key)) if is_asked else None
    # A PUT creates a missing resource, unless the document says otherwise (RFC 9110, 9.3.4).
    makes = operation.method == "PUT" and (
        "201" in operation.responses or "404" not in operation.responses
    )
    if makes:
        if unused is not None:
            _put(driver, call.with_argument(key, unused))
        return
    # A response for any error, such as `default`, does not say that there is none.
    is_declared = not {"404", "4XX"}.isdisjoint(operation.responses)
    for value in (_NOWHERE, *([unused] if unused is not None and is_declared else [])):
        exchange = driver.probe(driver.with_fresh_key(call.with_argument(key, value)))
        response = exchange.response
        driver.target.record.check(CREATED_IS_FOUND, operation.pointer)
        if response is not None and response.is_success and operation.response(404) is not None:
            message = f"a resource that was never created is answered {response.status}"
            driver.violate(CREATED_IS_FOUND, operation, message, exchange)


def _unused(known: JsonValue) -> str | None:
    """Return an unused id in the form of a known one; None if it might be in use.

    A short text may be a code, of which others exist, and a server may compute with any number.
    """
    if not isinstance(known, str) or len(known) < _LONG:
        return None
    other = str(invented(known))
    return None if other == known else other


def _put(driver: Driver, call: OperationCall) -> None:
    """Create a resource at its URL, and read it (RFC 9110, 9.3.4)."""
    reader = driver.contract.reader(call.operation)
    if reader is None or reader.pointer not in driver.successes:
        return
    creation = driver.probe(driver.with_fresh_key(call))
    if not is_done(creation.response):
        return
    read = driver.probe(reading(driver, call, reader))
    driver.target.record.check(CREATED_IS_FOUND, call.operation.pointer)
    if read.response is not None and read.response.status in (404, 410):
        message = "a PUT to an unused id succeeds, and creates nothing"
        driver.violate(CREATED_IS_FOUND, call.operation, message, creation, read)


def _methods(driver: Driver, routes: ContractRoutes, path: str) -> None:
    """Send a method that the path does not have (RFC 9110, 15.5.6)."""
    there = {
        operation.method: operation
        for operation in driver.contract.operations.values()
        if operation.site.key == path
    }
    some = next(iter(there.values()))
    success = next(
        filter(None, (driver.successes.get(operation.pointer) for operation in there.values())),
        None,
    )
    # Operations that are excluded from the test exist nevertheless.
    gone = {method for method, key in driver.contract.uncalled if key == path}
    item = some.site.item.value
    missing = [
        method.upper() for method in _TRIED if method not in item and method.upper() not in gone
    ]
    if not missing:
        return
    if success is None:
        reason = "no operation of the path succeeded"
        driver.target.record.skip(METHOD_NOT_ALLOWED, some.item, reason)
        return
    arguments = {key: each for key, each in success[0].arguments.items() if key[0] == "path"}
    call = replace(success[0], arguments=arguments)
    accept = [("Accept", "application/json")]
    request = driver.target.request(missing[0], call.path, headers=accept, operation=some.pointer)
    exchange = driver.target.send(request, driver.source, None, MAIN)
    record = driver.target.record
    for rule in (METHOD_NOT_ALLOWED, ALLOW_HEADER):
        record.check(rule, some.item)
    violation = method_violation(driver.contract, routes, some.site, exchange)
    if violation is not None:
        record.violate(violation)
