"""Judgement of the failed checks of schemathesis: the violations that they prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from specwright.conformance.checks.access.ignored_credentials import CREDENTIALS_IGNORED, ignored
from specwright.conformance.checks.lifecycle.deletion import DELETED_IS_GONE
from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED, accepted_request
from specwright.conformance.checks.requests.validation import VALID_REFUSED
from specwright.conformance.checks.requests.validity import RequestVerdict
from specwright.conformance.checks.robustness.methods import METHOD_NOT_ALLOWED, method_violation
from specwright.conformance.checks.rule import BehaviourRule
from specwright.conformance.contract.resources import shape
from specwright.conformance.driver.roles import ANONYMOUS
from specwright.conformance.fuzzing.traffic import TrafficOracle
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.document.operations.sites import OperationSite
from specwright.findings import values_of
from specwright.pointer import split

# Statuses that refuse credentials, and one that says nothing about them.
_NO_ENTRY = frozenset({401, 403, 429})


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A check of schemathesis that a request failed.

    Attributes:
        proof: the exchange that failed it.
        operation: that of the request; for a method that its path lacks, another one of the path.
        cause: an earlier exchange, such as the one that created or deleted the resource.
        verdict: our own verdict on the request.
    """

    check: str
    proof: Exchange
    operation: OperationSite
    cause: Exchange | None
    verdict: RequestVerdict

    @property
    def status(self) -> int:
        """The status of the response; 0 without a response."""
        return 0 if self.proof.response is None else self.proof.response.status


def _invalid_accepted(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    response, faults = report.proof.response, report.verdict.faults
    operation = traffic.contract.operations.get(report.operation.pointer)
    if response is None or not response.is_success or not faults or operation is None:
        return None
    return accepted_request(traffic.contract, operation, report.proof, faults[0])


def _may_tell(cause: Exchange, proof: Exchange, traffic: TrafficOracle) -> bool:
    """Return whether a created resource must exist afterwards, or a deleted one must be gone."""
    if cause.request.method != "DELETE":
        sent, asked = (
            shape(split(exchange.operation or "/paths/")[1]) for exchange in (cause, proof)
        )
        # A resource may lack a part of its own, such as an image.
        is_part = asked[: len(sent) + 1] == (*sent, None) and len(asked) > len(sent) + 1
        return traffic.is_first(cause) and not is_part
    # A resource without an id may have defaults, and a PUT creates it again (RFC 9110, 9.3.4).
    path = split(cause.operation or "/paths/")[1].rstrip("/")
    return path.endswith("}") and proof.request.method != "PUT"


def _valid_refused(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    operation = traffic.contract.operations.get(report.operation.pointer)
    proof = report.proof
    if operation is None or proof.response is None or not report.verdict.is_valid:
        return None
    # Without another response, an error is the only one that the document expects.
    is_hopeless = all(response[0] in "45" for response in operation.responses)
    if is_hopeless or not traffic.contract.calls_malformed(operation, proof.response):
        return None
    if traffic.is_about_deleted(proof) or traffic.refers_to_nothing(proof):
        return None
    cause = f"a valid request is rejected as malformed: {report.status}"
    return _of_operation(report, VALID_REFUSED, report.operation, cause)


def _credentials_ignored(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    # A server may accept a key that is valid elsewhere under a scheme that it does not belong to.
    if report.proof.role != ANONYMOUS or report.status in _NO_ENTRY:
        return None
    if not traffic.has_success(report.operation.pointer):
        return None
    how = "without valid credentials"
    return ignored(_named(report.operation), report.operation.pointer, report.proof, how)


def _after(
    rule: BehaviourRule, words: str, *statuses: int
) -> Callable[[FailedCheck, TrafficOracle], Violation | None]:
    """Return a judge of a request by its cause, if that had such a status and is the only one."""

    def judge(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
        before = report.cause
        if before is None or before.response is None or before.operation is None:
            return None
        operation = traffic.contract.operations.get(before.operation)
        is_reason = before.response.status in statuses and _may_tell(before, report.proof, traffic)
        if operation is None or not is_reason or not traffic.is_undisturbed(before, report.proof):
            return None
        message = (
            f"the resource that {operation.name} {words} ({before.response.status}) gets "
            f"{report.status} from {_named(report.operation)}"
        )
        cause = f"a resource that was {words} gets {report.status}"
        proofs, values = (before, report.proof), values_of(report.status)
        return Violation(rule, operation.pointer, message, proofs, cause, values=values)

    return judge


def _method_allowed(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    return method_violation(traffic.contract, traffic.routes, report.operation, report.proof)


def _of_operation(
    report: FailedCheck, rule: BehaviourRule, operation: OperationSite, cause: str
) -> Violation:
    shown = (report.cause, report.proof) if report.cause else (report.proof,)
    return Violation(rule, operation.pointer, cause, shown, cause, _named(operation))


def _named(operation: OperationSite) -> str:
    return f"{operation.method} {operation.key}"


@dataclass(frozen=True, slots=True)
class Check:
    """The meaning of a check: a rule, and a judge of its reports."""

    rule: BehaviourRule
    judge: Callable[[FailedCheck, TrafficOracle], Violation | None]


_ACCEPTED = Check(INVALID_ACCEPTED, _invalid_accepted)
# By name in schemathesis. Its other checks look only at responses, as our monitors do.
CHECKS: Mapping[str, Check] = {
    "negative_data_rejection": _ACCEPTED,
    "missing_required_header": _ACCEPTED,
    "positive_data_acceptance": Check(VALID_REFUSED, _valid_refused),
    "ignored_auth": Check(CREDENTIALS_IGNORED, _credentials_ignored),
    "ensure_resource_availability": Check(
        # Other statuses do not mean that it exists when the response is sent (RFC 9110, 15.3).
        CREATED_IS_FOUND,
        _after(CREATED_IS_FOUND, "created", 201),
    ),
    "use_after_free": Check(
        # With 202 the deletion may not have happened yet (RFC 9110, 15.3.3).
        DELETED_IS_GONE,
        _after(DELETED_IS_GONE, "deleted", 200, 204),
    ),
    "unsupported_method": Check(METHOD_NOT_ALLOWED, _method_allowed),
}


def violation(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    """Return the violation that a report proves, if any."""
    return CHECKS[report.check].judge(report, traffic)
