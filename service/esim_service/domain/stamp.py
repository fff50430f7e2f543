"""The stamp of new records: an id and the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from ..store.changes.change import AccountChange
from ..store.statements.unit import Unit
from ..values.entities import Account, Scope
from ..values.ids import Ids, Prefix

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time of one unit of work, and ids for its new records.

    Attributes:
        now: the wall time that decides when jobs are due.
        latest: the date of the newest record.
    """

    now: int
    ids: Ids
    latest: int = 0

    @property
    def date(self) -> int:
        """The date for new records, later than that of any earlier record."""
        return self.now if self.now >= self.latest else self.latest + 1

    def under(self, account: Account) -> Stamp:
        """Return the stamp of a unit that holds an account, as of now."""
        return Stamp(self.ids.now(), self.ids, account.dated_at)

    def new(self, prefix: Prefix) -> str:
        """Return a new id; ids are ordered by date."""
        return self.ids.at(self.date, prefix)


AccountRule: TypeAlias = Callable[[Account, Stamp], Unit[tuple[Account, T]]]


def account_change(
    scope: Scope, subject: str, rule: AccountRule[T], stamp: Stamp, *, gives_way: bool = False
) -> AccountChange[T]:
    """Return a change with rules that also get a stamp, set once they hold the account."""
    return AccountChange(
        scope, subject, lambda account: rule(account, stamp.under(account)), gives_way=gives_way
    )
