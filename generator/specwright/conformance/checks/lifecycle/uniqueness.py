"""Resources of which there may be only one, made by several requests at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver, is_conflict
from specwright.conformance.recording.exchange import Exchange
from specwright.pointer import Pointer
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

UNIQUE_AT_ONCE = BehaviourRule(
    "unique-at-once",
    BehaviourCategory.STATE,
    "What is refused the second time is made once, also by requests at the same time.",
    example="four times POST /bookings for one slot at the same time -> 201 and 201",
    advice=(
        "Let a unique index of the database decide, or a lock that is held until the commit, "
        "and not a query before the insertion."
    ),
    weight=7,
)
_CONFLICT = 409
# Requests at the same time, and how often: a race is not always lost.
_AT_ONCE, _ROUNDS = 4, 3


@scenario(after="conditions")
def uniqueness(driver: Driver) -> None:
    """Make a resource twice; if the second is refused, make another one several times at once."""
    conflicts = _conflicts(driver)
    for maker in driver.contract.operations.values():
        success = driver.successes.get(maker.pointer)
        is_free = all(maker.get(keyword) is None for keyword in (CAPACITY, CHARGE, IDEMPOTENCY))
        has_conflicts = str(_CONFLICT) in maker.responses or maker.pointer in conflicts
        if maker.method != "POST" or success is None:
            continue
        if is_free and has_conflicts and isinstance(success[0].body, dict):
            _Trial(driver, maker, success[0]).run()


def _conflicts(driver: Driver) -> set[Pointer | None]:
    """Return the operations that responded with 409."""
    return {
        exchange.operation for exchange in driver.target.record.exchanges if is_conflict(exchange)
    }


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    maker: ContractOperation
    call: OperationCall

    def run(self) -> None:
        """Make a new resource twice, and further ones at once if the second time fails."""
        new = self.driver.renewed(self.call)
        first = self.driver.send(new)
        if not first.succeeded:
            return
        second = self.driver.probe(self.driver.with_fresh_key(new))
        if not is_conflict(second):
            return
        self.driver.target.record.check(UNIQUE_AT_ONCE, self.maker.pointer)
        for _ in range(_ROUNDS):
            successes = [exchange for exchange in self._at_once() if exchange.succeeded]
            if len(successes) > 1:
                message = "several creations at the same time succeed; in turn, one is refused"
                self.driver.violate(UNIQUE_AT_ONCE, self.maker, message, second, *successes[:2])
                return

    def _at_once(self) -> list[Exchange]:
        calls = [self.driver.renewed(self.call)] * _AT_ONCE
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(self.driver.probe, calls))
