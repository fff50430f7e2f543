"""The benchmark of the service grows a database, and finds the service of an earlier commit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.service import growth, report
from lab.benchmarks.service.growth import POSTGRES, SQLITE
from lab.benchmarks.service.requests import checked_out
from lab.benchmarks.service.servers import postgres
from lab.benchmarks.workshop import Workshop
from lab.neighbours.operations import operations

_FIRST = "import esim_service, partner_esim; print(esim_service.__file__, partner_esim.__file__)"


def test_growth_has_each_operation_and_command_on_both_databases() -> None:
    # The user of the server may not enter the directories of pytest.
    with TemporaryDirectory() as directory:
        workshop = Workshop(Path(directory), Path(directory), rounds=1)
        with postgres(workshop) as server:
            [few, other] = growth.measure(workshop, server, [100]).values()
    called = {operation.words for operation in operations(100) if not operation.at_once}
    assert few.keys() == other.keys() == {"start", "backup", "restore", *called}
    assert min(*few.values(), *other.values()) > 0


def test_the_table_of_growth_has_ratios() -> None:
    few = {"start": 500.0, "backup": 100.0, "restore": 10.0, "GET /orders": 2.0}
    many = {**few, "GET /orders": 5.0}
    sizes = dict(zip(growth.SIZES, (few, many), strict=True))
    grown = {(name, size): times for name in (SQLITE, POSTGRES) for size, times in sizes.items()}
    rows = list(report.growth_rows(grown))
    assert rows[0].startswith("| | SQLite, 1,000 | 300,000 | ratio | PostgreSQL, 1,000 | 300,000 |")
    assert rows[1] == "| start | 500 | 500 | 1.0 | 500 | 500 | 1.0 |"
    assert rows[-1] == "| GET /orders | 2.0 | 5.0 | 2.5 | 2.0 | 5.0 | 2.5 |"


def test_the_service_of_a_commit_is_imported_from_it(tmp_path: Path) -> None:
    variables = checked_out(Workshop(tmp_path, tmp_path, rounds=1), "HEAD")
    run = [sys.executable, "-c", _FIRST]
    done = subprocess.run(run, env=variables, capture_output=True, text=True, check=True)
    assert all(file.startswith(str(tmp_path)) for file in done.stdout.split())
