"""A response as checks of single responses see it, with its declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.document.operations.sites import Site
from specwright.pointer import Pointer


@dataclass(frozen=True, slots=True)
class CheckedResponse:
    """A response to a request of an operation.

    Attributes:
        declared: the response object for its status; None if the operation declares none.
    """

    contract: Contract
    record: Record
    exchange: Exchange
    operation: ContractOperation
    response: HttpResponse
    declared: Site | None

    def violation(
        self,
        rule: str,
        pointer: Pointer,
        message: str,
        cause: str = "",
        values: tuple[str, ...] = (),
    ) -> Violation:
        """Return a violation that this exchange shows."""
        proof, name = (self.exchange,), self.operation.name
        return Violation(rule, pointer, message, proof, cause, name, values=values)


@dataclass(frozen=True, slots=True)
class ResponseCheck:
    """A check of single responses, which monitors apply to those of every source.

    As a decorator, it makes a function a check.

    Attributes:
        find: yields the violations in a response, and notes in the record what it checks.
    """

    find: Callable[[CheckedResponse], Iterator[Violation]]
