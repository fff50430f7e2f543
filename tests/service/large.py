"""Many rows of one partner, beside others, in seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from esim_service.store.statements.unit import Unit, execute
from esim_service.store.tables import events, partners
from esim_service.values.entities import Account, Partner, Scope, WebhookEndpoint

from .world import FIXED, SECRET, World

START = 1_700_000_000_000
OTHERS = 100
ENDPOINTS = 3

_NUMBERS = (
    "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < $1)"
)
# Every tenth row is of another partner.
_OWNED = {
    "partner_id": "CASE WHEN i % 10 > 0 THEN $2"
    f" ELSE 'prt_' || CAST(i / 10 % {OTHERS} AS TEXT) END",
    "mode": "'test'",
}


def made_id(prefix: str, number: int) -> str:
    """The id of a row; ids ascend with the numbers."""
    return f"{prefix}_10000000{10**17 + number}"


def ended_delivery(number: int) -> str:
    """The id of a delivery with nothing left but its attempt."""
    return f"dlv_20000000{10**17 + number}"


def iccid(number: int) -> str:
    """The ICCID of an eSIM."""
    return f"89{10**16 + number}"


def _id(prefix: str, number: str = "i") -> str:
    # As `made_id`, of numbers that databases have.
    return f"'{prefix}_10000000' || CAST({10**17} + {number} AS TEXT)"


# A value for each column, as SQL of the number `i` and the date `dated` of a row; $3 is bytes.
_ROWS: Mapping[str, Mapping[str, str]] = {
    "orders": {
        "order_id": _id("ord"),
        **_OWNED,
        "reference": "'r' || CAST(i AS TEXT)",
        "status": "'completed'",
        "plan_id": f"'{FIXED}'",
        "quantity": "1",
        "unit_price": "95000",
        "total": "95000",
        "iccids": "''",
        "metadata": "'{}'",
        "created_at": "dated",
        "completed_at": "dated",
    },
    "esims": {
        "esim_id": _id("esm"),
        "iccid": f"'89' || CAST({10**16} + i AS TEXT)",
        **_OWNED,
        "order_id": _id("ord"),
        "plan_id": f"'{FIXED}'",
        "status": "'ready'",
        "profile_status": "'released'",
        "smdp_address": "'smdp.example'",
        "matching_id": "'A'",
        "confirmation_required": "0",
        "total_bytes": "5000000000",
        "used_bytes": "0",
        "validity_days": "30",
        "expires_at": "dated + 31536000000",
        "topup_supported": "1",
        "usage_reported": "0",
        "expiring_reported": "0",
        "created_at": "dated",
        "updated_at": "dated",
    },
    "topups": {
        "topup_id": _id("top"),
        **_OWNED,
        "esim_id": _id("esm"),
        "iccid": f"'89' || CAST({10**16} + i AS TEXT)",
        "topup_plan_id": "'tpl_jp-3gb-30d'",
        "reference": "'r' || CAST(i AS TEXT)",
        "status": "'processing'",
        "price": "1",
        "total": "1",
        "validity_days": "30",
        "balance_after": "1",
        "created_at": "dated",
    },
    "answers": {
        **_OWNED,
        "operation": "'createOrder'",
        "reference": "'r' || CAST(i AS TEXT)",
        "payload": "$3",
        "body": "$3",
    },
    "ledger": {
        "entry_id": _id("led"),
        **_OWNED,
        "kind": "'order'",
        "amount": "-95000",
        "balance_after": "1",
        "subject_id": _id("ord"),
        "created_at": "dated",
    },
    "jobs": {
        "job_id": _id("job"),
        **_OWNED,
        # Few wait for the carrier.
        "kind": "CASE WHEN i % 30000 = 7 THEN 'topup' ELSE 'observe' END",
        "subject_id": f"CASE WHEN i % 30000 = 7 THEN {_id('top')} ELSE {_id('esm')} END",
        "attempts": "0",
        "due_at": "dated",
    },
    # All of one type, which is the type that most integrations see.
    "events": {
        **_OWNED,
        "sequence": "i",
        "event_id": _id("evt"),
        "type": "'order.completed'",
        "body": "$3",
        "created_at": "dated",
    },
    "deliveries": {
        "delivery_id": _id("dlv"),
        **_OWNED,
        "endpoint_id": _id("whe", f"i % {ENDPOINTS}"),
        "event_id": _id("evt"),
        "attempts": "1",
        "due_at": "dated",
        "created_at": "dated",
    },
    # Of deliveries that have ended, which have other ids.
    "delivery_attempts": {
        "delivery_id": f"'dlv_20000000' || CAST({10**17} + i AS TEXT)",
        "number": "1",
        **_OWNED,
        "endpoint_id": _id("whe", f"i % {ENDPOINTS}"),
        "event_id": _id("evt"),
        "made_at": "dated",
        "milliseconds": "5",
        "outcome": "'acknowledged'",
        "status": "200",
    },
}
TABLES = tuple(_ROWS)
# As long as most events are.
_EVENT = json.dumps(
    {
        "id": made_id("evt", 0),
        "type": "webhook.test",
        "created_at": "2026-01-01T00:00:00Z",
        "mode": "test",
        "data": {"webhook_endpoint_id": made_id("whe", 0)},
    }
).encode()


async def fill(world: World, size: int, start: int = START) -> None:
    """Add so many rows to each table that grows, nine of ten of the partner of the world.

    Each is dated, and due, one millisecond after the one before it.
    """
    await world.database.write(_others)
    await world.database.write(partial(_endpoints, world.scope()))
    for table in TABLES:
        await world.database.write(partial(_add, table, size, start, world.partner_id))
    await world.database.write(partial(execute, "UPDATE accounts SET last_event = $1", size))


def _others() -> Unit[None]:
    for number in range(OTHERS):
        name = f"prt_{number}"
        yield from partners.add_partner(Partner(name, name, "active", START))
        yield from partners.add_account(Account(Scope(name, "test"), 0, 0, False, 0, 0, 0, 0))


def _endpoints(scope: Scope) -> Unit[None]:
    for number in range(ENDPOINTS):
        yield from events.add_endpoint(
            WebhookEndpoint(
                endpoint_id=made_id("whe", number),
                scope=scope,
                # It is refused as soon as something would be sent there.
                url="https://127.0.0.1/",
                event_types=("order.completed",),
                secret=SECRET,
                status="enabled",
                disabled_reason=None,
                created_at=START,
                last_success_at=None,
                last_failure_at=None,
                failing_since=None,
                exhausted=False,
            )
        )


def _add(table: str, size: int, start: int, partner_id: str) -> Unit[None]:
    columns = _ROWS[table]
    has_bytes = "$3" in columns.values()
    yield from execute(
        f"{_NUMBERS} INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {', '.join(columns.values())}"
        f" FROM (SELECT i, {start} + i AS dated FROM numbers) AS made",
        *(size, partner_id),
        *((_EVENT.ljust(600),) if has_bytes else ()),
    )
