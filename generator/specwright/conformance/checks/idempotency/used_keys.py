"""Idempotency keys after each kind of refusal, and keys of other tenants."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from specwright.conformance.checks.lists.listed_ids import listed_ids
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_rejection, judge_replay
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver, with_key
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT
from specwright.conformance.recording.exchange import FUZZING, Exchange, HttpResponse, value_at
from specwright.document.operations import sites
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, ErrorResponse, Idempotency

IDEMPOTENCY_REPLAY = BehaviourRule(
    "idempotency-replay",
    BehaviourCategory.IDEMPOTENCY,
    "The repetition of a successful request gets the first response again, marked as a replay.",
    example="the same request with the same key -> 201 with another id",
    advice=(
        "Store the response with the key in the transaction that does the work, and send the "
        "same bytes again, with the header that marks a replay."
    ),
    weight=12,
    judge=judge_replay,
)
IDEMPOTENCY_CHANGED = BehaviourRule(
    "idempotency-changed",
    BehaviourCategory.IDEMPOTENCY,
    "A different payload with the same key is refused with the declared code.",
    example="another payload with a used key -> 201",
    advice=(
        "Store a digest of the payload with the key, compare it, and refuse with the declared code."
    ),
    judge=judge_rejection,
)
IDEMPOTENCY_CONCURRENT = BehaviourRule(
    "idempotency-concurrent",
    BehaviourCategory.IDEMPOTENCY,
    "Of concurrent requests with the same key, at most one takes effect.",
    example="two concurrent requests with one key -> 201 and 201, with two ids",
    advice=(
        "Claim the key by a unique constraint before the work begins; the second request waits "
        "or is refused with the declared code."
    ),
    weight=13,
)
IDEMPOTENCY_FAILURE = BehaviourRule(
    "idempotency-failure",
    BehaviourCategory.IDEMPOTENCY,
    "A failed request does not use up its key.",
    example="a request is refused with 422; corrected, with the same key -> 409",
    advice="Release the key when the request fails: roll it back with the work.",
)
IDEMPOTENCY_SCOPE = BehaviourRule(
    "idempotency-scope",
    BehaviourCategory.IDEMPOTENCY,
    "The same key in another scope belongs to another request.",
    example="another tenant uses the same key and gets the response of the first one",
    advice="Make the owner part of the unique constraint on keys.",
)

# Statuses that depend on the client and its rate, not on the request.
_NOT_OF_THE_REQUEST = (401, 403, 429)
_MEMBERS: dict[str, JsonValue] = {"one": "1", "two": "2"}


@scenario(beside=FUZZING)
def refusals(driver: Driver) -> None:
    """Use the key of each example again: after its refusal, while in progress, and elsewhere."""
    for operation, declared in driver.contract.declaring(IDEMPOTENCY):
        success = driver.successes.get(operation.pointer)
        if success is not None:
            trial = Keys(driver, operation, declared)
            trial.reordered(success[0])
            calls = trial.examples()
            with ThreadPoolExecutor(max(len(calls), 1)) as pool:
                for first in pool.map(trial.at_work, calls):
                    trial.refused(first, success[0])


@dataclass(frozen=True, slots=True)
class Keys:
    """Checks of the idempotency keys of an operation."""

    driver: Driver
    operation: ContractOperation
    declared: Idempotency

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(IDEMPOTENCY.name)

    def examples(self) -> list[OperationCall]:
        """Return the calls for the named examples of the body."""
        assert self.operation.body is not None
        document = self.driver.contract.document
        names = sites.members(document, self.operation.body[1], "examples")
        calls = [self.driver.example(self.operation, name) for name, _ in names]
        return [exchange for exchange in calls if exchange is not None]

    def refused(self, first: Exchange, right: OperationCall) -> None:
        """Check that a refusal leaves the key free for a valid request."""
        response, busy = first.response, self.declared.in_progress
        if response is None or self.operation.is_success(response) or self.says(response, busy):
            return
        if response.status not in _NOT_OF_THE_REQUEST:
            self.is_free(first, right)

    def is_free(self, refused: Exchange, right: OperationCall, role: str = MAIN) -> None:
        """Check that the key of a refused request is treated as unused."""
        again = self.driver.probe(with_key(right, self._key(refused)), role)
        self.driver.target.record.check(IDEMPOTENCY_FAILURE, self.place)
        if refused.response is not None and self.is_taken(again.response):
            message = f"its key was treated as used after {refused.response.status}"
            self.violate(IDEMPOTENCY_FAILURE, message, refused, again)

    def _key(self, exchange: Exchange) -> str:
        declared, request = self.declared, exchange.request
        if declared.key is not None:
            return str(value_at(request.json_or_none, declared.key.raw))
        return "" if declared.header is None else request.header(declared.header.raw) or ""

    def is_replay(self, response: HttpResponse) -> bool:
        """Return whether a response is marked as a replay."""
        replay = self.declared.replay
        return replay.header is not None and replay.marks(response.header(replay.header.raw))

    def is_taken(self, response: HttpResponse | None) -> bool:
        """Return whether a response says that the key was used before."""
        if response is None:
            return False
        errors = (self.declared.changed, self.declared.in_progress)
        return self.is_replay(response) or any(self.says(response, error) for error in errors)

    def says(self, response: HttpResponse | None, wanted: ErrorResponse | None) -> bool:
        """Return whether a response is a declared refusal."""
        errors = self.driver.contract.errors
        if response is None or wanted is None:
            return False
        if errors is None or wanted.code is None:
            return response.status == wanted.status
        return (response.status, response.at(errors.code.raw)) == (wanted.status, wanted.code.raw)

    def at_work(self, call: OperationCall) -> Exchange:
        """Send a request, repeat it until it is in progress or done, and send it as another role.

        Returns the exchange of the request that arrived first.
        """
        call, other = self.driver.with_fresh_key(call), None
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(self.driver.probe, call)
            while True:
                second = self.driver.probe(call)
                if first.done() or self.says(second.response, self.declared.in_progress):
                    break
            busy = self.says(second.response, self.declared.in_progress)
            if busy and not first.done() and OTHER_TENANT in self.driver.target.keys:
                other = self.driver.probe(call, OTHER_TENANT)
        # Either request may have been the first one to arrive.
        begun, late = first.result(), second
        if self.says(begun.response, self.declared.in_progress):
            begun, late = second, begun
        busy = self.says(late.response, self.declared.in_progress)
        if busy and late.response is not None and self.declared.in_progress is not None:
            self.driver.target.record.check(IDEMPOTENCY_CONCURRENT, self.place)
            name = missing(late.response, self.declared.in_progress)
            if name:
                message = f"a request that is in progress was answered without {name}"
                self.violate(IDEMPOTENCY_CONCURRENT, message, begun, late)
        if other is not None:
            self.driver.target.record.check(IDEMPOTENCY_SCOPE, self.place)
            if self.is_taken(other.response):
                message = "the key of this tenant's request is treated as used for another tenant"
                self.violate(IDEMPOTENCY_SCOPE, message, begun, other)
        if busy and begun.succeeded:
            self._is_over(call, begun, late)
        return begun

    def _is_over(self, call: OperationCall, begun: Exchange, refused: Exchange) -> None:
        again = self.driver.probe(call)
        self.driver.target.record.check(IDEMPOTENCY_REPLAY, self.place)
        if again.response is not None and again.response.status not in (
            self.declared.replay.status,
            429,
        ):
            message = (
                f"a request that was in progress, and has succeeded, is answered "
                f"{again.response.status} when it is repeated"
            )
            self.violate(IDEMPOTENCY_REPLAY, message, begun, refused, again)

    def reordered(self, call: OperationCall) -> None:
        """Send the same members in another order, in objects with arbitrary members."""
        for name in self._maps():
            body = self.driver.with_fresh_key(call.with_member(join(name), _MEMBERS))
            turned = body.with_member(join(name), dict(reversed(_MEMBERS.items())))
            first, again = self.driver.probe(body), self.driver.probe(turned)
            if not first.succeeded:
                continue
            self.driver.target.record.check(IDEMPOTENCY_REPLAY, self.place)
            if self.says(again.response, self.declared.changed):
                message = f"the members of '{name}' in another order are treated as another payload"
                self.violate(IDEMPOTENCY_REPLAY, message, first, again)

    def _maps(self) -> Iterator[str]:
        """Yield the members of the body that are objects with arbitrary members."""
        document = self.driver.contract.document
        schema = self.driver.contract.body_schema(self.operation)
        described = document.follow({"$ref": f"#{schema}"}) if schema is not None else None
        for name, each in mapping(mapping(described).get("properties")).items():
            inner = document.follow(each)
            if isinstance(inner, dict) and inner.get("additionalProperties"):
                yield name

    def of_another_path(self, call: OperationCall) -> None:
        """Send the same body to another path, as the path is part of the request."""
        for slot in self.operation.slots:
            if slot.written.location != "path":
                continue
            now = call.arguments.get(slot.key)
            known = [
                *listed_ids(self.driver, self.operation),
                *self.driver.known(self.operation, slot),
            ]
            others = [value for value in known if str(value) != str(now)]
            if not others:
                reason = "only one value is known for a path parameter"
                self.driver.target.record.skip(IDEMPOTENCY_CHANGED, self.place, reason)
                continue
            call = self.driver.with_fresh_key(call)
            first = self.driver.probe(call)
            again = self.driver.probe(call.with_argument(slot.key, others[0]))
            self._is_another(first, again)

    def _is_another(self, first: Exchange, again: Exchange) -> None:
        one, other = first.response, again.response
        if one is None or other is None or not one.is_success:
            return
        self.driver.target.record.check(IDEMPOTENCY_CHANGED, self.place)
        if other.is_success and self.is_replay(other):
            message = "a request to another path got the response of the first one"
            self.violate(IDEMPOTENCY_CHANGED, message, first, again)

    def violate(self, rule: str, message: str, *exchanges: Exchange) -> None:
        """Record that the operation has broken a rule."""
        self.driver.violate(rule, self.operation, message, *exchanges, at=self.place)


def missing(response: HttpResponse, declared: ErrorResponse) -> str:
    """Return the declared header that a response lacks; empty if it lacks none."""
    header = declared.header
    return header.raw if header is not None and response.header(header.raw) is None else ""
