"""Statuses that an operation does not declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urljoin, urlsplit

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.responses.error_codes import is_undeclared_failure
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_status
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.driver.roles import LIVE_MODE, OTHER_TENANT, STRANGERS
from specwright.conformance.recording.exchange import FUZZING, Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites
from specwright.findings import Level, values_of
from specwright.pointer import Pointer, join
from specwright.runtime.shared import rule_ids


def _declared_statuses(contract: Contract, pointer: Pointer) -> str:
    operation = contract.operations.get(pointer.removesuffix("/responses"))
    return f"one of the statuses {', '.join(operation.responses)}" if operation is not None else ""


UNDECLARED_STATUS = BehaviourRule(
    rule_ids.UNDECLARED_STATUS,
    BehaviourCategory.SHAPE,
    "A client can only handle the statuses that the operation declares.",
    example="GET /items/7 -> 418, and the operation declares 200 and 404",
    advice=(
        "Declare the status in `responses` of the operation, or return one that is declared. A "
        "`default` or a range such as `4XX` covers the responses of the framework itself."
    ),
    weight=1,
    expected=_declared_statuses,
    judge=judge_status,
)
UNDECLARED_REFUSAL = BehaviourRule(
    rule_ids.UNDECLARED_REFUSAL,
    BehaviourCategory.SHAPE,
    (
        "A request for a resource that does not exist, or of a caller who is not allowed, is "
        "refused with a status that the operation declares."
    ),
    example="GET /items/7 -> 404, and the operation declares 200 and 422",
    advice=(
        "Declare the status with its body in `responses` of the operation: clients meet a 404 or "
        "a 401 more often than any other error."
    ),
    level=Level.INFO,
    expected=_declared_statuses,
    judge=judge_status,
)
UNREADABLE_REFUSAL = BehaviourRule(
    "unreadable-refusal",
    BehaviourCategory.SHAPE,
    (
        "A body that cannot be read at all, such as one that is not UTF-8, is refused with a "
        "status that the operation declares."
    ),
    example="POST /items with the bytes ff fe -> 400, and the operation declares 201 and 422",
    advice=(
        "Declare the status with which the framework rejects unreadable bodies, often 400 or "
        "415, or turn the rule off if clients never see it."
    ),
    level=Level.INFO,
    expected=_declared_statuses,
    judge=judge_status,
)
REDIRECT = BehaviourRule(
    "redirect",
    BehaviourCategory.SHAPE,
    (
        "A request to a path of the document is handled there, and not redirected to the same "
        "path with or without a trailing slash."
    ),
    example="GET /items -> 307 to /items/",
    advice=(
        "Write the path in the document as the server has it, with its slash, or let the server "
        "accept both forms. Clients lose the body or the credentials on a redirect."
    ),
    level=Level.WARNING,
    judge=judge_status,
)

_NOT_FOUND = (404, 410)
# Statuses that HTTP defines for headers of requests (RFC 9110, 13.1 and 14.2).
_OF_HEADERS: Mapping[int, Sequence[str]] = {
    206: ("range",),
    304: ("if-none-match", "if-modified-since"),
    412: ("if-match", "if-none-match", "if-unmodified-since"),
    416: ("range",),
}
# Roles that any operation may refuse, by status.
_FOREIGN = {401: STRANGERS, 403: (*STRANGERS, OTHER_TENANT, LIVE_MODE)}


@ResponseCheck
def status_is_declared(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation for a status that the operation does not declare."""
    operation, exchange, response = checked.operation, checked.exchange, checked.response
    if not operation.responses:
        # Optional since 3.1 (OpenAPI 3.1.1, 4.8.10): nothing is promised, so nothing is broken.
        return
    checked.record.check(UNDECLARED_STATUS, operation.pointer)
    checked.record.check(REDIRECT, operation.pointer)
    # The fuzzer writes slashes into variables, which make another path.
    is_astray = exchange.source == FUZZING and operation.template.names
    is_nowhere = is_astray and response.status in (404, 405)
    # A failure is a violation of a rule of its own.
    is_judged = is_nowhere or is_undeclared_failure(checked.contract, operation, response)
    is_judged |= _is_of_a_header(operation, exchange.request, response)
    # The fuzzer sends such a header to operations without a body, too.
    is_judged |= not operation.has_body and _lacks_boundary(exchange.request)
    if checked.declared is None and not is_judged:
        is_foreign = exchange.role in _FOREIGN.get(response.status, ())
        yield undeclared(operation, exchange, response, is_foreign=is_foreign)


def _is_of_a_header(
    operation: ContractOperation, request: HttpRequest, response: HttpResponse
) -> bool:
    """Return whether a status is due to a header of HTTP that the operation does not declare."""
    declared = {(place, name.lower()) for place, name in (slot.key for slot in operation.slots)}
    return any(
        request.header(name) is not None and ("header", name) not in declared
        for name in _OF_HEADERS.get(response.status, ())
    )


def undeclared(
    operation: ContractOperation, exchange: Exchange, response: HttpResponse, *, is_foreign: bool
) -> Violation:
    """Return the violation for an undeclared status, by the rule for requests of this kind.

    Args:
        is_foreign: the status refuses a caller who is not allowed.
    """
    status, name = response.status, operation.name
    other = _other_slash(exchange.request, response)
    if other is not None:
        cause = "a path is redirected to the same one with or without a trailing slash"
        message = f"{name} is redirected to {other}: {status}. Write the path as the server has it"
        return Violation(REDIRECT, operation.pointer, message, (exchange,), cause)
    place = operation.pointer + join("responses")
    rule, kind = UNDECLARED_STATUS, ""
    if is_foreign:
        rule, kind = UNDECLARED_REFUSAL, " for a caller who is not allowed"
    elif status in _NOT_FOUND and operation.template.names:
        rule, kind = UNDECLARED_REFUSAL, " for a resource that does not exist"
    elif 400 <= status < 500 and _is_unreadable(operation, exchange.request):
        rule, kind = UNREADABLE_REFUSAL, " for a body that cannot be read"
    cause = f"status {status} is not declared{kind}"
    declared = ", ".join(operation.responses) or "none"
    message = f"{cause} (declared: {declared})"
    return Violation(rule, place, message, (exchange,), cause, name, values=values_of(status))


def _other_slash(request: HttpRequest, response: HttpResponse) -> str | None:
    """Return the target of a redirect, if it differs only by a trailing slash."""
    if not 300 <= response.status < 400:
        return None
    try:
        there = urlsplit(urljoin(request.url, response.header("location") or ""))
    except ValueError:
        return None
    before, after = urlsplit(request.url).path, there.path
    return after if before != after and before.rstrip("/") == after.rstrip("/") else None


def _lacks_boundary(request: HttpRequest) -> bool:
    content_type = (request.header("content-type") or "").lower()
    return sites.essence(content_type).startswith("multipart/") and "boundary=" not in content_type


def _is_unreadable(operation: ContractOperation, request: HttpRequest) -> bool:
    """Return whether a body is of an undeclared media type, without its parts, or not JSON."""
    content_type = request.header("content-type") or ""
    if _lacks_boundary(request):
        return True
    if request.body is None or not operation.has_body:
        return False
    if not any(sites.fits(content_type, media_type) for media_type in operation.media_types):
        return True
    is_json = request.json_or_none is not None or request.body.strip() == b"null"
    return sites.is_json(content_type) and not is_json
