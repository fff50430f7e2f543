"""Cause each outage, and write its effects on others into docs/service-faults.md."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.kills.page import write
from lab.measured import records
from lab.outages.page import line, render
from lab.outages.stages import outages, play
from tests.service import postgres_server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.outages", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="before, meanwhile and after")
    parser.add_argument("--name", default="", help="those with a part of a name; writes no page")
    options = parser.parse_args()
    record = records.current("outages")
    server = postgres_server.start()
    reports = []
    try:
        for outage in outages():
            if options.name not in outage.name:
                continue
            # On a disk: what is in memory needs no flush.
            with TemporaryDirectory(dir="/var/tmp") as directory:
                played = play(outage, Path(directory), server, options.seconds)
                reports.append(asyncio.run(played))
            print(line(reports[-1]), end="", flush=True)
    finally:
        server.cleanup()
    if not options.name:
        records.keep("outages", record)
        write(outages=render(reports, options.seconds))


if __name__ == "__main__":
    main()
