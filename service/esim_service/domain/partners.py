"""Partners, their accounts in each mode, and the keys issued to them."""

from __future__ import annotations

from typing import get_args

from ..store.statements.unit import Unit
from ..store.tables import partners as store
from ..values.entities import Account, Mode, Partner, PartnerKey, Scope
from ..values.ids import Prefix
from ..values.money import UNITS_PER_DOLLAR
from . import ledger
from .sandbox import TEST_BALANCE
from .stamp import Stamp

LOW_THRESHOLD = 100 * UNITS_PER_DOLLAR


def ensure(name: str, stamp: Stamp) -> Unit[Partner]:
    """Return the partner with a name, created if it does not exist."""
    partner = Partner(stamp.new(Prefix.PARTNER), name, "active", stamp.now)
    if not (yield from store.add_partner(partner)):
        known = yield from store.partner_named(name)
        if known is None:
            raise LookupError(f"the partner {name} is gone")
        return known
    for mode in get_args(Mode):
        # An account starts empty and low, so that only a later drop is reported.
        account = Account(
            scope=Scope(partner.partner_id, mode),
            balance=0,
            low_threshold=LOW_THRESHOLD,
            low_reported=True,
            last_event=0,
            purged_event=0,
            updated_at=stamp.now,
            dated_at=stamp.now,
        )
        yield from store.add_account(account)
        if mode == "test":
            yield from credit(account.scope, TEST_BALANCE, stamp)
    return partner


def credit(scope: Scope, amount: int, stamp: Stamp) -> Unit[Account]:
    """Add an amount to the balance of an account."""
    account = yield from store.lock_account(scope)
    account = yield from ledger.post(account, "credit", amount, None, stamp.under(account))
    yield from store.save_account(account)
    return account


def issue_key(
    scope: Scope,
    digest: bytes,
    hint: str,
    stamp: Stamp,
    *,
    read_limit: int | None = None,
    write_limit: int | None = None,
    expires_at: int | None = None,
) -> Unit[PartnerKey]:
    """Store a new key, given only its digest and a hint."""
    key = PartnerKey(
        key_id=stamp.new(Prefix.KEY),
        digest=digest,
        hint=hint,
        scope=scope,
        read_limit=read_limit,
        write_limit=write_limit,
        created_at=stamp.now,
        expires_at=expires_at,
    )
    yield from store.add_key(key)
    return key
