"""The records of a service, read from its database beside the process that serves."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from functools import partial

from esim_service.domain import partners
from esim_service.domain.stamp import Stamp
from esim_service.keys import auth
from esim_service.store.changes.database import Database
from esim_service.store.drivers.open import open_database
from esim_service.store.statements.unit import Row, Unit, Value, execute, rows
from esim_service.store.tables import partners as store
from esim_service.values.clock import SystemClock
from esim_service.values.entities import Scope
from esim_service.values.ids import Ids
from esim_service.values.money import to_decimal

_NO_LIMIT = 1_000_000_000

# Violations of the invariants, none of which may ever be found.
_WRONG = {
    "the balance is not the sum of the ledger": (
        "SELECT a.partner_id FROM accounts a WHERE a.balance <> (SELECT COALESCE(SUM(l.amount), 0)"
        " FROM ledger l WHERE l.partner_id = a.partner_id AND l.mode = a.mode)"
    ),
    "charged or refunded more than once": (
        "SELECT subject_id FROM ledger WHERE subject_id IS NOT NULL"
        " GROUP BY subject_id, kind HAVING COUNT(*) > 1"
    ),
    "more than one order for a reference": (
        "SELECT reference FROM orders GROUP BY partner_id, mode, reference HAVING COUNT(*) > 1"
    ),
    "an order that was not charged": (
        "SELECT order_id FROM orders WHERE order_id || ' ' || (-total) NOT IN"
        " (SELECT subject_id || ' ' || amount FROM ledger WHERE kind = 'order')"
    ),
    "a refund without a failure, or the other way round": (
        "SELECT order_id FROM orders WHERE (status = 'failed') <> (order_id || ' ' || total IN"
        " (SELECT subject_id || ' ' || amount FROM ledger WHERE kind = 'refund'))"
    ),
    "an order without an answer to replay": (
        "SELECT o.reference FROM orders o WHERE NOT EXISTS (SELECT 1 FROM answers a WHERE"
        " a.partner_id = o.partner_id AND a.mode = o.mode AND a.reference = o.reference"
        " AND a.operation = 'createOrder')"
    ),
    "a completed order without its eSIMs": (
        "SELECT o.order_id FROM orders o WHERE o.status = 'completed' AND o.quantity <>"
        " (SELECT COUNT(*) FROM esims e WHERE e.partner_id = o.partner_id AND e.mode = o.mode"
        " AND e.order_id = o.order_id)"
    ),
    "a gap in the feed": (
        "SELECT a.partner_id FROM accounts a JOIN events e"
        " ON e.partner_id = a.partner_id AND e.mode = a.epoch"
        " GROUP BY a.partner_id, a.mode, a.last_event"
        " HAVING MAX(e.sequence) <> a.last_event OR COUNT(*) <> a.last_event - MIN(e.sequence) + 1"
    ),
}


def ledger_sum(scope: Scope) -> Unit[int]:
    """The sum of the ledger of an account."""
    found = yield from rows(
        "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS total FROM ledger"
        " WHERE partner_id = $1 AND mode = $2",
        *(scope.partner_id, scope.mode),
    )
    return int(found[0]["total"])


class Books:
    """The database of a service; its processes may be running or killed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        clock = SystemClock()
        self._stamp = Stamp(clock.now(), Ids(clock))

    async def key(self, partner: str, limit: int | None = _NO_LIMIT) -> str:
        """Issue a test key; a partner is created on first use."""
        text = auth.new_key("test")

        def issue() -> Unit[None]:
            known = yield from partners.ensure(partner, self._stamp)
            yield from partners.issue_key(
                Scope(known.partner_id, "test"),
                auth.digest(text),
                secrets.token_hex(2),
                self._stamp,
                read_limit=limit,
                write_limit=limit,
            )

        await self._database.write(issue)
        return text

    async def rows(self, sql: str, *parameters: Value) -> Sequence[Row]:
        return await self._database.read(partial(rows, sql, *parameters))

    async def execute(self, sql: str, *parameters: Value) -> None:
        await self._database.write(partial(execute, sql, *parameters))

    async def count(self, table: str) -> int:
        return int((await self.rows(f"SELECT COUNT(*) AS n FROM {table}"))[0]["n"])

    async def references(self, partner: str) -> set[str]:
        """The references of the orders of a partner that were committed."""
        found = await self.rows(
            "SELECT reference FROM orders WHERE partner_id = (SELECT partner_id FROM partners"
            " WHERE name = $1)",
            partner,
        )
        return {row["reference"] for row in found}

    async def feed(self, partner: str) -> dict[str, bytes]:
        """The body of each event of a partner, by its id, in the order of the feed."""
        found = await self.rows(
            "SELECT event_id, body FROM events WHERE partner_id = (SELECT partner_id FROM partners"
            " WHERE name = $1) ORDER BY sequence",
            partner,
        )
        return {each["event_id"]: bytes(each["body"]) for each in found}

    async def money(self, partner: str) -> tuple[Decimal, Decimal]:
        """The test balance of a partner and the sum of its ledger, at one moment, in dollars."""

        def look() -> Unit[tuple[int, int]]:
            known = yield from store.partner_named(partner)
            assert known is not None
            scope = Scope(known.partner_id, "test")
            account = yield from store.account(scope)
            return account.balance, (yield from ledger_sum(scope))

        balance, total = await self._database.read(look)
        return to_decimal(balance), to_decimal(total)

    async def end_leases(self) -> None:
        """Let the leases expire that a killed process holds on its work.

        On SQLite no other process can hold a lease, and a new process does not wait.
        """
        if self._database.dialect == "sqlite":
            return
        for table in ("jobs", "deliveries"):
            await self.execute(f"UPDATE {table} SET due_at = 0")

    async def is_settled(self) -> bool:
        """Whether orders, deliveries and the removal after resets have come to their ends."""
        open_ = "SELECT 1 AS one FROM {} WHERE status = 'processing' LIMIT 1"
        for sql in (open_.format("orders"), open_.format("topups")):
            if await self.rows(sql):
                return False
        return await self.count("deliveries") == await self.count("ended_epochs") == 0

    async def audit(self) -> None:
        """Assert the invariants in one snapshot."""
        assert await self._database.read(_findings) == []


def _findings() -> Unit[Sequence[str]]:
    found: list[str] = []
    for name, sql in _WRONG.items():
        if wrong := (yield from rows(sql)):
            found.append(f"{name}: {len(wrong)}")
    events = yield from rows("SELECT body FROM events WHERE type = 'order.completed'")
    told = Counter(json.loads(bytes(event["body"]))["data"]["order_id"] for event in events)
    orders = yield from rows("SELECT order_id FROM orders WHERE status = 'completed'")
    if told != Counter(order["order_id"] for order in orders):
        found.append("a completed order without its one event")
    return found


@asynccontextmanager
async def books(place: str) -> AsyncIterator[Books]:
    """Open the database of a service, which has its schema, for the time of the context."""
    async with open_database(place, exclusive=False) as database:
        yield Books(database)
