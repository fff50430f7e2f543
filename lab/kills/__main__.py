"""Kill processes that serve, send duplicates, and write docs/service-faults.md."""

from __future__ import annotations

import argparse
import asyncio
import secrets
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.kills.duplicates import Flood, flood
from lab.kills.memory import Growth, grow
from lab.kills.page import render, write
from lab.kills.rounds import Siege, Tally
from lab.measured import records
from tests.service import postgres_server
from tests.service.receiver import Authority


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.kills", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="of kill -9, on each database")
    parser.add_argument("--duplicates", type=int, default=100_000, help="on each database")
    parser.add_argument("--minutes", type=int, default=5, help="of load, on both databases at once")
    parser.add_argument("--seed", type=int, help="of the moments at which processes are killed")
    parser.add_argument("--table", action="store_true", help="renew the table of the tests only")
    options = parser.parse_args()
    if options.table:
        write()
        return
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    record = records.current("kills")
    tallies: dict[str, Tally] = {}
    floods: dict[str, Flood] = {}
    # On a disk: what is in memory needs no flush.
    with TemporaryDirectory(dir="/var/tmp") as directory:
        place = Path(directory)
        server = postgres_server.start()
        try:
            names = ("killed", "flooded", "loaded")
            for name in names:
                server.psql(f"CREATE DATABASE {name}")
            databases = {
                "SQLite": [str(place / f"{name}.db") for name in names],
                "PostgreSQL": [server.get_uri(name) for name in names],
            }
            for name, (killed, flooded, _) in databases.items():
                siege = Siege(killed, place, Authority(place), seed)
                tallies[name] = asyncio.run(siege.run(options.rounds))
                print(name, tallies[name], flush=True)
                floods[name] = asyncio.run(flood(flooded, place, options.duplicates))
                print(name, floods[name], flush=True)
            loaded = {name: places[-1] for name, places in databases.items()}
            growths = asyncio.run(_grow(loaded, place, options.minutes))
            print(growths, flush=True)
        finally:
            server.cleanup()
    records.keep("kills", record)
    write(long_run=render(tallies, floods, growths))


async def _grow(places: Mapping[str, str], directory: Path, minutes: int) -> dict[str, Growth]:
    """Load services on all databases at once, as their memory does not depend on their speed."""
    growths = await asyncio.gather(*(grow(place, directory, minutes) for place in places.values()))
    return dict(zip(places, growths, strict=True))


if __name__ == "__main__":
    main()
