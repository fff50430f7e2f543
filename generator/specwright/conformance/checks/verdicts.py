"""Verdicts on whether a failure still occurs, by its rule and its responses then and now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.pointer import Pointer
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

_GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class ReplayVerdict:
    """A verdict on a failure: None for `is_fixed` means undecided, for the reason in `words`."""

    is_fixed: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class Repetition:
    """The requests of a failure, sent again.

    Attributes:
        before: the recorded responses; None where there was no response.
        now: the exchanges in the same order.
        record: the record with the violations that the monitors found in them.
        place: the pointer of the part of the document that the failure is about.
        created: values of resources that were created for the repetition.
    """

    contract: Contract
    rule: str
    place: Pointer
    before: Sequence[HttpResponse | None]
    now: Sequence[Exchange]
    record: Record
    created: frozenset[str] = frozenset()

    @property
    def proof(self) -> HttpResponse:
        """The last response of the repetition, which shows the state of the failure."""
        response = self.now[-1].response
        assert response is not None, "without a response there is a verdict before"
        return response

    @property
    def was(self) -> HttpResponse | None:
        """The last recorded response, which showed the failure."""
        return self.before[-1]

    @property
    def violation(self) -> str | None:
        """The message of the monitors about the proof, by this rule."""
        number = self.now[-1].number
        return next(
            (
                violation.text
                for violation in self.record.violations
                if violation.rule == self.rule
                and violation.exchanges
                and violation.exchanges[-1].number == number
            ),
            None,
        )


def judge_shape(repetition: Repetition) -> ReplayVerdict:
    """Judge a response without violations; a different refusal is left undecided."""
    status, was = repetition.proof.status, repetition.was
    if was is None or status == was.status or repetition.proof.is_success:
        return ReplayVerdict(True, f"the response is as declared ({status})")
    return ReplayVerdict(None, f"the response has changed: {status}, previously {was.status}")


def judge_status(repetition: Repetition) -> ReplayVerdict:
    status = repetition.proof.status
    if status in _GONE and repetition.was is not None and repetition.was.status not in _GONE:
        return ReplayVerdict(None, f"the resource does not exist ({status})")
    return ReplayVerdict(True, f"the status is a declared one ({status})")


def judge_any_response(repetition: Repetition) -> ReplayVerdict:
    return ReplayVerdict(True, f"there is a response ({repetition.proof.status})")


def judge_rejection(repetition: Repetition) -> ReplayVerdict:
    """Judge a request that must be refused, or an error that must have another code."""
    response, was = repetition.proof, repetition.was
    if response.is_success or response.status >= 500:
        return ReplayVerdict(
            False, f"the request must be refused, but is answered {response.status} again"
        )
    if was is not None and not was.is_success:
        return judge_error_code(repetition)
    if response.status in _GONE:
        return ReplayVerdict(None, f"the resource does not exist ({response.status})")
    return ReplayVerdict(True, f"it is refused now ({response.status})")


def judge_acceptance(repetition: Repetition) -> ReplayVerdict:
    response, was = repetition.proof, repetition.was
    if response.is_success:
        return ReplayVerdict(True, f"it is accepted now ({response.status})")
    if was is not None and response.status == was.status:
        return ReplayVerdict(False, f"it is refused again ({response.status})")
    return ReplayVerdict(None, f"it is refused with a different status ({response.status})")


def judge_error_code(repetition: Repetition) -> ReplayVerdict:
    """Judge an error with a wrong code: the same code is the same failure."""
    response, was, errors = repetition.proof, repetition.was, repetition.contract.errors
    if was is None or errors is None:
        return ReplayVerdict(None, "the document does not declare where an error has its code")
    code, before = response.at(errors.code.raw), was.at(errors.code.raw)
    if (response.status, code) == (was.status, before):
        return ReplayVerdict(
            False, f"it is answered {response.status} with the code {code!r} again"
        )
    if response.is_success:
        return ReplayVerdict(None, f"it is answered {response.status}, which is not an error")
    return ReplayVerdict(True, f"it is answered {response.status} with the code {code!r}")


def judge_existence(repetition: Repetition) -> ReplayVerdict:
    """Judge the search for a resource that must exist, or must not: the result must differ."""
    response, was = repetition.proof, repetition.was
    if was is None or response.is_success == was.is_success:
        return ReplayVerdict(False, f"it is answered {response.status} again")
    return ReplayVerdict(True, f"it is answered {response.status} now")


def judge_status_of(wanted: int) -> Callable[[Repetition], ReplayVerdict]:
    def judge(repetition: Repetition) -> ReplayVerdict:
        status = repetition.proof.status
        is_fixed = status == wanted
        return ReplayVerdict(
            is_fixed, f"it is answered {status}" + ("" if is_fixed else f", not {wanted}")
        )

    return judge


def judge_isolation(repetition: Repetition) -> ReplayVerdict:
    response, was = repetition.proof, repetition.was
    if not repetition.created:
        return ReplayVerdict(None, "the resource of the first tenant could not be created again")
    if was is None or not was.is_success:
        return ReplayVerdict(
            None, "the responses to two requests have to be compared: run `specwright test` again"
        )
    if not response.is_success:
        return ReplayVerdict(True, f"another tenant is refused now ({response.status})")
    url, text = repetition.now[-1].request.url, response.body.decode("utf-8", "replace")
    if any(value in url or value in text for value in repetition.created):
        return ReplayVerdict(False, f"another tenant can access it ({response.status})")
    return ReplayVerdict(True, "another tenant does not see it")


def judge_method(repetition: Repetition) -> ReplayVerdict:
    """Judge the refusal of another method, which must list those allowed (RFC 9110, 15.5.6)."""
    response, contract = repetition.proof, repetition.contract
    if response.status != 405:
        return ReplayVerdict(False, f"it is answered {response.status}, not 405")
    allowed = {method.strip().upper() for method in (response.header("allow") or "").split(",")}
    there = {
        operation.method
        for operation in contract.operations.values()
        if operation.item == repetition.place
    }
    if there and there <= allowed:
        return ReplayVerdict(True, f"it is refused with Allow: {response.header('allow')}")
    return ReplayVerdict(False, f"Allow is {response.header('allow')!r}")


def judge_replay(repetition: Repetition) -> ReplayVerdict:
    first, again = repetition.now[0].response, repetition.proof
    if first is None or not first.is_success or len(repetition.now) < 2:
        return ReplayVerdict(None, "the first request does not succeed")
    operation = repetition.contract.operations.get(repetition.now[0].operation or "")
    idempotency = operation.get(IDEMPOTENCY) if operation is not None else None
    if (first.status, first.body) != (again.status, again.body):
        return ReplayVerdict(
            False, "the repeated request gets a different response from the first one"
        )
    header = idempotency.replay.header if idempotency is not None else None
    if header is not None and again.header(header.raw) is None:
        return ReplayVerdict(False, f"the second response has no {header.raw}")
    return ReplayVerdict(True, "the repeated request gets the first response")
