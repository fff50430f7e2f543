"""The ledger: every change of a balance is an entry, and entries are never changed."""

from __future__ import annotations

from dataclasses import replace

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import partners
from ..values.entities import Account, LedgerKind
from ..values.ids import Prefix
from ..values.money import to_text
from . import bodies, events
from .stamp import Stamp


def post(
    account: Account, kind: LedgerKind, amount: int, subject_id: str | None, stamp: Stamp
) -> Unit[Account]:
    """Change a balance; the caller locks the account and saves it."""
    account = replace(
        account, balance=account.balance + amount, updated_at=stamp.date, dated_at=stamp.date
    )
    entry_id = stamp.new(Prefix.LEDGER_ENTRY)
    yield from partners.add_entry(account, entry_id, kind, amount, subject_id)
    low = is_low(account)
    if low and not account.low_reported:
        account = yield from events.emit(account, "balance.low", bodies.balance(account), stamp)
    return replace(account, low_reported=low)


def is_low(account: Account) -> bool:
    """Return whether a balance is below its threshold."""
    return account.balance < account.low_threshold


def require(account: Account, amount: int) -> None:
    """Check that an account can pay an amount.

    Raises:
        Problem: the balance is too low.
    """
    if account.balance >= amount:
        return
    required, available = to_text(amount), to_text(account.balance)
    message = f"This costs {required} USD, the balance is {available} USD."
    detail = {
        "param": None,
        "code": "insufficient_balance",
        "message": message,
        "required_usd": required,
        "balance_usd": available,
    }
    raise Problem("insufficient_balance", message, details=[detail])


def charge(
    account: Account, kind: LedgerKind, amount: int, subject_id: str, stamp: Stamp
) -> Unit[Account]:
    """Charge an amount to a balance.

    Raises:
        Problem: the balance is too low.
    """
    require(account, amount)
    return (yield from post(account, kind, -amount, subject_id, stamp))
