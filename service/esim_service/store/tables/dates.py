"""Corrections of dates that a wrong clock has written, in all tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..statements.unit import Unit, execute, row

# None of these is later than the time of writing, or due for a day ahead; the end of an eSIM is.
_COLUMNS: Mapping[str, Sequence[str]] = {
    "partners": ("created_at",),
    "accounts": ("updated_at", "dated_at"),
    "api_keys": ("created_at",),
    "ledger": ("created_at",),
    "orders": ("created_at", "completed_at"),
    "esims": ("created_at", "updated_at", "observed_at", "activated_at"),
    "topups": ("created_at", "completed_at"),
    "jobs": ("due_at",),
    "events": ("created_at",),
    "webhook_endpoints": ("created_at", "last_success_at", "last_failure_at", "failing_since"),
    "deliveries": ("created_at", "due_at"),
    "delivery_attempts": ("made_at", "next_at"),
}


def count_ahead(limit: int) -> Unit[int]:
    """Return the number of accounts that are dated later than a given time."""
    record = yield from row("SELECT COUNT(*) AS ahead FROM accounts WHERE dated_at > $1", limit)
    return 0 if record is None else int(record["ahead"])


def correct(now: int, limit: int) -> Unit[Mapping[str, int]]:
    """Set dates later than `limit` to `now`; return the number of corrected rows per table."""
    corrected = {}
    for table, columns in _COLUMNS.items():
        ahead = " OR ".join(f"{column} > $1" for column in columns)
        record = yield from row(f"SELECT COUNT(*) AS count FROM {table} WHERE {ahead}", limit)
        if record is not None and record["count"]:
            corrected[table] = record["count"]
            for sql in _corrections(table, columns):
                yield from execute(sql, now, limit)
    return corrected


def _corrections(table: str, columns: Sequence[str]) -> Iterator[str]:
    if table == "esims":
        # The eSIM keeps the time between its creation and its end.
        yield ("UPDATE esims SET expires_at = expires_at - (created_at - $1) WHERE created_at > $2")
    for column in columns:
        yield f"UPDATE {table} SET {column} = $1 WHERE {column} > $2"
