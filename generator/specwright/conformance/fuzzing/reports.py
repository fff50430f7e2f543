"""Judgement of the failed checks of schemathesis: the violations that they prove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.ids import is_reference
from specwright.conformance.bench.roles import NOBODY
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.resources import shape
from specwright.conformance.contract.routes import Routes
from specwright.conformance.judging.accepted import accepted_request
from specwright.conformance.judging.credentials import ignored
from specwright.conformance.judging.methods import method_violation
from specwright.conformance.judging.validity import RequestVerdict
from specwright.conformance.recording.exchange import Exchange, JsonValue
from specwright.conformance.recording.record import Violation
from specwright.document.sites import OperationSite, parameters
from specwright.names import snake
from specwright.pointer import Pointer, split
from specwright.vocabulary.keywords.error import ERROR, MALFORMED, Condition
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, KEY_HEADER

# Statuses for malformed requests, for servers without declared codes.
_MALFORMED_STATUSES = frozenset({400, 422})
# For another body with the same key (draft-ietf-httpapi-idempotency-key-header, 2.7).
_KEY_REUSED = 422
# Statuses that refuse credentials, and one that says nothing about them.
_NO_ENTRY = frozenset({401, 403, 429})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})


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


@dataclass(slots=True)
class TrafficOracle:
    """The document and the whole traffic, which reports are judged by."""

    contract: Contract
    routes: Routes
    exchanges: Iterable[Exchange]
    _codes: Mapping[str, Condition | None] = field(init=False)
    _code: Pointer | None = field(init=False)
    _deleted: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Read the declared error codes, and the ids that were deleted."""
        self._deleted = {}
        for each in self.exchanges:
            if each.request.method == "DELETE" and each.response and each.response.is_success:
                id = unquote(urlsplit(each.request.url).path.rstrip("/").rpartition("/")[2])
                self._deleted.setdefault(id, each.number)
        declared = ERROR.read(self.contract.document.data)
        self._code = None if declared is None else declared.code.raw
        codes = {} if declared is None else declared.codes
        self._codes = {name.raw: code.condition for name, code in codes.items()}

    def calls_malformed(self, report: FailedCheck) -> bool:
        """Return whether the response says that the request is malformed."""
        response = report.proof.response
        if response is None:
            return False
        if self._code is not None:
            return self._codes.get(str(response.at(self._code))) in MALFORMED
        return response.status in _MALFORMED_STATUSES - self._of_keys(report.operation)

    def is_about_deleted(self, exchange: Exchange) -> bool:
        """Return whether a request contains an id that was deleted before it."""
        parts = urlsplit(exchange.request.url)
        texts = {
            *map(unquote, parts.path.split("/")),
            *(text for _, text in parse_qsl(parts.query)),
        }
        texts.update(_scalars(exchange.request.json_or_none))
        return any(self._deleted.get(each, exchange.number) < exchange.number for each in texts)

    def refers_to_nothing(self, exchange: Exchange) -> bool:
        """Return whether a body refers to unseen resources, by a name such as `user_id`."""
        seen = [
            each.response.body
            for each in self.exchanges
            if each.number < exchange.number and each.response and each.response.is_success
        ]
        return any(
            not any(text.encode(errors="replace") in body for body in seen)
            for text in _references(exchange.request.json_or_none)
        )

    def _of_keys(self, operation: OperationSite) -> set[int]:
        """Return the statuses that refuse a key that was used before, with another body."""
        declared = IDEMPOTENCY.read(operation.value)
        if declared is not None:
            answers = (declared.changed, declared.in_progress)
            return {each.status for each in answers if each is not None}
        has_key = ("header", KEY_HEADER) in parameters(self.contract.document, operation)
        return {_KEY_REUSED} if has_key else set()

    def is_first(self, cause: Exchange) -> bool:
        """Return whether the response is not a repetition of an earlier one, as for a used key."""
        return not any(
            each.number < cause.number
            and each.operation == cause.operation
            and each.response is not None
            and cause.response is not None
            and each.response.body == cause.response.body != b""
            for each in self.exchanges
        )

    def is_undisturbed(self, cause: Exchange, proof: Exchange) -> bool:
        """Return whether nothing was changed between two exchanges, as far as we can know."""
        end = proof.sent_at + proof.seconds
        return not any(
            each.request.method not in _SAFE
            and each.number not in (cause.number, proof.number)
            and each.sent_at <= end
            and each.sent_at + each.seconds >= cause.sent_at
            and (each.response is None or each.response.is_success)
            for each in self.exchanges
        )


