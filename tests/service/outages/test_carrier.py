"""A carrier that hangs, or answers nonsense, under a service that serves both modes."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import httpx2
import pytest

from partner_esim import AsyncEsimClient
from partner_esim.errors import ApiStatusError
from tests.service.running import CARRIER, esim_service, eventually, serving

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
            # Another partner gets a slot, because the carrier does not keep it.
            async with running.async_client(keys[4]) as client:
                assert await status_of(client, "r") == 201
        assert {task.result() for task in hanging} == {503}
        assert running.stop() == 0
        assert [each for each in running.log() if each["level"] in ("error", "critical")] == []


async def test_an_order_that_the_carrier_cannot_finish_is_seen_and_can_be_ended(
    ready: str, tmp_path: Path
) -> None:
    names = ("none", "raise", "blank", "script")
    with serving(ready, tmp_path, **AWKWARD) as running:
        key = running.key("live")
        running.run("partners", "credit", "acme", "100")
        with running.client(key) as client:
            before = client.balance.get().balance_usd
            for name in names:
                client.orders.create(plan_id=PLAN, reference=f"{name}-1")

            def stuck() -> list[dict[str, object]] | None:
                text = running.run("orders", "list", "--stuck", "--json")
                found = [json.loads(line) for line in text.splitlines()]
                # The second attempt is the one whose traceback would be one too many.
                return found if sum(each["attempts"] > 1 for each in found) == len(names) else None

            found = eventually(stuck)
            assert {(each["status"], each["partner"]) for each in found} == {("processing", "acme")}
            # What is wrong is in no list.
            assert client.esims.list().items == []

            def is_told() -> bool:
                text = httpx2.get(f"{running.operations}/metrics").text
                found = re.search(r'esim_oldest_purchase_seconds{kind="provision"} (\S+)', text)
                return found is not None and float(found[1]) > 0

            assert eventually(is_told)
            first, *others = (str(each["order_id"]) for each in found)
            running.run("orders", "retry", first)
            shown = running.run("orders", "show", first)
            assert re.search(r"^status +processing$", shown, re.MULTILINE)
            for order_id in (first, *others):
                running.run("orders", "fail", order_id, "--reason", "It is not there.")
            order = client.orders.get(first)
            assert order.failure is not None
            assert (order.status, order.failure.message) == ("failed", "It is not there.")
            assert client.balance.get().balance_usd == before
        assert running.run("orders", "list", "--stuck") == ""
        again = esim_service("orders", "fail", first, "--database", ready, cwd=tmp_path)
        assert (again.returncode, again.stderr) == (
            2,
            f"error: no order or top-up {first} waits for the carrier\n",
        )
        assert running.stop() == 0
        log = [each for each in running.log() if "cannot be done" in str(each["event"])]
        assert sum("exception" in each for each in log) == len(names) < len(log)
