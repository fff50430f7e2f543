"""Orders that a query parameter chooses (`x-contract-sort`)."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.scenarios.explore import renew
from specwright.pointer import join
from specwright.vocabulary.keywords.sort import SORT


def sorting(bench: Workbench) -> None:
    """Ask for every order that is declared; the monitors hold the answers to it."""
    record = bench.target.record
    for operation in bench.contract.operations.values():
        for slot in operation.slots:
            if slot.sort is None:
                continue
            place = slot.site.pointer + join(SORT.name)
            made = bench.succeed(operation)
            if made is None:
                record.skip(Behaviour.ORDER, place, "the operation never succeeded")
                continue
            # One item is in every order.
            renew(bench)
            for value in slot.sort.orders:
                bench.ask(made[0].with_argument(slot.key, value.raw))
            if place not in record.checked.get(Behaviour.ORDER, ()):
                record.skip(Behaviour.ORDER, place, "the list never had two items")
