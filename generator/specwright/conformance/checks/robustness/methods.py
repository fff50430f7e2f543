"""Methods that a path does not have."""

from __future__ import annotations

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_method
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.document.operations.sites import OperationSite
from specwright.document.shape import METHODS
from specwright.findings import Level, values_of
from specwright.vocabulary.keywords.error import Condition

METHOD_NOT_ALLOWED = BehaviourRule(
    "method-not-allowed",
    BehaviourCategory.ROBUSTNESS,
    "A method that a path does not have is refused with 405.",
    example="PUT /items -> 200, and the document has only GET and POST",
    advice="Return 405, or add the operation to the document if it is intended.",
    level=Level.WARNING,
    expected="405, with an Allow header that names all methods of the path",
    judge=judge_method,
)
ALLOW_HEADER = BehaviourRule(
    "allow-header",
    BehaviourCategory.ROBUSTNESS,
    "A 405 names all methods of the path in its Allow header (RFC 9110, 15.5.6).",
    example="PUT /items -> 405 with Allow: GET where there is also POST",
    advice=(
        "Name all methods of the path in `Allow`. Some frameworks cannot, so it is a note unless "
        "`lint.toml` says otherwise."
    ),
    level=Level.INFO,
    judge=judge_method,
)

# Servers may respond that the resource or the method is unknown (RFC 9110, 9.1).
_REFUSED = (404, 405, 501)


def method_violation(
    contract: Contract, routes: ContractRoutes, nearest: OperationSite, exchange: Exchange
) -> Violation | None:
    """Return the violation in the response to a method that a path does not have, if any.

    Many servers give the method to another path that fits, as `/plans/{id}` fits `/plans/best`.

    Args:
        nearest: an operation of the path.
    """
    response = exchange.response
    if response is None or response.status == 429 or response.status >= 500:
        return None
    if routes.operation(exchange.request.method, exchange.request.url) is not None:
        return None
    place, asked = nearest.item.pointer, f"{exchange.request.method} {nearest.key}"
    there = {method.upper() for method in METHODS if method in nearest.item.value}
    if response.status not in ((405,) if _is_declared(contract) else _REFUSED):
        cause = f"a method that is not in the document returns {response.status}"
        message = f"{asked} is not in the document and returned {response.status}, not 405"
        values = values_of(response.status)
        return Violation(METHOD_NOT_ALLOWED, place, message, (exchange,), cause, values=values)
    header = response.header("allow")
    named = {method.strip().upper() for method in (header or "").split(",")}
    if response.status == 405 and not there <= named:
        cause = "the Allow header of a 405 does not name all methods of the path"
        lacking = ", ".join(sorted(there - named))
        message = f"405 with {_allow(header)}, which lacks {lacking}"
        return Violation(ALLOW_HEADER, place, message, (exchange,), cause, asked)
    return None


def _allow(header: str | None) -> str:
    return "no Allow header" if header is None else f"Allow: {header}"


def _is_declared(contract: Contract) -> bool:
    errors = contract.errors
    return errors is not None and any(
        code.condition is Condition.METHOD_NOT_ALLOWED for code in errors.codes.values()
    )
