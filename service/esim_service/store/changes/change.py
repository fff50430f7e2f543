"""Changes of a partner's data, by rules that receive the account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...values.entities import Account, Scope
from ..statements.unit import Unit
from ..tables import partners

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AccountChange(Generic[T]):
    """An operation done once about one subject of a partner.

    The account of the partner is locked before `rule` is called, and saved after it: the data of
    the partner that a change reads stays the same until the change is committed, and changes
    never deadlock. Several changes may share a transaction, in which none sees any writes, of
    another one or of its own, except for the account; so a change reads first, and two with one
    subject never share a transaction.

    Attributes:
        subject: names the order, the eSIM or the reference that is read or written; the change
            touches nothing else of the partner.
        rule: makes the unit that gets the account and returns its new state.
        gives_way: whether the change is refused while its subject is held as a name.
    """

    scope: Scope
    subject: str
    rule: Callable[[Account], Unit[tuple[Account, T]]]
    gives_way: bool = False


def run_single(change: AccountChange[T]) -> Unit[T]:
    """Make a change in its own transaction."""
    before = yield from partners.lock_account(change.scope)
    after, result = yield from change.rule(before)
    if after != before:
        yield from partners.save_account(after)
    return result
