"""Keys of idempotent requests after each kind of refusal, and those of others."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.roles import MAIN, OTHER
from specwright.conformance.bench.workbench import Workbench, with_key
from specwright.conformance.contract.calls import Call
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import (
    Exchange,
    JsonValue,
    Response,
    value_at,
)
from specwright.conformance.recording.record import Violation
from specwright.document import sites
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, Answer, Idempotency

# Statuses that are about who asks, and how often.
_NOT_OF_THE_REQUEST = (401, 403, 429)
_MEMBERS: dict[str, JsonValue] = {"one": "1", "two": "2"}


def refusals(bench: Workbench) -> None:
    """Use the key of each example again: after its refusal, while it is worked on, elsewhere."""
    for operation in bench.contract.operations.values():
        declared = operation.declared["idempotency"]
        made = bench.made.get(operation.pointer)
        if declared is not None and made is not None:
            trial = Keys(bench, operation, declared)
            trial.reordered(made[0])
            trial.of_another_path(made[0])
            calls = trial.examples()
            with ThreadPoolExecutor(max(len(calls), 1)) as pool:
                for first in pool.map(trial.at_work, calls):
                    trial.refused(first, made[0])


@dataclass(frozen=True, slots=True)
class Keys:
    """What the keys of an operation are taken for."""

    bench: Workbench
    operation: Operation
    declared: Idempotency

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(IDEMPOTENCY.name)

    def examples(self) -> list[Call]:
        """The calls that the named examples of the body stand for."""
        assert self.operation.body is not None
        document = self.bench.contract.document
        names = sites.members(document, self.operation.body[1], "examples")
        found = [self.bench.example(self.operation, name) for name, _ in names]
        return [each for each in found if each is not None]

    def refused(self, first: Exchange, right: Call) -> None:
        """A refusal leaves the key free for a request that is right."""
        response, busy = first.response, self.declared.in_progress
        if response is None or response.is_success or self.says(response, busy):
            return
        if response.status not in _NOT_OF_THE_REQUEST:
            self.is_free(first, right)

    def is_free(self, refused: Exchange, right: Call, role: str = MAIN) -> None:
        """Hold the answer to the key of a refused request to that of a key that is new."""
        again = self.bench.ask(with_key(right, self._key(refused)), role)
        self.bench.target.record.check(Behaviour.IDEMPOTENCY_FAILURE, self.place)
        if refused.response is not None and self.is_taken(again.response):
            said = f"its key was taken as used after {refused.response.status}"
            self.violate(Behaviour.IDEMPOTENCY_FAILURE, said, refused, again)

    def _key(self, exchange: Exchange) -> str:
        declared, request = self.declared, exchange.request
        if declared.key is not None:
            return str(value_at(request.json_or_none, declared.key.raw))
        return "" if declared.header is None else request.header(declared.header.raw) or ""

    def is_replay(self, response: Response) -> bool:
        """Whether an answer is marked as the repetition of another one."""
        replay = self.declared.replay
        return replay.header is not None and replay.marks(response.header(replay.header.raw))

    def is_taken(self, response: Response | None) -> bool:
        """Whether an answer says that the key was used before."""
        if response is None:
            return False
        taken = (self.declared.changed, self.declared.in_progress)
        return self.is_replay(response) or any(self.says(response, each) for each in taken)

    def says(self, response: Response | None, wanted: Answer | None) -> bool:
        """Whether an answer is a declared refusal."""
        errors = self.bench.contract.errors
        if response is None or wanted is None:
            return False
        if errors is None or wanted.code is None:
            return response.status == wanted.status
        return (response.status, response.at(errors.code.raw)) == (wanted.status, wanted.code.raw)

    def at_work(self, call: Call) -> Exchange:
        """Send a request, and the same one until the first is answered; and that of another.

        Returns the first one.
        """
        call, other = self.bench.with_fresh_key(call), None
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(self.bench.ask, call)
            while True:
                second = self.bench.ask(call)
                if first.done() or self.says(second.response, self.declared.in_progress):
                    break
            busy = self.says(second.response, self.declared.in_progress)
            if busy and not first.done() and OTHER in self.bench.target.keys:
                other = self.bench.ask(call, OTHER)
        begun = first.result()
        if other is not None:
            self.bench.target.record.check(Behaviour.IDEMPOTENCY_SCOPE, self.place)
            if self.is_taken(other.response):
                said = "another partner met the key of this one's request"
                self.violate(Behaviour.IDEMPOTENCY_SCOPE, said, begun, other)
        if busy and begun.response is not None and begun.response.is_success:
            self._is_over(call, begun, second)
        return begun

    def _is_over(self, call: Call, begun: Exchange, refused: Exchange) -> None:
        again = self.bench.ask(call)
        self.bench.target.record.check(Behaviour.IDEMPOTENCY_REPLAY, self.place)
        if again.response is not None and again.response.status not in (
            self.declared.replay.status,
            429,
        ):
            said = (
                f"a request that was in progress, and has succeeded, is answered "
                f"{again.response.status} when it is repeated"
            )
            self.violate(Behaviour.IDEMPOTENCY_REPLAY, said, begun, refused, again)

    def reordered(self, call: Call) -> None:
        """The same members in another order, in objects that may have any."""
        for name in self._maps():
            body = self.bench.with_fresh_key(call.with_member(join(name), _MEMBERS))
            turned = body.with_member(join(name), dict(reversed(_MEMBERS.items())))
            first, again = self.bench.ask(body), self.bench.ask(turned)
            if first.response is None or not first.response.is_success:
                continue
            self.bench.target.record.check(Behaviour.IDEMPOTENCY_REPLAY, self.place)
            if self.says(again.response, self.declared.changed):
                said = f"the members of '{name}' in another order are another payload"
                self.violate(Behaviour.IDEMPOTENCY_REPLAY, said, first, again)

    def _maps(self) -> Iterator[str]:
        """The members of the body that are objects with any members."""
        document = self.bench.contract.document
        schema = self.bench.contract.body_schema(self.operation)
        found = document.follow({"$ref": f"#{schema}"}) if schema is not None else None
        for name, each in (found.get("properties") or {}).items() if found else ():
            inner = document.follow(each)
            if isinstance(inner, dict) and inner.get("additionalProperties"):
                yield name

    def of_another_path(self, call: Call) -> None:
        """The same body for something else: the path is part of what is asked."""
        for slot in self.operation.slots:
            if slot.written.location != "path":
                continue
            now = call.arguments.get(slot.key)
            others = [each for each in self.bench.known(self.operation, slot) if each != now]
            if not others:
                reason = "only one thing is known that it could be asked for"
                self.bench.target.record.skip(Behaviour.IDEMPOTENCY_CHANGED, self.place, reason)
                continue
            call = self.bench.with_fresh_key(call)
            first = self.bench.ask(call)
            again = self.bench.ask(call.with_argument(slot.key, others[0]))
            self._is_another(first, again)

    def _is_another(self, first: Exchange, again: Exchange) -> None:
        one, other = first.response, again.response
        if one is None or other is None or not one.is_success:
            return
        self.bench.target.record.check(Behaviour.IDEMPOTENCY_CHANGED, self.place)
        if other.is_success and self.is_replay(other):
            said = "a request to another path got the answer of the first one"
            self.violate(Behaviour.IDEMPOTENCY_CHANGED, said, first, again)

    def violate(self, rule: str, message: str, *exchanges: Exchange) -> None:
        """Note that the operation has broken a rule."""
        said = f"{self.operation.name}: {message}"
        self.bench.target.record.violate(Violation(rule, self.place, said, exchanges))
