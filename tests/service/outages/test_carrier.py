"""A carrier that hangs, or answers nonsense, under a service that serves both modes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partner_esim import AsyncEsimClient
from partner_esim.errors import ApiStatusError

from ..running import CARRIER, serving

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"
AWKWARD = {**CARRIER, "ESIM_CARRIER": "awkward"}


async def status_of(client: AsyncEsimClient, reference: str, scenario: str = "") -> int:
    """Place an order; return the status of the answer."""
    metadata = {"sandbox_scenario": scenario} if scenario else {}
    try:
        await client.orders.create(plan_id=PLAN, reference=reference, metadata=metadata)
    except ApiStatusError as error:
        return error.status
    return 201


async def test_a_carrier_that_hangs_is_waited_for_only_so_long(ready: str, tmp_path: Path) -> None:
    with serving(ready, tmp_path, **AWKWARD) as running:
        keys = [running.key("live", f"p{number}") for number in range(5)]
        for number in range(5):
            running.run("partners", "credit", f"p{number}", "100")
        sandbox = running.key("test", "p0")
        async with asyncio.TaskGroup() as group:
            hanging: list[asyncio.Task[int]] = []
            for name, key in enumerate(keys[:4]):
                client = running.async_client(key)
                hanging += [
                    group.create_task(status_of(client, f"hang-{name}-{number}"))
                    for number in range(5)
                ]
            # They take all slots of live mode. Those of the sandbox are its own.
            async with running.async_client(sandbox) as client:
                assert await status_of(client, "r", "slow_order") == 201
            # Somebody else gets a slot, because the carrier does not keep it.
            async with running.async_client(keys[4]) as client:
                assert await status_of(client, "r") == 201
        assert {each.result() for each in hanging} == {503}
        assert running.stop() == 0
        assert [each for each in running.log() if each["level"] in ("error", "critical")] == []
