"""Errors with the shared body of the contract (`x-contract-error`)."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_error_code
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.recording.exchange import HttpResponse
from specwright.conformance.recording.record import Violation
from specwright.findings import values_of
from specwright.pointer import join
from specwright.vocabulary.keywords.error import ERROR, Condition

ERROR_CODE = BehaviourRule(
    "error-code",
    BehaviourCategory.SHAPE,
    (
        "An error has the shared error body, with a code that the contract lists and the status "
        "and type that belong to it."
    ),
    example='GET /items/7 -> 404 {"detail": "Not Found"}, and errors have the member `code`',
    advice=(
        "Give errors of the framework (no route, no such method, a body that cannot be read) the "
        "shared body as well, with a code that the document lists for the status."
    ),
    weight=2,
    judge=judge_error_code,
)


@ResponseCheck
def error_code_is_listed(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield violations in the code, the type and the message of an error."""
    errors, response = checked.contract.errors, checked.response
    if errors is None or response.status < 400 or checked.declared is None:
        return
    place = join(ERROR.name, "codes")
    checked.record.check(ERROR_CODE, checked.operation.pointer)
    code = error_code(checked.contract, response)
    codes = {name.raw: declaration for name, declaration in errors.codes.items()}
    if code is None or code not in codes:
        problem = "no error code" if code is None else "an error code that is not listed"
        message, values = f"{response.status} with {problem}", values_of(response.status)
        yield checked.violation(ERROR_CODE, place, message, values=values)
        return
    declaration = codes[code]
    if declaration.status != response.status:
        yield checked.violation(
            ERROR_CODE,
            place,
            f"'{code}' with status {response.status}, not {declaration.status}",
            values=values_of(code, response.status),
        )
    if errors.type is not None and response.at(errors.type.raw) != declaration.type.raw:
        message, values = f"'{code}' with a different type", values_of(code, errors.type.raw)
        yield checked.violation(ERROR_CODE, place, message, values=values)
    if not response.at(errors.message.raw):
        message = f"'{code}' without a human-readable message"
        values = values_of(code, errors.message.raw)
        yield checked.violation(ERROR_CODE, place, message, values=values)


def error_code(contract: Contract, response: HttpResponse) -> str | None:
    """Return the code in the shared body of an error; None if there is none."""
    code = response.at(contract.errors.code.raw) if contract.errors is not None else None
    return code if isinstance(code, str) else None


def is_undeclared_failure(
    contract: Contract, operation: ContractOperation | None, response: HttpResponse
) -> bool:
    """Return whether a response is a 5xx that the contract does not list, or an internal error.

    An operation that declares 501 says that it may not be implemented.
    """
    is_planned = response.status == 501 and operation is not None and "501" in operation.responses
    if response.status < 500 or is_planned:
        return False
    codes = contract.errors.codes.items() if contract.errors is not None else ()
    code = error_code(contract, response)
    return not any(
        name.raw == code
        and declaration.status == response.status
        and declaration.condition is not Condition.INTERNAL_ERROR
        for name, declaration in codes
    )
