"""Operations that delete everything, such as the reset of a sandbox (`x-contract-reset`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import PAYMENT_REQUIRED

from specwright.conformance.checks.requests.explore import ENOUGH, renew, takes_everything
from specwright.conformance.contract.contract import Operation
from specwright.conformance.driver.workbench import Workbench
from specwright.conformance.recording.exchange import Exchange, value_at
from specwright.conformance.recording.record import Violation
from specwright.conformance.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.scenario import scenario
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.reset import RESET, Reset

RESET_STATE = BehaviourRule(
    "reset",
    BehaviourCategory.STATE,
    "A reset restores the declared state.",
    example="POST /reset -> 204, and the earlier invoices are still listed",
    advice="Delete everything that the declaration names, in one transaction.",
)


@scenario(after="reset scope")
def finish(bench: Workbench) -> None:
    """Call the operations that delete everything, after all other scenarios."""
    for operation in bench.contract.operations.values():
        declared = operation.get(RESET)
        if declared is not None:
            _Trial(bench, operation, declared).run()
        elif takes_everything(operation):
            for _ in range(ENOUGH):
                bench.succeed(operation)


@scenario(after="choices below", name="restoration")
def restored(bench: Workbench) -> None:
    """Restore balances by a reset, before the steps with the most requests."""
    for operation, declared in bench.contract.declaring(RESET):
        if declared.restores and bench.succeed(operation) is not None:
            renew(bench)


@dataclass(frozen=True, slots=True)
class _Trial:
    bench: Workbench
    operation: Operation
    declared: Reset

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(RESET.name)

    def run(self) -> None:
        """Reset twice, and report only violations of both times.

        A request of an earlier step may still have been in progress and disturb the first series.
        """
        if list(self._series()):
            for found in self._series():
                self.bench.target.record.violate(found)

    def _series(self) -> Iterator[Violation]:
        """Reset several times, with new resources before each, and check the resulting data."""
        readings: list[dict[str, Exchange]] = []
        for _ in range(ENOUGH):
            renew(self.bench)
            before = {keep.raw: self._read(keep.raw) for keep in self.declared.keeps}
            if self.bench.succeed(self.operation) is None:
                reason = "the operation never succeeded"
                self.bench.target.record.skip(RESET_STATE, self.place, reason)
                continue
            yield from self._emptied()
            yield from self._kept(before)
            readings.append(self._restored())
            if len(readings) == 1:
                yield from self._charged()
        yield from self._equal(readings)

    def _emptied(self) -> Iterator[Violation]:
        for name in self.declared.empties:
            found = self._read(name.raw)
            if found is not None and self._ids(name.raw, found):
                yield self._violation(f"{name.raw} is not empty afterwards", found)

    def _kept(self, before: Mapping[str, Exchange | None]) -> Iterator[Violation]:
        for name, then in before.items():
            now = self._read(name)
            if then and now and self._ids(name, then) - self._ids(name, now):
                yield self._violation(f"{name} has lost items", then, now)

    def _restored(self) -> dict[str, Exchange]:
        """Return the responses with restored values, by operation."""
        answers = {
            restore.operation.raw: self._read(restore.operation.raw)
            for restore in self.declared.restores
        }
        return {name: each for name, each in answers.items() if each is not None}

    def _charged(self) -> Iterator[Violation]:
        """Call operations that charge a restored balance, which may have been used up before."""
        restored = {(restore.operation.raw, restore.at.raw) for restore in self.declared.restores}
        for operation, charge in self.bench.contract.declaring(CHARGE):
            if (charge.balance.raw, charge.at.raw) not in restored:
                continue
            unpaid = None
            for call in self.bench.candidates(operation):
                exchange = self.bench.send(call)
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
                found for reading in readings if (found := reading.get(restore.operation.raw))
            ]
            values = {
                str(found.response and found.response.at(restore.at.raw)) for found in exchanges
            }
            if len(values) > 1:
                said = (
                    f"{restore.operation.raw} has a different '{restore.at.raw}' after each reset"
                )
                yield self._violation(said, *exchanges)

    def _read(self, name: str) -> Exchange | None:
        found = self.bench.succeed(self.bench.contract.by_id[name])
        if found is None:
            self.bench.target.record.skip(RESET_STATE, self.place, f"{name} never succeeded")
            return None
        self.bench.target.record.check(RESET_STATE, self.place)
        return found[1]

    def _ids(self, name: str, exchange: Exchange) -> set[str]:
        """Return the ids of the items of a list."""
        page = self.bench.contract.by_id[name].get(PAGINATION)
        if page is None or page.id is None or exchange.response is None:
            self.bench.target.record.skip(RESET_STATE, self.place, f"{name} is not a list")
            return set()
        items = exchange.response.at(page.items.raw)
        listed = items if isinstance(items, list) else []
        return {str(value_at(each, page.id.raw)) for each in listed}

    def _violation(self, message: str, *exchanges: Exchange) -> Violation:
        name = self.operation.name
        return Violation(RESET_STATE, self.place, message, exchanges, operation=name)
