"""The measurement of waits beside a large partner has every operation of the contract."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from lab.neighbours.operations import operations
from lab.neighbours.page import Measured, line, render
from lab.neighbours.stage import LARGE, Caliper, Result, stage
from tests.conftest import ROOT

SIZE = 100


def result(words: str, before: float, beside: float) -> Result:
    return Result(words, (before, beside), (before, beside), beside, 1.0, (200,))


def test_every_operation_of_the_contract_is_called() -> None:
    document = json.loads((ROOT / "spec" / "openapi.json").read_text("utf-8"))
    declared = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item.keys() & {"get", "post", "delete"}
    }
    assert {operation.of for operation in operations(SIZE)} == declared


def test_a_ratio_above_two_is_named() -> None:
    slow, good = result("GET /slow", 2.0, 4.1), result("GET /good", 2.0, 3.9)
    assert "| GET /slow | 1.0 | 2.0 → 4.1 | 2.0 | 2.0 → 4.1 | 2.0 | 4 |" in line(slow)
    page = render(Measured(SIZE, 5, 3, 0.25, {"SQLite": [slow, good], "PostgreSQL": [good]}))
    assert "Above 2, **missed**: GET /slow.\n" in page
    assert "No ratio is above 2, **met**.\n" in page
    assert "the median of 3 rounds" in page
    assert "Measured again" not in page


def test_what_was_measured_again_is_named() -> None:
    row = replace(result("GET /slow", 2.0, 3.0), again="in 5 rounds today")
    page = render(Measured(SIZE, 5, 3, 0.25, {"SQLite": [row, result("GET /good", 1.0, 1.0)]}))
    assert "\nMeasured again, in 5 rounds today: GET /slow.\n" in page


@pytest.mark.anyio
async def test_the_service_does_the_work_of_each_request(tmp_path: Path) -> None:
    statuses = {}
    async with stage(str(tmp_path / "service.db"), tmp_path, SIZE) as made:
        key = await asyncio.to_thread(made.running.key, "test", LARGE)
        for operation in operations(SIZE):
            caliper = Caliper(made.running, key)
            await caliper.run(operation.request, [0.0])
            statuses[operation.words] = caliper.statuses
        assert (await made.waits(0.1)).longest > 0
    limited = "POST /webhook-endpoints, beyond the limit"
    assert statuses.pop(limited) == {409}
    assert set().union(*statuses.values()) <= {200, 201, 202, 204}
