"""Commands of an operator for the eSIMs of all partners."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from esim_service.store.drivers.open import open_database
from esim_service.values.clock import SystemClock
from esim_service.values.ids import Ids

from .running import esim_service
from .world import World

pytestmark = pytest.mark.anyio


async def test_an_esim_is_listed_and_revoked_for_good(ready: str, tmp_path: Path) -> None:
    run = partial(esim_service, cwd=tmp_path, ESIM_DATABASE=ready)
    assert run("migrate").returncode == 0
    clock = SystemClock()
    async with open_database(ready, exclusive=False) as database:
        world = World(database, clock, Ids(clock))
        await world.prepare()
        [first, second] = await world.completed("r1", quantity=2)
        [topped_up] = await world.completed("r2")
        await world.top_up("t1", topped_up)
        observed = await world.count("jobs")
    lines = [line.split("\t") for line in run("esims", "list").stdout.splitlines()]
    assert {line[0] for line in lines} == {first, second, topped_up}
    assert {tuple(line[1:5]) for line in lines} == {("ready", "released", "acme", "test")}
    assert run("esims", "revoke", first).stdout == f"{first} is revoked\n"
    [line] = run("esims", "list", "--status", "revoked", "--json").stdout.splitlines()
    assert json.loads(line)["iccid"] == first
    [line] = run("esims", "list", "--iccid", second).stdout.splitlines()
    assert line.split("\t")[1] == "ready"
    assert run("esims", "list", "--profile-status", "error").stdout == ""
    assert run("esims", "list", "--partner", "other").stdout == ""
    assert len(run("esims", "list", "--limit", "2").stdout.splitlines()) == 2
    again = run("esims", "revoke", first)
    assert (again.returncode, again.stderr) == (2, f"error: {first} has been revoked before\n")
    unknown = run("esims", "revoke", "1")
    assert unknown.returncode == 2 and "there is no eSIM 1" in unknown.stderr
    async with open_database(ready, exclusive=False) as database:
        world.database = database
        # Its job has ended, and no event is written, as the contract has none.
        assert await world.count("jobs") == observed - 1
        assert [event.type for event in await world.events()] == ["order.completed"] * 2