def _invalid_accepted(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    response, faults = report.proof.response, report.verdict.faults
    operation = traffic.contract.operations.get(report.operation.pointer)
    if response is None or not response.is_success or not faults or operation is None:
        return None
    return accepted_request(traffic.contract, operation, report.proof, faults[0])


def _may_tell(cause: Exchange, proof: Exchange, traffic: TrafficOracle) -> bool:
    """Return whether a created resource must exist afterwards, or a deleted one must be gone."""
    if cause.request.method != "DELETE":
        made, asked = (shape(split(each.operation or "/paths/")[1]) for each in (cause, proof))
        # A resource may lack a part of its own, such as an image.
        is_part = asked[: len(made) + 1] == (*made, None) and len(asked) > len(made) + 1
        return traffic.is_first(cause) and not is_part
    # A resource without an id may have defaults, and a PUT creates it again (RFC 9110, 9.3.4).
    path = split(cause.operation or "/paths/")[1].rstrip("/")
    return path.endswith("}") and proof.request.method != "PUT"


def _valid_refused(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    operation = traffic.contract.operations.get(report.operation.pointer)
    # Without another response, an error is the only one that the document expects.
    is_hopeless = operation is not None and all(each[0] in "45" for each in operation.responses)
    if is_hopeless or not (report.verdict.is_valid and traffic.calls_malformed(report)):
        return None
    if traffic.is_about_deleted(report.proof) or traffic.refers_to_nothing(report.proof):
        return None
    cause = f"a valid request is rejected as malformed: {report.status}"
    return _of_operation(report, Behaviour.VALID_REFUSED, report.operation, cause)


def _credentials_ignored(report: FailedCheck, _: TrafficOracle) -> Violation | None:
    # A server may accept a key that is valid elsewhere under a scheme that it does not belong to.
    if report.proof.role != NOBODY or report.status in _NO_ENTRY:
        return None
    how = "without valid credentials"
    return ignored(_named(report.operation), report.operation.pointer, report.proof, how)


def _after(
    rule: Behaviour, said: str, *statuses: int
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
            f"the resource that {operation.name} {said} ({before.response.status}) gets "
            f"{report.status} from {_named(report.operation)}"
        )
        cause = f"a resource that was {said} gets {report.status}"
        return Violation(rule, operation.pointer, message, (before, report.proof), cause)

    return judge


def _method_allowed(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    return method_violation(traffic.contract, traffic.routes, report.operation, report.proof)


def _of_operation(
    report: FailedCheck, rule: Behaviour, operation: OperationSite, cause: str
) -> Violation:
    shown = (report.cause, report.proof) if report.cause else (report.proof,)
    return Violation(rule, operation.pointer, f"{_named(operation)}: {cause}", shown, cause)


def _scalars(value: JsonValue) -> Iterator[str]:
    """Yield the texts of all values inside a value that may be ids."""
    if isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _scalars(each)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield str(value)


def _references(value: JsonValue) -> Iterator[str]:
    """Yield the texts of all members that refer to other resources."""
    if isinstance(value, dict):
        for name, each in value.items():
            # An `id` may be that of the resource itself, which the client chooses.
            is_another = "_" in snake(name) and is_reference(name)
            yield from _scalars(each) if is_another else _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def _named(operation: OperationSite) -> str:
    return f"{operation.method} {operation.key}"


@dataclass(frozen=True, slots=True)
class Check:
    """The meaning of a check: a rule, and a judge of its reports."""

    rule: Behaviour
    judge: Callable[[FailedCheck, TrafficOracle], Violation | None]


_ACCEPTED = Check(Behaviour.INVALID_ACCEPTED, _invalid_accepted)
# By name in schemathesis. Its other checks look only at responses, as our monitors do.
CHECKS: Mapping[str, Check] = {
    "negative_data_rejection": _ACCEPTED,
    "missing_required_header": _ACCEPTED,
    "positive_data_acceptance": Check(Behaviour.VALID_REFUSED, _valid_refused),
    "ignored_auth": Check(Behaviour.CREDENTIALS_IGNORED, _credentials_ignored),
    "ensure_resource_availability": Check(
        # Other statuses do not mean that it exists when the response is sent (RFC 9110, 15.3).
        Behaviour.CREATED_IS_FOUND,
        _after(Behaviour.CREATED_IS_FOUND, "created", 201),
    ),
    "use_after_free": Check(
        # With 202 the deletion may not have happened yet (RFC 9110, 15.3.3).
        Behaviour.DELETED_IS_GONE,
        _after(Behaviour.DELETED_IS_GONE, "deleted", 200, 204),
    ),
    "unsupported_method": Check(Behaviour.METHOD_NOT_ALLOWED, _method_allowed),
}


def violation(report: FailedCheck, traffic: TrafficOracle) -> Violation | None:
    """Return the violation that a report proves, if any."""
    return CHECKS[report.check].judge(report, traffic)
