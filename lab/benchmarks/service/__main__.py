"""Measure the service and write docs/benchmarks-service.md."""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.service import deliveries, growth, report, requests
from lab.benchmarks.service.servers import postgres
from lab.benchmarks.workshop import ROOT, Workshop
from lab.measured import records


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.service", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="the number of rounds")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each load lasts")
    parser.add_argument("--only", help="growth, or a part of a subject's name; nothing is written")
    parser.add_argument("--before", default="", help="a commit whose service is measured, too")
    options = parser.parse_args()
    record = records.current("bench_service")
    # Not inside the repository, and on a disk: a file in memory needs no flush.
    with TemporaryDirectory(dir="/var/tmp") as place:
        workshop = Workshop(Path(place), ROOT / ".nox" / "bench-peers", options.rounds)
        with postgres(workshop) as server:
            if options.only == growth.NAME:
                print("\n".join(report.growth_rows(growth.measure(workshop, server))))
                return
            only = options.only or ""
            rounds = requests.measure(workshop, options.seconds, only, server, options.before)
            if options.only:
                return
            grown = growth.measure(workshop, server)
            dead = deliveries.beside_dead(workshop, 4 * options.seconds, server)
        attempts = deliveries.measure(workshop, 2 * options.seconds)
        records.keep("bench_service", record)
        text = report.page(rounds, attempts, dead, grown)
        (ROOT / "docs" / "benchmarks-service.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
