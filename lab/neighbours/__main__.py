"""Measure the waits beside a large partner, and write docs/service-neighbours.md."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.measured import records
from lab.neighbours.operations import operations
from lab.neighbours.page import PAGE, line, render
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
    parser.add_argument("--only", default="", help="a part of an operation; nothing is written")
    parser.add_argument(
        "--database", choices=DATABASES, help="one of them; the other keeps its results"
    )
    options = parser.parse_args()
    record = records.current("neighbours")
    server = postgres_server.start()
    results = _kept()
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
                results[database] = asyncio.run(measured)
    finally:
        server.cleanup()
    if not options.only:
        records.keep("neighbours", record)
        kept = {database: list(map(asdict, rows)) for database, rows in results.items()}
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
        text = render(results, options.size, options.seconds, options.rounds)
        PAGE.write_text(text, "utf-8")


async def _measure(place: str, directory: Path, options: argparse.Namespace) -> list[Result]:
    results = []
    async with stage(place, directory, options.size) as made:
        for operation in operations(options.size):
            if options.only in operation.words:
                result = await made.beside(operation, options.seconds, options.rounds)
                results.append(result)
                print(line(result).rstrip(), *result.statuses, flush=True)
    return results


def _kept() -> dict[str, list[Result]]:
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return {database: [Result(**row) for row in rows] for database, rows in kept.items()}


if __name__ == "__main__":
    main()
