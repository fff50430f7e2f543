"""Ids of requests (`request_id_header` of `x-contract-error`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.pointer import join
from specwright.vocabulary.keywords.error import ERROR

REQUEST_ID = BehaviourRule(
    "request-id",
    BehaviourCategory.SHAPE,
    "Every response has a request id of its own, and an error repeats it.",
    example="two responses with the same Request-Id, or one without it",
    advice=(
        "Generate an id for each request in the outermost layer, so that errors have one as well."
    ),
    judge=judge_shape,
)


@dataclass(slots=True)
class RequestIds:
    """A check that the request ids of a run are unique, and that errors repeat them."""

    contract: Contract
    record: Record
    _first: dict[str, Exchange] = field(default_factory=dict)

    def check(self, exchange: Exchange, response: HttpResponse) -> Iterator[Violation]:
        """Yield violations in the request id of a response."""
        errors = self.contract.errors
        if errors is None or errors.request_id_header is None:
            return
        name, place = errors.request_id_header.raw, join(ERROR.name, "request_id_header")
        self.record.check(REQUEST_ID, place)
        id, request = response.header(name), self.contract.name_of(exchange)
        if id is None:
            yield Violation(REQUEST_ID, place, f"no {name}", (exchange,), operation=request)
            return
        first = self._first.setdefault(id, exchange)
        if first is not exchange:
            message = f"another response had the same {name}"
            yield Violation(REQUEST_ID, place, message, (first, exchange), operation=request)
        if errors.request_id is not None and response.status >= 400:
            repeated = response.at(errors.request_id.raw)
            if repeated is not None and repeated != id:
                message = f"the id in the body differs from {name}"
                yield Violation(REQUEST_ID, place, message, (exchange,), operation=request)
