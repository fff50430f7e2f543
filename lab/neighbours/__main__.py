"""Measure the waits beside a large partner, and write docs/service-neighbours.md."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.measured import records
from lab.neighbours.operations import operations
from lab.neighbours.page import PAGE, Measured, line, render
from lab.neighbours.stage import Result, stage
from tests.service import postgres_server

KEPT = Path(__file__).with_name("results.json")
DATABASES = ("SQLite", "PostgreSQL")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.neighbours", description=__doc__)
    parser.add_argument("--size", type=int, default=300_000, help="rows of each table")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="without and with each operation"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of each operation")
    parser.add_argument(
        "--only", default="", help="a part of an operation; others keep their results"
    )
    parser.add_argument(
        "--database", choices=DATABASES, help="one of them; the other keeps its results"
    )
    options = parser.parse_args()
    record = records.current("neighbours")
    kept = _kept()
    run = Measured(options.size, options.seconds, options.rounds, os.getloadavg()[0], {})
    server = postgres_server.start()
    try:
        # On a disk: what is in memory needs no flush.
        with TemporaryDirectory(dir="/var/tmp") as directory:
            places = {
                "SQLite": str(Path(directory) / "neighbours.db"),
                "PostgreSQL": server.get_uri(),
            }
            for database in (options.database,) if options.database else DATABASES:
                print(database, flush=True)
                measured = _measure(places[database], Path(directory), options)
                run.results[database] = asyncio.run(measured)
    finally:
        server.cleanup()
    if options.only:
        for database, rows in run.results.items():
            known = {row.words: row for row in kept.results[database]}
            again = f"in {options.rounds} rounds {record.words}"
            known.update((row.words, replace(row, again=again)) for row in rows)
            kept.results[database] = list(known.values())
    else:
        records.keep("neighbours", record)
        kept = replace(run, results={**kept.results, **run.results})
    KEPT.write_text(json.dumps(asdict(kept), indent=1) + "\n", "utf-8")
    PAGE.write_text(render(kept), "utf-8")


async def _measure(place: str, directory: Path, options: argparse.Namespace) -> list[Result]:
    results = []
    async with stage(place, directory, options.size) as made:
        for operation in operations(options.size):
            if options.only in operation.words:
                result = await made.beside(operation, options.seconds, options.rounds)
                results.append(result)
                print(line(result).rstrip(), *result.statuses, flush=True)
    return results


def _kept() -> Measured:
    kept = json.loads(KEPT.read_text("utf-8"))
    results = {
        database: [Result(**row) for row in rows] for database, rows in kept["results"].items()
    }
    return Measured(**{**kept, "results": results})


if __name__ == "__main__":
    main()
