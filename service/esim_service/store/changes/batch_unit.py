"""Many changes as one unit, in few statements."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...values.entities import Scope
from ..statements.batched_sql import merged_writes, run_merged
from ..statements.unit import Row, Statement, Unit
from ..tables import partners
from .change import AccountChange
from .database import HeldError, LockedError, UnitOutcome

T = TypeVar("T")


@dataclass(slots=True)
class _Running:
    """A running or finished unit, with its pending query and its writes."""

    unit: Unit[Any]
    outcome: UnitOutcome[Any]
    query: Statement | None = None
    writes: list[Statement] = field(default_factory=list)

    def resume(self, result: Sequence[Row] | None) -> None:
        """Pass on the rows of the query, and advance the unit to its next one."""
        self.query = None
        try:
            # Before its first statement, a generator accepts only None.
            statement = self.unit.send(result)  # type: ignore[arg-type]
            while not statement.has_rows:
                self.writes.append(statement)
                statement = self.unit.send(())
        except StopIteration as stop:
            self.outcome.result = stop.value
        except Exception as error:
            self.outcome.error = error
            self.writes.clear()
        else:
            self.query = statement


def batch_unit(
    changes: Sequence[AccountChange[Any]], key: Callable[[str], int], *, waits: bool = True
) -> Unit[Sequence[UnitOutcome[Any]]]:
    """Make changes with different subjects, each as if it were alone; return their outcomes.

    The changes of one account run one after the other, and those of different accounts side by
    side, where queries with the same SQL are merged. All writes are sent at the end, in one
    statement, so that a change that raises has written nothing.

    Args:
        key: returns the key of the advisory lock for a name.
        waits: whether to wait for accounts that another transaction holds; otherwise their changes
            are refused.
    """
    names = {change.subject: key(change.subject) for change in changes if change.gives_way}
    scopes = [change.scope for change in changes]
    before, held = yield from partners.lock_accounts(scopes, names.values(), waits=waits)
    accounts = dict(before)
    # No result of a query can change before the end.
    known: dict[Statement, Sequence[Row]] = {}
    writes: list[Statement] = []
    outcomes = [
        UnitOutcome[Any](error=_refusal(change, accounts, names, held)) for change in changes
    ]
    for turn in _turns(changes):
        running = [
            _Running(changes[place].rule(accounts[changes[place].scope]), outcomes[place])
            for place in turn
            if outcomes[place].error is None
        ]
        yield from _side_by_side(running, known)
        for unit in running:
            writes += unit.writes
            if unit.outcome.result is not None:
                after, unit.outcome.result = unit.outcome.result
                accounts[after.scope] = after
    for scope, account in accounts.items():
        if account != before[scope]:
            writes += partners.save_account(account)
    if writes:
        yield merged_writes(writes)
    return outcomes


def together(units: Sequence[Unit[T]]) -> Unit[Sequence[UnitOutcome[T]]]:
    """Run units that touch different rows, each as if it were alone.

    Their queries with the same SQL are merged, and their writes are one statement.
    """
    outcomes = [UnitOutcome[T]() for _ in units]
    running = [_Running(unit, outcome) for unit, outcome in zip(units, outcomes, strict=True)]
    yield from _side_by_side(running, {})
    if writes := [statement for started in running for statement in started.writes]:
        yield merged_writes(writes)
    return outcomes


def _side_by_side(running: Sequence[_Running], known: dict[Statement, Sequence[Row]]) -> Unit[None]:
    """Run units to their ends; `known` has the results of earlier queries, which stay valid."""
    for unit in running:
        unit.resume(None)
    while unfinished := [unit for unit in running if unit.query is not None]:
        queries = dict.fromkeys(unit.query for unit in unfinished if unit.query)
        new = [statement for statement in queries if statement not in known]
        known.update(zip(new, (yield from run_merged(new)), strict=True))
        for unit in unfinished:
            assert unit.query is not None
            unit.resume(known[unit.query])


def _refusal(
    change: AccountChange[Any],
    accounts: Container[Scope],
    names: Mapping[str, int],
    held: Container[int],
) -> Exception | None:
    """Return the reason a change cannot be made now, if any."""
    if change.scope not in accounts:
        return LockedError("another transaction holds the account")
    return HeldError() if names.get(change.subject) in held else None


def _turns(changes: Sequence[AccountChange[Any]]) -> Iterator[list[int]]:
    """Split changes into turns with at most one change per account."""
    waiting: dict[Scope, list[int]] = {}
    for place, change in enumerate(changes):
        waiting.setdefault(change.scope, []).append(place)
    while waiting:
        yield [places.pop(0) for places in waiting.values()]
        waiting = {scope: places for scope, places in waiting.items() if places}
