"""Partners, their keys, and their accounts with the ledger."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...values.entities import Account, LedgerKind, Mode, Partner, PartnerKey, Principal, Scope
from ...values.ids import Prefix, first
from ..statements.unit import Row, Unit, execute, insert, row, rows


@dataclass(frozen=True, slots=True)
class Usage:
    """The purchases of a partner in one mode.

    Attributes:
        refunds: of orders and top-ups that failed, also of those bought earlier.
        charged: payments minus refunds.
    """

    partner: str
    mode: Mode
    orders: int
    topups: int
    refunds: int
    charged: int


def add_partner(partner: Partner) -> Unit[bool]:
    """Store a new partner; return False if the name is taken."""
    record = yield from row(
        "INSERT INTO partners (partner_id, name, status, created_at) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT (name) DO NOTHING RETURNING partner_id",
        *(partner.partner_id, partner.name, partner.status, partner.created_at),
    )
    return record is not None


def partner_named(name: str) -> Unit[Partner | None]:
    """Find a partner by name."""
    record = yield from row("SELECT * FROM partners WHERE name = $1", name)
    return None if record is None else _partner(record)


def all_partners() -> Unit[Sequence[Partner]]:
    """Return all partners by name."""
    result = yield from rows("SELECT * FROM partners ORDER BY name")
    return [_partner(record) for record in result]


def set_status(partner_id: str, status: str) -> Unit[None]:
    """Set the status of a partner, to suspend or reactivate it."""
    yield from execute("UPDATE partners SET status = $2 WHERE partner_id = $1", partner_id, status)


def add_key(key: PartnerKey) -> Unit[None]:
    """Store a new key."""
    yield from insert(
        "api_keys",
        key_id=key.key_id,
        digest=key.digest,
        hint=key.hint,
        partner_id=key.scope.partner_id,
        mode=key.scope.mode,
        read_limit=key.read_limit,
        write_limit=key.write_limit,
        created_at=key.created_at,
        expires_at=key.expires_at,
    )


# A key is in force at the time in the parameter with this number.
_IN_FORCE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${})"


def principal(digest: bytes, now: int) -> Unit[Principal | None]:
    """Return the principal of the key with a digest, unless the key is revoked or expired."""
    record = yield from row(
        "SELECT k.*, p.status FROM api_keys k JOIN partners p ON p.partner_id = k.partner_id"
        f" WHERE k.digest = $1 AND {_IN_FORCE.format(2)}",
        digest,
        now,
    )
    if record is None:
        return None
    return Principal(
        scope=Scope(record["partner_id"], record["mode"]),
        key_id=record["key_id"],
        suspended=record["status"] == "suspended",
        read_limit=record["read_limit"],
        write_limit=record["write_limit"],
        expires_at=record["expires_at"],
    )


def keys() -> Unit[Sequence[PartnerKey]]:
    """Return all keys, oldest first."""
    result = yield from rows("SELECT * FROM api_keys ORDER BY key_id")
    return [
        PartnerKey(
            key_id=record["key_id"],
            digest=record["digest"],
            hint=record["hint"],
            scope=Scope(record["partner_id"], record["mode"]),
            read_limit=record["read_limit"],
            write_limit=record["write_limit"],
            created_at=record["created_at"],
            expires_at=record["expires_at"],
            revoked_at=record["revoked_at"],
        )
        for record in result
    ]


def has_live_keys(now: int) -> Unit[bool]:
    """Return whether a live key is in force."""
    query = f"SELECT key_id FROM api_keys WHERE mode = 'live' AND {_IN_FORCE.format(1)} LIMIT 1"
    return bool((yield from rows(query, now)))


def revoke_key(key_id: str, now: int) -> Unit[bool]:
    """Revoke a key; return False if no key in force has this id."""
    record = yield from row(
        "UPDATE api_keys SET revoked_at = $2 WHERE key_id = $1 AND revoked_at IS NULL"
        " RETURNING key_id",
        *(key_id, now),
    )
    return record is not None


def add_account(account: Account) -> Unit[None]:
    """Store a new account."""
    yield from insert(
        "accounts",
        partner_id=account.scope.partner_id,
        mode=account.scope.mode,
        epoch=account.scope.mode,
        balance=account.balance,
        low_threshold=account.low_threshold,
        low_reported=int(account.low_reported),
        last_event=account.last_event,
        purged_event=account.purged_event,
        updated_at=account.updated_at,
        dated_at=account.dated_at,
    )


def account(scope: Scope) -> Unit[Account]:
    """Return an account without a lock."""
    result = yield from rows(
        "SELECT * FROM accounts WHERE partner_id = $1 AND mode = $2", scope.partner_id, scope.mode
    )
    return _account(result[0])


def lock_account(scope: Scope) -> Unit[Account]:
    """Return an account, locked until this transaction ends.

    This comes first in a transaction, before any other read or write: all changes of a partner's
    data wait here and nowhere else, and so never deadlock.
    """
    result = yield from rows(
        "SELECT * FROM accounts WHERE partner_id = $1 AND mode = $2 FOR UPDATE",
        *(scope.partner_id, scope.mode),
    )
    return _account(result[0])


def lock_accounts(
    scopes: Collection[Scope], keys: Collection[int], *, waits: bool = True
) -> Unit[tuple[dict[Scope, Account], Collection[int]]]:
    """Return several accounts like `lock_account`; every transaction locks them in one order.

    Without `waits`, accounts that another transaction holds are left out.

    Also returns those of the advisory lock keys that are held; the others are held as shared until
    this transaction ends, without waiting.

    Only PostgreSQL, where several changes share a transaction, needs this.
    """
    result = yield from rows(
        "SELECT *, ARRAY(SELECT key FROM unnest($3::bigint[]) AS asked (key)"
        " WHERE NOT pg_try_advisory_xact_lock_shared(key)) AS held FROM accounts"
        " WHERE (partner_id, mode) IN (SELECT * FROM unnest($1::text[], $2::text[]))"
        " ORDER BY partner_id, mode FOR UPDATE" + ("" if waits else " SKIP LOCKED"),
        tuple(scope.partner_id for scope in scopes),
        tuple(scope.mode for scope in scopes),
        tuple(keys),
    )
    held = result[0]["held"] if result else ()
    return {account.scope: account for account in map(_account, result)}, held


def save_account(account: Account) -> Unit[None]:
    """Store the changed account."""
    yield from execute(
        "UPDATE accounts SET balance = $3, low_threshold = $4, low_reported = $5, last_event = $6,"
        " purged_event = $7, updated_at = $8, dated_at = $9 WHERE partner_id = $1 AND mode = $2",
        account.scope.partner_id,
        account.scope.mode,
        account.balance,
        account.low_threshold,
        int(account.low_reported),
        account.last_event,
        account.purged_event,
        account.updated_at,
        account.dated_at,
    )


def begin_feed_epoch(epoch: int) -> Unit[None]:
    """Let all cursors of the feed that were issued before expire."""
    yield from execute("UPDATE accounts SET feed_epoch = $1", epoch)


def add_entry(
    account: Account, entry_id: str, kind: LedgerKind, amount: int, subject_id: str | None
) -> Unit[None]:
    """Add an entry to the ledger; `account` is already the account after it."""
    yield from insert(
        "ledger",
        entry_id=entry_id,
        partner_id=account.scope.partner_id,
        mode=account.scope.mode,
        kind=kind,
        amount=amount,
        balance_after=account.balance,
        subject_id=subject_id,
        created_at=account.updated_at,
    )


def wrong_balances() -> Unit[Sequence[str]]:
    """Return the names and modes of accounts with a balance that is not the sum of their ledger."""
    result = yield from rows(
        "SELECT p.name, a.mode FROM accounts a JOIN partners p ON p.partner_id = a.partner_id"
        " LEFT JOIN ledger l ON l.partner_id = a.partner_id AND l.mode = a.mode"
        " GROUP BY p.name, a.mode, a.balance HAVING a.balance <> COALESCE(SUM(l.amount), 0)"
        " ORDER BY p.name, a.mode"
    )
    return [f"{record['name']} ({record['mode']})" for record in result]


def usage(since: int, before: int) -> Unit[Sequence[Usage]]:
    """Return the purchases of partners in a period, by name and mode."""
    result = yield from rows(
        "SELECT p.name, l.mode, COUNT(CASE WHEN l.kind = 'order' THEN 1 END) AS orders,"
        " COUNT(CASE WHEN l.kind = 'topup' THEN 1 END) AS topups,"
        " COUNT(CASE WHEN l.kind = 'refund' THEN 1 END) AS refunds,"
        " CAST(-SUM(l.amount) AS BIGINT) AS charged FROM ledger l"
        " JOIN partners p ON p.partner_id = l.partner_id"
        " WHERE l.entry_id >= $1 AND l.entry_id < $2 AND l.kind IN ('order', 'topup', 'refund')"
        " GROUP BY p.name, l.mode ORDER BY p.name, l.mode",
        # Ids are ordered by date, so this needs no further index.
        *(first(Prefix.LEDGER_ENTRY, since), first(Prefix.LEDGER_ENTRY, before)),
    )
    return [
        Usage(
            partner=record["name"],
            mode=record["mode"],
            orders=record["orders"],
            topups=record["topups"],
            refunds=record["refunds"],
            charged=record["charged"],
        )
        for record in result
    ]


def _partner(record: Row) -> Partner:
    return Partner(record["partner_id"], record["name"], record["status"], record["created_at"])


def _account(record: Row) -> Account:
    return Account(
        scope=Scope(record["partner_id"], record["mode"]),
        balance=record["balance"],
        low_threshold=record["low_threshold"],
        low_reported=bool(record["low_reported"]),
        last_event=record["last_event"],
        purged_event=record["purged_event"],
        updated_at=record["updated_at"],
        dated_at=record["dated_at"],
        feed_epoch=record["feed_epoch"],
    )
