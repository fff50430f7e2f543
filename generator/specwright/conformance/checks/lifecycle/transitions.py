"""States in which operations are allowed (`x-contract-transition`)."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from specwright.conformance.checks.lists.listed_ids import listed_ids
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import OTHER_TENANT
from specwright.conformance.recording.exchange import Exchange
from specwright.pointer import join
from specwright.vocabulary.keywords.transition import TRANSITION, Transition

STATE_TRANSITION = BehaviourRule(
    "transition",
    BehaviourCategory.STATE,
    (
        "An operation is refused in states in which it is not allowed, and otherwise moves its "
        "resource to the declared state."
    ),
    example="a shipped order is cancelled, and answered with 200",
    advice=(
        "Check the state in the transaction that changes it, such as `UPDATE … WHERE status = "
        "…`, and refuse the request if no row was changed."
    ),
)

# How long a resource may take to show its new state, and the pause between two reads.
_SETTLED_SECONDS, _PAUSE_SECONDS = 2.0, 0.1
# The most requests to change the state of one resource.
_MOST_STEPS = 12


@scenario(after="rate limits", share=3)
def transitions(driver: Driver) -> None:
    """Call operations in the states of their resources in which they are allowed, and in others.

    The resources are new ones, as far as they can be created, and those that each tenant has.
    """
    if not any(driver.contract.declaring(TRANSITION)):
        return
    _transitions(driver)
    if OTHER_TENANT in driver.target.keys:
        with driver.target.as_main(OTHER_TENANT) as target:
            _transitions(Driver(driver.contract, target, driver.source))


def _transitions(driver: Driver) -> None:
    machines = defaultdict[tuple[ContractOperation, str], dict[ContractOperation, Transition]](dict)
    for operation, declared in driver.contract.declaring(TRANSITION):
        reader = driver.contract.by_id.get(declared.read.raw)
        if reader is not None:
            machines[reader, declared.at.raw][operation] = declared
    for (reader, at), moving in machines.items():
        _Machine(driver, reader, at, moving).run()


@dataclass(slots=True)
class _Machine:
    """The operations that change the state of one kind of resource.

    Attributes:
        at: the place of the state in the response of the reader.
        seen: the operations that were called in each state.
        stuck: those that did not move their resource as declared.
    """

    driver: Driver
    reader: ContractOperation
    at: str
    moving: Mapping[ContractOperation, Transition]
    seen: set[tuple[ContractOperation, str]] = field(default_factory=set)
    stuck: set[ContractOperation] = field(default_factory=set)

    def run(self) -> None:
        """Create resources until one shows nothing new, and then take those that are known."""
        path = shape(self.reader.site.key)
        makers = [
            operation
            for operation in self.driver.contract.operations.values()
            if operation.method == "POST" and shape(operation.site.key) == path[:-1]
        ]
        for maker in makers:
            known = -1
            while len(self.seen) > known:
                known = len(self.seen)
                created = self.driver.first_success(maker)
                call = None if created is None else next(self.driver.candidates(self.reader), None)
                if call is not None:
                    self._drive(call)
        self._look_around()
        for call in self._known():
            self._drive(call)
        record = self.driver.target.record
        for operation in self.moving.keys() - {each for each, _ in self.seen}:
            reason = "no resource was found, or its state could not be read"
            record.skip(STATE_TRANSITION, _place(operation), reason)

    def _look_around(self) -> None:
        """Call every operation that lists resources, to learn their ids."""
        for operation in self.driver.contract.operations.values():
            if operation.is_safe and not operation.template.names:
                self.driver.first_success(operation)

    def _known(self) -> Iterator[OperationCall]:
        """Yield a call of the reader for each resource that is listed, or known in another way."""
        names = [("path", name) for name in variables(self.reader.site.key)]
        slots = [slot for name in names for slot in self.reader.slots if slot.key == name]
        known = zip(*(self.driver.known(self.reader, slot) for slot in slots), strict=False)
        listed = [(id_,) for id_ in listed_ids(self.driver, self.reader)] if len(names) == 1 else []
        for values in dict.fromkeys([*listed, *known]):
            yield OperationCall(self.reader, dict(zip(names, values, strict=True)))

    def _drive(self, call: OperationCall) -> None:
        """Call the operations of a resource in each of its states until nothing new is left."""
        for _ in range(_MOST_STEPS):
            read, state = self._state(call)
            operation = None if state is None else self._next(state)
            if state is None or operation is None:
                return
            self.seen.add((operation, state))
            known = next(self.driver.candidates(operation), None)
            if known is None:
                return
            own, other = (variables(side.site.key) for side in (operation, call.operation))
            path = {
                ("path", name): call.arguments["path", read_as]
                for name, read_as in zip(own, other, strict=False)
            }
            sent = self.driver.send(replace(known, arguments={**known.arguments, **path}))
            moves = _moves(self.moving[operation])
            if state in moves:
                after = moves[state]
                if after is not None and _is_success(sent):
                    self._moved(operation, call, (read, sent), after)
            else:
                self._refused(operation, (read, sent), state)

    def _state(self, call: OperationCall) -> tuple[Exchange, str | None]:
        read = self.driver.send(call)
        value = read.response.at(self.at) if read.response is not None else None
        return read, value if isinstance(value, str) else None

    def _next(self, state: str) -> ContractOperation | None:
        """Return the operation to call: a refused one first, then one that allows others."""
        new = [mover for mover in self.moving if (mover, state) not in self.seen]
        allowed = {each: _moves(declared) for each, declared in self.moving.items()}
        refused = [mover for mover in new if state not in allowed[mover]]
        ways: list[tuple[ContractOperation, str]] = [
            (each, after)
            for each, moves in allowed.items()
            if each not in self.stuck and (after := moves.get(state))
        ]
        leading = [each for each, after in ways if self._is_new(after, {state})]
        return next(iter([*refused, *new, *leading]), None)

    def _is_new(self, state: str, passed: set[str]) -> bool:
        """Return whether anything new can be seen in a state, or in one that follows it."""
        if state in passed:
            return False
        if any((operation, state) not in self.seen for operation in self.moving):
            return True
        after = {_moves(declared).get(state) for declared in self.moving.values()} - {None}
        return any(self._is_new(str(next_state), passed | {state}) for next_state in after)

    def _moved(
        self,
        operation: ContractOperation,
        call: OperationCall,
        before: Sequence[Exchange],
        wanted: str,
    ) -> None:
        record, ends = self.driver.target.record, time.monotonic() + _SETTLED_SECONDS
        record.check(STATE_TRANSITION, _place(operation))
        read, state = self._state(call)
        while state not in (wanted, None) and time.monotonic() < ends:
            time.sleep(_PAUSE_SECONDS)
            read, state = self._state(call)
        if state not in (wanted, None):
            self.stuck.add(operation)
            message = f"the state is '{state}' after a success, not '{wanted}'"
            self._violate(operation, message, (*before, read))

    def _refused(
        self, operation: ContractOperation, exchanges: Sequence[Exchange], state: str
    ) -> None:
        """Judge a call that has to be refused; of several reasons for that, any may be given."""
        response = exchanges[-1].response
        if response is None:
            return
        self.driver.target.record.check(STATE_TRANSITION, _place(operation))
        if response.is_success:
            message = f"answered {response.status} in the state '{state}'"
            self._violate(operation, message, exchanges)

    def _violate(
        self, operation: ContractOperation, message: str, exchanges: Sequence[Exchange]
    ) -> None:
        place = _place(operation)
        self.driver.violate(STATE_TRANSITION, operation, message, *exchanges, at=place)


def _moves(declared: Transition) -> dict[str, str | None]:
    return {
        each.raw: None if after is None else after.raw for each, after in declared.moves.items()
    }


def _place(operation: ContractOperation) -> str:
    return operation.pointer + join(TRANSITION.name)


def _is_success(exchange: Exchange) -> bool:
    return exchange.succeeded
