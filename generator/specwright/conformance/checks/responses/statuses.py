"""Statuses that an operation does not declare."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import Exchange, Request, Response
from specwright.conformance.recording.record import Violation
from specwright.document import sites
from specwright.pointer import join

_NOT_FOUND = (404, 410)


def undeclared(
    operation: Operation, exchange: Exchange, response: Response, *, is_foreign: bool
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
        return Violation(Behaviour.REDIRECT, operation.pointer, message, (exchange,), cause)
    place = operation.pointer + join("responses")
    rule, kind = Behaviour.UNDECLARED_STATUS, ""
    if is_foreign:
        rule, kind = Behaviour.UNDECLARED_REFUSAL, " for a caller who is not allowed"
    elif status in _NOT_FOUND and operation.template.names:
        rule, kind = Behaviour.UNDECLARED_REFUSAL, " for a resource that does not exist"
    elif 400 <= status < 500 and _is_unreadable(operation, exchange.request):
        rule, kind = Behaviour.UNREADABLE_REFUSAL, " for a body that cannot be read"
    cause = f"status {status} is not declared{kind}"
    declared = ", ".join(operation.responses) or "none"
    message = f"{cause} (declared: {declared})"
    return Violation(rule, place, message, (exchange,), cause, name)


def _other_slash(request: Request, response: Response) -> str | None:
    """Return the path that a redirect leads to, if it differs only by a trailing slash."""
    if not 300 <= response.status < 400:
        return None
    try:
        there = urlsplit(urljoin(request.url, response.header("location") or ""))
    except ValueError:
        return None
    before, after = urlsplit(request.url).path, there.path
    return after if before != after and before.rstrip("/") == after.rstrip("/") else None


def _is_unreadable(operation: Operation, request: Request) -> bool:
    """Return whether a body is of an undeclared media type, without its parts, or not JSON."""
    given = request.header("content-type") or ""
    if sites.essence(given).startswith("multipart/") and "boundary=" not in given.lower():
        return True
    if request.body is None or not operation.has_body:
        return False
    if not any(sites.fits(given, media_type) for media_type in operation.media_types):
        return True
    is_json = request.json_or_none is not None or request.body.strip() == b"null"
    return sites.is_json(given) and not is_json
