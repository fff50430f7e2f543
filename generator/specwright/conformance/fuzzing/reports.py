"""Which failed checks of schemathesis are violations, and of which rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.target import NOBODY
from specwright.conformance.fuzzing.validity import RequestVerdict
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.document.model import Document
from specwright.document.sites import OperationSite
from specwright.pointer import Pointer, split
from specwright.vocabulary.keywords.error import ERROR, MALFORMED, Condition
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

# The statuses by which servers without declared codes call a request malformed.
_MALFORMED_STATUSES = frozenset({400, 422})
# Statuses that refuse credentials, and one that says nothing about them.
_NO_ENTRY = frozenset({401, 403, 429})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A check of schemathesis that a request failed.

    Attributes:
        proof: the exchange that failed it.
        operation: what the request was for; for another method of a path, one that the path has.
        cause: what happened before, such as the request that created or deleted the resource.
        verdict: what we say of the request.
    """

    check: str
    proof: Exchange
    operation: OperationSite
    cause: Exchange | None
    verdict: RequestVerdict

    @property
    def status(self) -> int:
        """The status of the answer; none is like 0."""
        return 0 if self.proof.response is None else self.proof.response.status


@dataclass(slots=True)
class TrafficOracle:
    """What the document and the whole of the traffic say about reports."""

    document: Document
    exchanges: Iterable[Exchange]
    _codes: Mapping[str, Condition | None] = field(init=False)
    _code: Pointer | None = field(init=False)

    def __post_init__(self) -> None:
        """Read the declared error codes."""
        declared = ERROR.read(self.document.data)
        self._code = None if declared is None else declared.code.raw
        codes = {} if declared is None else declared.codes
        self._codes = {name.raw: code.condition for name, code in codes.items()}

    def calls_malformed(self, report: FailedCheck) -> bool:
        """Whether the answer says that the request is malformed."""
        response = report.proof.response
        if response is None:
            return False
        if self._code is not None:
            return self._codes.get(str(response.at(self._code))) in MALFORMED
        repeated = IDEMPOTENCY.read(report.operation.value)
        answers = (repeated.changed, repeated.in_progress) if repeated else ()
        return response.status in _MALFORMED_STATUSES - {each.status for each in answers if each}

    def is_first(self, cause: Exchange) -> bool:
        """Whether the answer is not that of an earlier request again, such as of a used key."""
        return not any(
            each.number < cause.number
            and each.operation == cause.operation
            and each.response is not None
            and cause.response is not None
            and each.response.body == cause.response.body != b""
            for each in self.exchanges
        )

    def is_undisturbed(self, cause: Exchange, proof: Exchange) -> bool:
        """Whether nobody changed anything between two exchanges, as far as we can know."""
        end = proof.sent_at + proof.seconds
        return not any(
            each.request.method not in _SAFE
            and each.number not in (cause.number, proof.number)
            and each.sent_at <= end
            and each.sent_at + each.seconds >= cause.sent_at
            and (each.response is None or each.response.is_success)
            for each in self.exchanges
        )


def _invalid_accepted(report: FailedCheck, _: TrafficOracle) -> Pointer | None:
    accepted = report.proof.response is not None and report.proof.response.is_success
    return report.verdict.faults[0] if accepted and report.verdict.faults else None


def _valid_refused(report: FailedCheck, traffic: TrafficOracle) -> Pointer | None:
    refused = report.verdict.is_valid and traffic.calls_malformed(report)
    return report.operation.pointer if refused else None


def _credentials_ignored(report: FailedCheck, _: TrafficOracle) -> Pointer | None:
    # A server may take the key that is good elsewhere for a scheme that it does not belong to.
    ignored = (
        report.proof.role == NOBODY and report.status not in _NO_ENTRY and 0 < report.status < 500
    )
    return report.operation.pointer if ignored else None


def _may_tell(cause: Exchange, proof: Exchange, traffic: TrafficOracle) -> bool:
    """Whether what was made or removed must be there or gone afterwards."""
    if cause.request.method != "DELETE":
        return traffic.is_first(cause)
    # What has no id of its own may have defaults, and a PUT makes it again (RFC 9110, 9.3.4).
    path = split(cause.operation or "/paths/")[1].rstrip("/")
    return path.endswith("}") and proof.request.method != "PUT"


def _of_cause(*statuses: int) -> Callable[[FailedCheck, TrafficOracle], Pointer | None]:
    """The operation before, if it was answered so and nobody else can be the reason."""

    def pointer(report: FailedCheck, traffic: TrafficOracle) -> Pointer | None:
        cause = report.cause
        if cause is None or cause.response is None or cause.response.status not in statuses:
            return None
        is_blamed = _may_tell(cause, report.proof, traffic)
        return (
            cause.operation if is_blamed and traffic.is_undisturbed(cause, report.proof) else None
        )

    return pointer


def _method_allowed(report: FailedCheck, _: TrafficOracle) -> Pointer | None:
    """A method that no resource of the server has may be answered with 501 (RFC 9110, 9.1)."""
    return report.operation.item.pointer if 0 < report.status < 500 else None


@dataclass(frozen=True, slots=True)
class Check:
    """The meaning of a check.

    Attributes:
        pointer: the part of the document that a report shows to be broken; None if it shows none.
    """

    rule: str
    message: str
    pointer: Callable[[FailedCheck, TrafficOracle], Pointer | None]


_ACCEPTED = Check(
    Behaviour.INVALID_ACCEPTED,
    "a request that does not fit the document is answered with success",
    _invalid_accepted,
)
# By their names in schemathesis. Its other checks look at answers alone, as our monitors do.
CHECKS: Mapping[str, Check] = {
    "negative_data_rejection": _ACCEPTED,
    "missing_required_header": _ACCEPTED,
    "positive_data_acceptance": Check(
        Behaviour.VALID_REFUSED,
        "a request that fits the document is refused as malformed",
        _valid_refused,
    ),
    "ignored_auth": Check(
        Behaviour.CREDENTIALS_IGNORED,
        "a request without credentials, or with wrong ones, is not refused with 401",
        _credentials_ignored,
    ),
    "ensure_resource_availability": Check(
        Behaviour.CREATED_IS_FOUND,
        "a resource that was created with 201 is answered with 404",
        # Other statuses do not say that it is there when the answer comes (RFC 9110, 15.3).
        _of_cause(201),
    ),
    "use_after_free": Check(
        Behaviour.DELETED_IS_GONE,
        "a resource that was deleted is still there",
        # With 202 the deletion may not have happened yet (RFC 9110, 15.3.3).
        _of_cause(200, 204),
    ),
    "unsupported_method": Check(
        Behaviour.METHOD_NOT_ALLOWED,
        "a method that the path does not have is not refused with 405 and an Allow header",
        _method_allowed,
    ),
}


def violation(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    """What a report proves, if anything."""
    check = CHECKS[report.check]
    pointer = check.pointer(report, traffic)
    if pointer is None:
        return None
    shown = (report.cause, report.proof) if report.cause else (report.proof,)
    return Violation(check.rule, pointer, check.message, shown)
