"""Run programs against the servers, all or those named, and write docs/sdk-real-servers.md."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.workshop import ROOT, Workshop
from lab.measured import records
from lab.real_servers import outcomes
from lab.real_servers.runs import measured
from lab.real_servers.servers import REAL_SERVERS

PAGE = ROOT / "docs" / "sdk-real-servers.md"
# Servers and SDKs, each in an environment of its own.
PLACE = ROOT / ".nox" / "real-servers-of-others"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.real_servers", description=__doc__)
    names = [server.key for server in REAL_SERVERS]
    parser.add_argument(
        "name",
        nargs="*",
        type=lambda name: name.replace("-", "_"),
        help="servers; the outcomes of the others are kept",
    )
    options = parser.parse_args()
    if unknown := set(options.name) - set(names):
        parser.error(f"no such server: {', '.join(sorted(unknown))}")
    record = records.current("real_servers")
    kept = outcomes.load()
    for server in REAL_SERVERS:
        if options.name and server.key not in options.name:
            continue
        with TemporaryDirectory() as place:
            workshop = Workshop(Path(place), ROOT / ".nox" / "bench-peers", rounds=1)
            kept[server.key] = measured(server, PLACE, workshop)
        outcomes.keep(kept)
        for kind, outcome in kept[server.key].programs.items():
            print(server.key, kind, outcome, flush=True)
    if not options.name:
        records.keep("real_servers", record)
    PAGE.write_text(outcomes.render(), "utf-8")


if __name__ == "__main__":
    main()
