"""Many changes as one unit, in few statements."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...values.entities import Scope
from ..statements.batched_sql import answers, written
from ..statements.unit import Row, Statement, Unit
from ..tables import partners
from .change import Change
from .database import HeldError, LockedError
from .outcome import Outcome

T = TypeVar("T")


@dataclass(slots=True)
class _Running:
    """A unit that has asked for something or is at its end, and what it is going to write."""

    unit: Unit[Any]
    outcome: Outcome[Any]
    asks: Statement | None = None
    writes: list[Statement] = field(default_factory=list)

    def go_on(self, found: Sequence[Row] | None) -> None:
        """Hand over what was asked for, and let the unit come to its next question."""
        self.asks = None
        try:
            # Before its first statement, nothing can be sent to a generator.
            statement = self.unit.send(found)  # type: ignore[arg-type]
            while not statement.has_rows:
                self.writes.append(statement)
                statement = self.unit.send(())
        except StopIteration as stop:
            self.outcome.result = stop.value
        except Exception as error:
            self.outcome.error = error
            self.writes.clear()
        else:
            self.asks = statement


def batch_unit(
    changes: Sequence[Change[Any]], key: Callable[[str], int], *, waits: bool = True
) -> Unit[Sequence[Outcome[Any]]]:
    """Make changes whose subjects differ, each as if it were alone; return what became of them.

    The changes of one account come one after the other, and those of different accounts side by
    side: what they ask in the same words is asked once. What they write is written at the end, in
    one statement, so that one which raises has written nothing.

    Args:
        key: of the advisory lock by which a name is held.
        waits: whether to wait for accounts that another transaction holds; what is to change them
            is refused otherwise.
    """
    names = {each.subject: key(each.subject) for each in changes if each.gives_way}
    scopes = [each.scope for each in changes]
    before, held = yield from partners.lock_accounts(scopes, names.values(), waits=waits)
    accounts = dict(before)
    # Nothing that a change reads can differ before the end.
    known: dict[Statement, Sequence[Row]] = {}
    writes: list[Statement] = []
    outcomes = [Outcome[Any](error=_refusal(each, accounts, names, held)) for each in changes]
    for turn in _turns(changes):
        running = [
            _Running(changes[place].act(accounts[changes[place].scope]), outcomes[place])
            for place in turn
            if outcomes[place].error is None
        ]
        yield from _side_by_side(running, known)
        for each in running:
            writes += each.writes
            if each.outcome.result is not None:
                after, each.outcome.result = each.outcome.result
                accounts[after.scope] = after
    for scope, account in accounts.items():
        if account != before[scope]:
            writes += partners.save_account(account)
    if writes:
        yield written(writes)
    return outcomes


def together(units: Sequence[Unit[T]]) -> Unit[Sequence[Outcome[T]]]:
    """Run units as if each were alone, none of which has to do with the rows of another one.

    What they ask in the same words is asked once, and what they write is one statement.
    """
    outcomes = [Outcome[T]() for _ in units]
    running = [_Running(unit, outcome) for unit, outcome in zip(units, outcomes, strict=True)]
    yield from _side_by_side(running, {})
    if writes := [statement for each in running for statement in each.writes]:
        yield written(writes)
    return outcomes


def _side_by_side(running: Sequence[_Running], known: dict[Statement, Sequence[Row]]) -> Unit[None]:
    """Let units come to their ends; `known` is what was asked before and is so until the end."""
    for each in running:
        each.go_on(None)
    while asking := [each for each in running if each.asks is not None]:
        asked = dict.fromkeys(each.asks for each in asking if each.asks)
        new = [statement for statement in asked if statement not in known]
        known.update(zip(new, (yield from answers(new)), strict=True))
        for each in asking:
            assert each.asks is not None
            each.go_on(known[each.asks])


def _refusal(
    change: Change[Any],
    accounts: Container[Scope],
    names: Mapping[str, int],
    held: Container[int],
) -> Exception | None:
    """Return why a change cannot be made now, if so."""
    if change.scope not in accounts:
        return LockedError("another transaction holds the account")
    return HeldError() if names.get(change.subject) in held else None


def _turns(changes: Sequence[Change[Any]]) -> Iterator[list[int]]:
    """Part changes so that each turn has at most one of each account."""
    waiting: dict[Scope, list[int]] = {}
    for place, change in enumerate(changes):
        waiting.setdefault(change.scope, []).append(place)
    while waiting:
        yield [places.pop(0) for places in waiting.values()]
        waiting = {scope: places for scope, places in waiting.items() if places}
