"""Reasons why a declared status was not seen, and whether a test can reach it at all.

A document may declare the same statuses for every operation, most of which a correct server never
sends; coverage of all pairs would then say little. A list of exceptions would hide pairs that a
test should have reached, so a pair is out of reach by the document's content, never by its name.
It stays in the table with its reason, and the share still counts everything declared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from specwright.conformance.contract.contract import Contract, Operation
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.error import Condition
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY


@dataclass(frozen=True, slots=True)
class UnreachableReason:
    """A reason why a status of an operation was not seen.

    Attributes:
        status: as written in the document; None for any.
        holds: whether the reason applies to an operation.
        is_final: whether no test from outside can change it.
    """

    status: str | None
    text: str
    holds: Callable[[Contract, Operation], bool]
    is_final: bool = True


def why_not(contract: Contract, operation: Operation, status: str) -> UnreachableReason:
    """Return the first reason that applies."""
    return next(
        reason
        for reason in _REASONS
        if reason.status in (status, None) and reason.holds(contract, operation)
    )


def _always(contract: Contract, operation: Operation) -> bool:
    return True


def _charges_nothing(contract: Contract, operation: Operation) -> bool:
    """Return whether other operations declare a charge, and this one does not."""
    return operation.get(CHARGE) is None and any(contract.declaring(CHARGE))


def _cannot_be_malformed(contract: Contract, operation: Operation) -> bool:
    """Return whether a request has nothing but path parameters that accept any text."""
    return not operation.has_body and all(
        slot.written.location == "path"
        and not any(
            problem for text in _TEXTS for problem in contract.instances.problems(slot.schema, text)
        )
        for slot in operation.slots
    )


def _cannot_be_missing(contract: Contract, operation: Operation) -> bool:
    return not operation.template.names


def _lacks_the_declaration(status: int) -> Callable[[Contract, Operation], bool]:
    """Return a check that all codes of a status need declarations that an operation lacks."""

    def holds(contract: Contract, operation: Operation) -> bool:
        if contract.errors is None:
            return False
        codes = {
            code.raw: each for code, each in contract.errors.codes.items() if each.status == status
        }
        named = {capacity.code.raw for _, capacity in contract.declaring(CAPACITY)}
        tied = all(each.condition in _IDEMPOTENCY or code in named for code, each in codes.items())
        capacity = operation.get(CAPACITY)
        own = capacity is not None and capacity.status == status
        return bool(codes) and tied and not own and operation.get(IDEMPOTENCY) is None

    return holds


# A schema with a pattern, a format, a length or a list of values does not accept both.
_TEXTS = ("~", "any text, ü" * 100)
_IDEMPOTENCY = (Condition.IDEMPOTENCY_IN_PROGRESS, Condition.IDEMPOTENCY_CHANGED)
_REASONS = (
    UnreachableReason("400", "no part of the request can be malformed", _cannot_be_malformed),
    UnreachableReason("402", "the operation declares no charge", _charges_nothing),
    UnreachableReason(
        "404", "the path has no variable, so nothing can be missing", _cannot_be_missing
    ),
    UnreachableReason(
        "409", "none of its codes applies to the operation", _lacks_the_declaration(409)
    ),
    UnreachableReason(
        "422", "none of its codes applies to the operation", _lacks_the_declaration(422)
    ),
    UnreachableReason(
        "429", "needs a key with limits that may be used up", _always, is_final=False
    ),
    UnreachableReason("500", "a correct server never returns it", _always),
    UnreachableReason("502", "needs a fault behind the server", _always),
    UnreachableReason("503", "needs an unavailable server", _always),
    UnreachableReason(None, "no response had this status", _always, is_final=False),
)
