"""Measure the waits beside a large partner, and write docs/service-neighbours.md."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.measured import records
from lab.neighbours.operations import operations
from lab.neighbours.page import PAGE, line, render
from lab.neighbours.stage import Result, stage
from tests.service import postgres_server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.neighbours", description=__doc__)
    parser.add_argument("--size", type=int, default=300_000, help="rows of each table")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="without and with each operation"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of each operation")
    parser.add_argument("--only", default="", help="a part of an operation; nothing is written")
    options = parser.parse_args()
    record = records.current("neighbours")
    server = postgres_server.start()
    results = {}
    try:
        # On a disk: what is in memory needs no flush.
        with TemporaryDirectory(dir="/var/tmp") as directory:
            places = {
                "SQLite": str(Path(directory) / "neighbours.db"),
                "PostgreSQL": server.get_uri(),
            }
            for database, place in places.items():
                print(database, flush=True)
                results[database] = asyncio.run(_measure(place, Path(directory), options))
    finally:
        server.cleanup()
    if not options.only:
        records.keep("neighbours", record)
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


if __name__ == "__main__":
    main()
