"""The reset of a partner's sandbox."""

from __future__ import annotations

from ..store.statements.unit import Unit
from ..store.tables import epochs, partners
from ..values.entities import Account, Scope
from ..values.money import UNITS_PER_DOLLAR
from . import ledger
from .stamp import Stamp

TEST_BALANCE = 1000 * UNITS_PER_DOLLAR


def reset(scope: Scope, stamp: Stamp) -> Unit[Account]:
    """Start the sandbox from scratch; keys, endpoints and the sequence of events are kept."""
    account = yield from partners.lock_account(scope)
    stamp = stamp.under(account)
    yield from epochs.begin(scope)
    missing = TEST_BALANCE - account.balance
    account = yield from ledger.post(account, "reset", missing, None, stamp)
    yield from partners.save_account(account)
    return account
