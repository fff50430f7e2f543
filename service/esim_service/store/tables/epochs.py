"""Epochs of accounts: a reset of the sandbox ends one, and with it everything in it.

The rows of an account have its epoch in the column `mode`. It is the mode itself at first, and
another text after each reset: earlier rows are then those of no account, and are removed in parts.
Keys, endpoints and the ledger, which outlive a reset, have the mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ...values.entities import Scope
from ..statements.unit import Row, Unit, Value, among, execute, row, rows

# The first two parameters are the partner and the mode.
EPOCH = "(SELECT epoch FROM accounts WHERE partner_id = $1 AND mode = $2)"
OF_ACCOUNT = f"partner_id = $1 AND mode = {EPOCH}"

# The columns that identify a row, in the order of removal: work that is due comes first.
_KEYS: Mapping[str, Sequence[str]] = {
    "jobs": ("job_id",),
    "deliveries": ("delivery_id",),
    "delivery_attempts": ("delivery_id",),
    "events": ("event_id",),
    "answers": ("partner_id", "mode", "operation", "reference"),
    "topups": ("topup_id",),
    "esims": ("esim_id",),
    "orders": ("order_id",),
}
TABLES = tuple(_KEYS)


@dataclass(frozen=True, slots=True)
class EndedEpoch:
    """An epoch with rows that are still to be removed."""

    partner_id: str
    epoch: str


def insert(table: str, scope: Scope, **values: Value) -> Unit[None]:
    """Add a row to the current epoch of an account."""
    sql = _insertion(table, *values)
    yield from execute(sql, scope.partner_id, scope.mode, *values.values())


def scope_of(record: Row) -> Scope:
    """Return the scope of a row, of any epoch."""
    return Scope(record["partner_id"], record["mode"].partition(".")[0])


def begin(scope: Scope) -> Unit[None]:
    """Begin the next epoch of an account, which is locked."""
    [record] = yield from rows(
        "SELECT epoch FROM accounts WHERE partner_id = $1 AND mode = $2",
        *(scope.partner_id, scope.mode),
    )
    _, _, number = record["epoch"].partition(".")
    yield from execute(
        "INSERT INTO ended_epochs (partner_id, epoch) VALUES ($1, $2)",
        *(scope.partner_id, record["epoch"]),
    )
    yield from execute(
        "UPDATE accounts SET epoch = $3 WHERE partner_id = $1 AND mode = $2",
        *(scope.partner_id, scope.mode, f"{scope.mode}.{int(number or 0) + 1}"),
    )


def ended() -> Unit[Sequence[EndedEpoch]]:
    """Return the epochs with rows that are still to be removed."""
    result = yield from rows("SELECT partner_id, epoch FROM ended_epochs")
    return [EndedEpoch(record["partner_id"], record["epoch"]) for record in result]


def remove_some(epoch: EndedEpoch, table: str, count: int) -> Unit[bool]:
    """Remove some rows of an ended epoch from a table; return whether there are more."""
    *same, key = _KEYS[table]
    of_epoch = f"FROM {table} WHERE partner_id = $1 AND mode = $2"
    # Who holds a row may want others of these.
    result = yield from rows(
        f"SELECT {', '.join((*same, key))} {of_epoch} LIMIT $3 FOR UPDATE SKIP LOCKED",
        *(epoch.partner_id, epoch.epoch, count),
    )
    if result:
        first = [result[0][column] for column in same]
        keys = [record[key] for record in result if [record[column] for column in same] == first]
        places, parameters = among(keys, after=len(same))
        conditions = (f"{column} = ${number} AND " for number, column in enumerate(same, start=1))
        yield from execute(
            f"DELETE FROM {table} WHERE {''.join(conditions)}{key} IN ({places})",
            *(*first, *parameters),
        )
    left = yield from row(f"SELECT 1 AS one {of_epoch} LIMIT 1", epoch.partner_id, epoch.epoch)
    return left is not None


def forget(epoch: EndedEpoch) -> Unit[None]:
    """Forget an epoch without rows."""
    yield from execute(
        "DELETE FROM ended_epochs WHERE partner_id = $1 AND epoch = $2",
        *(epoch.partner_id, epoch.epoch),
    )


@cache
def _insertion(table: str, *columns: str) -> str:
    places = "".join(f", ${number}" for number in range(3, len(columns) + 3))
    names = ", ".join(("partner_id", "mode", *columns))
    return f"INSERT INTO {table} ({names}) VALUES ($1, {EPOCH}{places})"
