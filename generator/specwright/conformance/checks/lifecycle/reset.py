"""Operations that delete everything, such as the reset of a sandbox (`x-contract-reset`).

The data after a reset is the declared state, and the data of others stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import PAYMENT_REQUIRED

from specwright.conformance.checks.idempotency.used_keys import Keys
from specwright.conformance.checks.requests.explore import (
    ENOUGH,
    PAUSE_SECONDS,
    renew,
    takes_everything,
)
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import ABSENT, OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.page_arguments import with_value
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIVE_MODE, MAIN, OTHER_TENANT
from specwright.conformance.recording.exchange import Exchange, value_at
from specwright.conformance.recording.record import Violation
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, Idempotency
from specwright.vocabulary.keywords.pagination import PAGINATION, is_in_body
from specwright.vocabulary.keywords.reset import RESET, Reset

RESET_STATE = BehaviourRule(
    "reset",
    BehaviourCategory.STATE,
    "A reset restores the declared state.",
    example="POST /reset -> 204, and the earlier invoices are still listed",
    advice="Delete everything that the declaration names, in one transaction.",
)


@scenario(after="reset scope")
def finish(driver: Driver) -> None:
    """Call the operations that delete everything, after all other scenarios."""
    for operation in driver.contract.operations.values():
        declared = operation.get(RESET)
        if declared is not None:
            _StateTrial(driver, operation, declared).run()
        elif takes_everything(driver.contract, operation):
            for _ in range(ENOUGH):
                driver.first_success(operation)


@scenario(after="choices below", name="restoration")
def restored(driver: Driver) -> None:
    """Restore balances by a reset, before the steps with the most requests."""
    for operation, declared in driver.contract.declaring(RESET):
        if declared.restores and driver.first_success(operation) is not None:
            renew(driver)


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    operation: ContractOperation
    declared: Reset

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(RESET.name)

    def _ids(self, name: str, exchange: Exchange) -> set[str]:
        """Return the ids of the items of a list."""
        page = self.driver.contract.by_id[name].get(PAGINATION)
        if page is None or page.id is None or exchange.response is None:
            self.driver.target.record.skip(RESET_STATE, self.place, f"{name} is not a list")
            return set()
        items = exchange.response.at(page.items.raw)
        listed = items if isinstance(items, list) else []
        return {str(value_at(item, page.id.raw)) for item in listed}


class _StateTrial(_Trial):
    def run(self) -> None:
        """Reset twice, and report only violations of both times.

        A request of an earlier step may still have been in progress and disturb the first series.
        """
        if list(self._series()):
            for violation in self._series():
                self.driver.target.record.violate(violation)

    def _series(self) -> Iterator[Violation]:
        """Reset several times, with new resources before each, and check the resulting data."""
        readings: list[dict[str, Exchange]] = []
        for _ in range(ENOUGH):
            renew(self.driver)
            before = {keep.raw: self._read(keep.raw) for keep in self.declared.keeps}
            if self.driver.first_success(self.operation) is None:
                reason = "the operation never succeeded"
                self.driver.target.record.skip(RESET_STATE, self.place, reason)
                continue
            yield from self._emptied()
            yield from self._kept(before)
            readings.append(self._restored())
            if len(readings) == 1:
                yield from self._charged()
        yield from self._equal(readings)

    def _emptied(self) -> Iterator[Violation]:
        for name in self.declared.empties:
            listed = self._read(name.raw)
            if listed is not None and self._ids(name.raw, listed):
                yield self._violation(f"{name.raw} is not empty afterwards", listed)

    def _kept(self, before: Mapping[str, Exchange | None]) -> Iterator[Violation]:
        for name, then in before.items():
            now = self._read(name)
            if then and now and self._ids(name, then) - self._ids(name, now):
                yield self._violation(f"{name} has lost items", then, now)

    def _restored(self) -> dict[str, Exchange]:
        """Return the responses with restored values, by operation."""
        exchanges = {
            restore.operation.raw: self._read(restore.operation.raw)
            for restore in self.declared.restores
        }
        return {name: each for name, each in exchanges.items() if each is not None}

    def _charged(self) -> Iterator[Violation]:
        """Call operations that charge a restored balance, which may have been used up before."""
        restored = {(restore.operation.raw, restore.at.raw) for restore in self.declared.restores}
        for operation, charge in self.driver.contract.declaring(CHARGE):
            if (charge.balance.raw, charge.at.raw) not in restored:
                continue
            unpaid = None
            for call in self.driver.candidates(operation):
                exchange = self.driver.send(call)
                if exchange.succeeded:
                    break
                if exchange.response is not None and exchange.response.status == PAYMENT_REQUIRED:
                    unpaid = exchange
            else:
                if unpaid is not None:
                    yield self._violation(
                        f"nothing is left for {operation.name} afterwards", unpaid
                    )

    def _equal(self, readings: Sequence[Mapping[str, Exchange]]) -> Iterator[Violation]:
        for restore in self.declared.restores:
            exchanges = [
                exchange for reading in readings if (exchange := reading.get(restore.operation.raw))
            ]
            values = {
                str(exchange.response and exchange.response.at(restore.at.raw))
                for exchange in exchanges
            }
            if len(values) > 1:
                message = (
                    f"{restore.operation.raw} has a different '{restore.at.raw}' after each reset"
                )
                yield self._violation(message, *exchanges)

    def _read(self, name: str) -> Exchange | None:
        success = self.driver.first_success(self.driver.contract.by_id[name])
        if success is None:
            self.driver.target.record.skip(RESET_STATE, self.place, f"{name} never succeeded")
            return None
        self.driver.target.record.check(RESET_STATE, self.place)
        return success[1]

    def _violation(self, message: str, *exchanges: Exchange) -> Violation:
        name = self.operation.name
        return Violation(RESET_STATE, self.place, message, exchanges, operation=name)


# How long a new item may take to appear in a feed, and the number of its pages to follow.
_PATIENCE_SECONDS = 5.0
_PAGES = 40


@scenario(after="transitions")
def reset_scope(driver: Driver) -> None:
    """Reset with the keys of others, and check the data that stays and the data that is new."""
    for operation, declared in driver.contract.declaring(RESET):
        _ScopeTrial(driver, operation, declared).run()


class _ScopeTrial(_Trial):
    def run(self) -> None:
        """Reset once in live mode, and once as this tenant."""
        # What new items cost may have been used up.
        self.driver.first_success(self.operation)
        self._is_apart(LIVE_MODE, "live mode")
        for _ in range(ENOUGH):
            renew(self.driver)
        self._fill(OTHER_TENANT)
        theirs = self._listed(OTHER_TENANT)
        self._again()
        self._keeps(theirs, self._listed(OTHER_TENANT), "deletes data of another tenant")

    def _is_apart(self, role: str, whose: str) -> None:
        """Check that a reset with a key of another role keeps the data of this one."""
        if role in self.driver.target.keys:
            renew(self.driver)
            before = self._listed(MAIN)
            call = next(self.driver.candidates(self.operation), None)
            if call is not None:
                self.driver.probe(call, role)
                self._keeps(
                    before,
                    self._listed(MAIN),
                    f"with a key of {whose} deletes data of this tenant",
                )

    def _fill(self, role: str) -> None:
        """Create a resource in each emptied list as another role."""
        if role in self.driver.target.keys:
            for call, _, _ in self._keyed():
                self.driver.probe(self.driver.with_fresh_key(call), role)

    def _listed(self, role: str) -> dict[str, Exchange]:
        """Return the lists that a reset empties, as a role sees them."""
        if role not in self.driver.target.keys:
            return {}
        calls = {
            empty.raw: next(self.driver.candidates(self.driver.contract.by_id[empty.raw]), None)
            for empty in self.declared.empties
        }
        return {name: self.driver.probe(each, role) for name, each in calls.items() if each}

    def _keeps(self, before: dict[str, Exchange], after: dict[str, Exchange], how: str) -> None:
        for name, then in before.items():
            if self._ids(name, then) and not self._ids(name, after[name]):
                self._violate(f"{how}: {name} is empty", then, after[name])

    def _again(self) -> None:
        """Reset between two requests with one key, and between two reads of a resumable list."""
        first = list(self._keyed())
        places = list(self._places())
        if self.driver.first_success(self.operation) is None:
            return
        for call, declared, before in first:
            again = self.driver.probe(call)
            if Keys(self.driver, call.operation, declared).is_taken(again.response):
                message = f"a key of {call.operation.name} is still treated as used afterwards"
                self._violate(message, before, again)
        for fresh, later, before in places:
            self._goes_on(fresh, later, before)

    def _keyed(self) -> Iterator[tuple[OperationCall, Idempotency, Exchange]]:
        """Yield requests with keys that create resources in an emptied list."""
        emptied = {
            self.driver.contract.by_id[empty.raw].site.key for empty in self.declared.empties
        }
        for operation, declared in self.driver.contract.declaring(IDEMPOTENCY):
            success = self.driver.successes.get(operation.pointer)
            if success is not None and operation.site.key in emptied:
                call = self.driver.with_fresh_key(success[0])
                exchange = self.driver.probe(call)
                if exchange.succeeded:
                    yield call, declared, exchange

    def _places(self) -> Iterator[tuple[OperationCall, OperationCall, Exchange]]:
        """Yield calls of emptied feeds, from their start and from their end, with the last page."""
        for name in self.declared.empties:
            operation = self.driver.contract.by_id[name.raw]
            page = operation.get(PAGINATION)
            success = self.driver.successes.get(operation.pointer)
            if success is None or page is None or page.cursor is None or page.next is None:
                continue
            if not page.resume:
                continue
            fresh = OperationCall(operation, {}, {} if is_in_body(page.cursor) else ABSENT)
            # With fewer items before the reset, a list that starts again could look the same.
            self._has(fresh, ENOUGH)
            exchange = self.driver.probe(fresh)
            for _ in range(_PAGES):
                cursor = exchange.response and exchange.response.at(page.next.raw)
                more = page.more and exchange.response and exchange.response.at(page.more.raw)
                if not cursor:
                    return
                later = with_value(fresh, page.cursor, cursor)
                if not more:
                    yield fresh, later, exchange
                    break
                exchange = self.driver.probe(later)

    def _goes_on(self, fresh: OperationCall, later: OperationCall, before: Exchange) -> None:
        """Check that items after a reset follow the position of the feed before it."""
        renew(self.driver)
        if not self._has(fresh, 1):
            return
        name, after = str(fresh.operation.site.id), self.driver.probe(later)
        self.driver.target.record.check(RESET_STATE, self.place)
        status = None if after.response is None else after.response.status
        is_busy = status is None or status == 429 or after.is_busy
        if not is_busy and not self._ids(name, after):
            message = f"{name} shows no new items after its previous position"
            self._violate(message, before, after)

    def _has(self, call: OperationCall, count: int) -> bool:
        """Wait until a list has a number of items; return whether it has."""
        name, ends = str(call.operation.site.id), time.monotonic() + _PATIENCE_SECONDS
        while len(self._ids(name, self.driver.probe(call))) < count:
            if time.monotonic() > ends:
                return False
            time.sleep(PAUSE_SECONDS)
        return True

    def _violate(self, message: str, *exchanges: Exchange) -> None:
        self.driver.violate(RESET_STATE, self.operation, message, *exchanges, at=self.place)
