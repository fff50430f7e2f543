"""Orders that wait for the carrier: a partner's many do not hold up another's one."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from esim_service.api.carrier_limit import PER_PARTNER, CarrierLimit
from esim_service.store.changes.database import UnavailableError
from esim_service.values.entities import Scope
from partner_esim import AsyncEsimClient

from .running import DEADLINE, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"
MANY = 60


async def slow(client: AsyncEsimClient, reference: str) -> None:
    """Place an order that the carrier takes three seconds for."""
    scenario = {"sandbox_scenario": "slow_order"}
    await client.orders.create(plan_id=PLAN, reference=reference, metadata=scenario)


async def test_slow_orders_of_one_partner_do_not_hold_up_another(
    postgres_url: str, tmp_path: Path
) -> None:
    with serving(postgres_url, tmp_path) as running:
        async with (
            running.async_client(running.key("test", "many", "--write-limit", "1000")) as many,
            running.async_client(running.key("test", "one")) as one,
        ):
            placed = [asyncio.create_task(slow(many, f"r-{number}")) for number in range(MANY)]

            async def some_are_answered() -> bool:
                return any(task.done() for task in placed)

            await until(some_are_answered)
            await slow(one, "r")
            answered = sum(task.done() for task in placed)
            for task in placed:
                task.cancel()
            await asyncio.gather(*placed, return_exceptions=True)
            assert answered < MANY / 2


async def test_a_turn_is_waited_for_in_vain_only_so_long() -> None:
    limit = CarrierLimit(most=PER_PARTNER + 1, wait_seconds=0.01)
    async with asyncio.timeout(DEADLINE), AsyncExitStack() as held:
        for _ in range(PER_PARTNER):
            await held.enter_async_context(limit.take(Scope("many", "live")))
        with pytest.raises(UnavailableError):
            await held.enter_async_context(limit.take(Scope("many", "live")))
        async with limit.take(Scope("one", "live")):
            with pytest.raises(UnavailableError):
                await held.enter_async_context(limit.take(Scope("another", "live")))
        async with limit.take(Scope("another", "live")):
            pass
        # The other mode has another carrier.
        for partner in ("many", "one"):
            await held.enter_async_context(limit.take(Scope(partner, "test")))
    async with AsyncExitStack() as held:
        for _ in range(PER_PARTNER):
            await held.enter_async_context(limit.take(Scope("many", "live")))
