"""What changes for one partner, by rules that are given the account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...values.entities import Account, Scope
from ..statements.unit import Unit
from ..tables import partners

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """Something that is done once about one subject of a partner.

    The account of the partner is held before `act` is called, and stored after it: whatever a
    change reads of its partner stays as it is until the change is committed, and no two changes
    wait for each other in a circle. Several changes may share a transaction, in which none sees
    what is written, by another one or by itself, but for the account; so a change reads first,
    and two with one subject never share a transaction.

    Attributes:
        subject: names the order, the eSIM or the reference that is read or written, and nothing
            else of the partner is.
        act: makes the unit that gets the account and returns it as it is afterwards.
        gives_way: whether the change is refused while somebody holds its subject as a name.
    """

    scope: Scope
    subject: str
    act: Callable[[Account], Unit[tuple[Account, T]]]
    gives_way: bool = False


def alone(change: Change[T]) -> Unit[T]:
    """Make a change in a transaction of its own."""
    before = yield from partners.lock_account(change.scope)
    after, result = yield from change.act(before)
    if after != before:
        yield from partners.save_account(after)
    return result
