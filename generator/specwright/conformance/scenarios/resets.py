"""Orders that take everything away, such as the reset of a sandbox (`x-contract-reset`)."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import PAYMENT_REQUIRED

from specwright.conformance.behaviour_rules import Behaviour
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import Exchange, value_at
from specwright.conformance.recording.record import Violation
from specwright.conformance.scenarios.explore import ENOUGH, renew, takes_everything
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.reset import RESET, Reset


def finish(bench: Workbench) -> None:
    """Call what takes everything away, once nothing else needs it."""
    for operation in bench.contract.operations.values():
        declared = operation.declared["reset"]
        if declared is not None:
            _Trial(bench, operation, declared).run()
        elif takes_everything(operation):
            for _ in range(ENOUGH):
                bench.succeed(operation)


@dataclass(frozen=True, slots=True)
class _Trial:
    bench: Workbench
    operation: Operation
    declared: Reset

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(RESET.name)

    def run(self) -> None:
        """Reset some times, with something new before each, and look at what is there."""
        readings = [self._reset()]
        if readings[0]:
            self._charge()
        readings += [self._reset() for _ in range(ENOUGH - 1)]
        for each in self.declared.restores:
            exchanges = [
                found for reading in readings if (found := reading.get(each.operation.raw))
            ]
            values = {str(found.response and found.response.at(each.at.raw)) for found in exchanges}
            if len(values) > 1:
                said = f"{each.operation.raw} has another '{each.at.raw}' after each time"
                self._violate(said, *exchanges)

    def _reset(self) -> dict[str, Exchange]:
        """The answers afterwards that have what is restored, by operation."""
        renew(self.bench)
        before = {each.raw: self._read(each.raw) for each in self.declared.keeps}
        if self.bench.succeed(self.operation) is None:
            reason = "the operation never succeeded"
            self.bench.target.record.skip(Behaviour.RESET, self.place, reason)
            return {}
        for name in self.declared.empties:
            emptied = self._read(name.raw)
            if emptied is not None and self._ids(name.raw, emptied):
                self._violate(f"{name.raw} is not empty afterwards", emptied)
        for kept, then in before.items():
            now = self._read(kept)
            if then and now and self._ids(kept, then) - self._ids(kept, now):
                self._violate(f"{kept} has lost items", then, now)
        answers = {
            each.operation.raw: self._read(each.operation.raw) for each in self.declared.restores
        }
        return {name: each for name, each in answers.items() if each is not None}

    def _charge(self) -> None:
        """Call again what takes from a restored balance: all of it may have been spent before."""
        restored = {(each.operation.raw, each.at.raw) for each in self.declared.restores}
        for operation in self.bench.contract.operations.values():
            charge = operation.declared["charge"]
            if charge is None or (charge.balance.raw, charge.at.raw) not in restored:
                continue
            unpaid = None
            for call in self.bench.candidates(operation):
                exchange = self.bench.send(call)
                if exchange.response is not None and exchange.response.is_success:
                    break
                if exchange.response is not None and exchange.response.status == PAYMENT_REQUIRED:
                    unpaid = exchange
            else:
                if unpaid is not None:
                    self._violate(f"nothing is left for {operation.name} afterwards", unpaid)

    def _read(self, name: str) -> Exchange | None:
        found = self.bench.succeed(self.bench.contract.by_id[name])
        if found is None:
            self.bench.target.record.skip(Behaviour.RESET, self.place, f"{name} never succeeded")
            return None
        self.bench.target.record.check(Behaviour.RESET, self.place)
        return found[1]

    def _ids(self, name: str, exchange: Exchange) -> set[str]:
        """The ids of the items of a list."""
        page = self.bench.contract.by_id[name].declared["pagination"]
        if page is None or page.id is None or exchange.response is None:
            self.bench.target.record.skip(Behaviour.RESET, self.place, f"{name} is no list")
            return set()
        items = exchange.response.at(page.items.raw)
        listed = items if isinstance(items, list) else []
        return {str(value_at(each, page.id.raw)) for each in listed}

    def _violate(self, message: str, *exchanges: Exchange) -> None:
        self.bench.target.record.violate(
            Violation(Behaviour.RESET, self.place, f"{self.operation.name}: {message}", exchanges)
        )
