"""The checks of single responses, applied to those of every source."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from specwright.conformance.checks.limits.response_time import RESPONSE_TIME
from specwright.conformance.checks.responses.checked_response import CheckedResponse
from specwright.conformance.checks.responses.error_codes import is_undeclared_failure
from specwright.conformance.checks.responses.request_ids import RequestIds
from specwright.conformance.checks.responses.shown_once import ShownOnce
from specwright.conformance.checks.robustness.failures import NO_RESPONSE, SERVER_ERROR
from specwright.conformance.checks.table import RESPONSE_CHECKS
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.recording.exchange import (
    FUZZING,
    UNDECODABLE,
    Exchange,
    HttpRequest,
    HttpResponse,
)
from specwright.conformance.recording.record import Record, Violation
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import properties
from specwright.findings import values_of
from specwright.pointer import Pointer, resolve


@dataclass(slots=True)
class Monitors:
    """A monitor of a record, which applies the checks of single responses.

    Attributes:
        max_seconds: the maximum time for a response; None for no limit.
    """

    contract: Contract
    record: Record
    max_seconds: float | None = None
    _silent: set[str] = field(default_factory=set)
    _request_ids: RequestIds = field(init=False)
    _shown_once: ShownOnce = field(init=False)

    def __post_init__(self) -> None:
        """Begin the checks that compare a response with earlier ones."""
        self._request_ids = RequestIds(self.contract, self.record)
        self._shown_once = ShownOnce(self.contract, self.record)

    def __call__(self, exchange: Exchange) -> list[Violation]:
        """Return the violations in an exchange."""
        operation = self.contract.operations.get(exchange.operation or "")
        if exchange.response is None:
            return list(self._no_response(exchange, operation))
        self._silent.discard(exchange.source)
        violations = list(self._of_any(exchange, operation, exchange.response))
        if operation is not None and exchange.request.method == operation.method:
            violations += self._response_time(exchange, operation)
            violations += self._of_operation(exchange, operation, exchange.response)
        return violations

    def _no_response(
        self, exchange: Exchange, operation: ContractOperation | None
    ) -> Iterator[Violation]:
        """Yield a violation for a missing response, unless the server had crashed before."""
        # The fuzzer does not report whether a request was received.
        is_dead = exchange.source == FUZZING and exchange.source in self._silent
        self._silent.add(exchange.source)
        if operation is not None and not is_dead and not exchange.is_unconnected:
            message, cause, values = f"no response ({exchange.failure})", "no response", values_of()
            if exchange.is_undecodable:
                message, cause = str(exchange.failure), UNDECODABLE
                values = values_of("Content-Encoding")
            place, rule = operation.pointer, NO_RESPONSE
            proofs, name = (exchange,), operation.name
            yield Violation(rule, place, message, proofs, cause, name, values=values)

    def _of_any(
        self, exchange: Exchange, operation: ContractOperation | None, response: HttpResponse
    ) -> Iterator[Violation]:
        """Yield violations of the rules that also apply to requests that match no operation."""
        if is_undeclared_failure(self.contract, operation, response):
            # The same for all paths that match no operation.
            message = cause = f"answered {response.status}"
            place, name = exchange.operation or "", self.contract.name_of(exchange)
            yield Violation(
                *(SERVER_ERROR, place, message, (exchange,), cause, name),
                values=values_of(response.status),
                inputs=_inputs(self.contract, operation, exchange.request),
            )
        yield from self._request_ids.check(exchange, response)
        yield from self._shown_once.check(exchange, response)

    def _of_operation(
        self, exchange: Exchange, operation: ContractOperation, response: HttpResponse
    ) -> Iterator[Violation]:
        declared = operation.response(response.status)
        checked = CheckedResponse(
            self.contract, self.record, exchange, operation, response, declared
        )
        for check in RESPONSE_CHECKS:
            yield from check.find(checked)

    def _response_time(
        self, exchange: Exchange, operation: ContractOperation
    ) -> Iterator[Violation]:
        if self.max_seconds is None:
            return
        self.record.check(RESPONSE_TIME, operation.pointer)
        if exchange.seconds > self.max_seconds:
            message = f"the response took more than {self.max_seconds:g} s"
            place, proofs, name = operation.pointer, (exchange,), operation.name
            yield Violation(RESPONSE_TIME, place, message, proofs, operation=name)


def _inputs(
    contract: Contract, operation: ContractOperation | None, request: HttpRequest
) -> frozenset[str]:
    """Return the declared parameters in a query, and the declared members of a body."""
    if operation is None:
        return frozenset()
    declared = {slot.written.wire for slot in operation.slots}
    pairs = parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
    names = {name for name, _ in pairs if name in declared}
    schema, body = contract.body_schema(operation), request.json_or_none
    if schema is not None and isinstance(body, dict):
        return frozenset(names | (_members(contract, schema) & body.keys()))
    return frozenset(names if request.body is None else {*names, "body"})


def _members(contract: Contract, schema: Pointer) -> Set[str]:
    whole = Subschema(schema, resolve(contract.document.data, schema))
    return properties(contract.document, whole).keys()
