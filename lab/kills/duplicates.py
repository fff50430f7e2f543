"""Duplicates of orders, many at the same moment: each reference is charged once."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tests.service.books import books
from tests.service.caller import Answer, Caller
from tests.service.running import esim_service, serving, until

# So many identical requests at once, each on a connection of its own; then all of them again.
AT_ONCE = 50
WAVES = 2
# A partner's balance is enough for so many orders.
PER_PARTNER = 1000


@dataclass
class Flood:
    """Counts of the responses to duplicates; a second debit ends the run."""

    requests: int = 0
    orders: int = 0
    replays: int = 0
    in_progress: int = 0
    seconds: float = 0.0


async def flood(place: str, directory: Path, total: int) -> Flood:
    """Send so many requests, of which 100 at a time are for the same reference."""
    counted, begun = Flood(), time.monotonic()
    orders = total // (AT_ONCE * WAVES)
    is_postgres = place.startswith("postgresql")
    if is_postgres:
        done = esim_service("migrate", "--database", place, cwd=directory)
        assert done.returncode == 0, done.stderr
    async with AsyncExitStack() as stack:
        fleet = [
            stack.enter_context(serving(place, directory, ESIM_LOG_LEVEL="warning"))
            for _ in range(2 if is_postgres else 1)
        ]
        known = await stack.enter_async_context(books(place))
        for first in range(0, orders, PER_PARTNER):
            name = f"partner {first}"
            key = await known.key(name)
            async with AsyncExitStack() as connections:
                callers = [
                    await connections.enter_async_context(
                        Caller(fleet[number % len(fleet)].base_url, key)
                    )
                    for number in range(AT_ONCE)
                ]
                count = min(PER_PARTNER, orders - first)
                for number in range(count):
                    await _one(callers, f"{number}", counted)
            await until(known.is_settled)
            balance, ledger = await known.money(name)
            assert balance == ledger == Decimal(1000) - count * Decimal("0.923")
        await known.audit()
        assert await known.count("orders") == counted.orders == orders
    counted.seconds = time.monotonic() - begun
    return counted


async def _one(callers: list[Caller], reference: str, counted: Flood) -> None:
    answers: list[Answer] = []
    for _ in range(WAVES):
        answers += await asyncio.gather(*(caller.order(reference) for caller in callers))
    made = [answer for answer in answers if answer.status == 201]
    assert {answer.status for answer in answers} <= {201, 409}
    assert len({answer.body for answer in made}) == 1
    assert sum(not answer.is_replay for answer in made) == 1
    counted.requests += len(answers)
    counted.orders += 1
    counted.replays += len(made) - 1
    counted.in_progress += len(answers) - len(made)
