"""Install and start the servers, test each with both tools, and save the results.

The reports stay beside the environments, for the verdicts by hand.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CalledProcessError

from lab.foreign_servers.comparison import Failure, others
from lab.foreign_servers.outcomes import SCHEMATHESIS, SPECWRIGHT, Outcome, keep, load
from lab.foreign_servers.runs import (
    PLACE,
    Running,
    by_schemathesis,
    by_specwright,
    reports_of,
    started,
)
from lab.foreign_servers.servers import SERVERS, Server
from lab.measured import records

_Run = Callable[[Running, Server, int, Path], tuple[Outcome, list[Failure]]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.foreign_servers", description=__doc__)
    parser.add_argument("names", nargs="*", help="Prefixes of server names.  [default: all]")
    parser.add_argument("--place", type=Path, default=PLACE)
    parser.add_argument("--seconds", type=int, default=120, help="Limit per tool and server.")
    options = parser.parse_args()
    options.place.mkdir(parents=True, exist_ok=True)
    wanted = tuple(name.lower() for name in options.names)
    outcomes = load()
    record = records.current("foreign_servers")
    for server in SERVERS:
        if wanted and not server.name.lower().startswith(wanted):
            continue
        try:
            ours, found = _measured(SPECWRIGHT, by_specwright, server, options)
            theirs, reported = _measured(SCHEMATHESIS, by_schemathesis, server, options)
        except (RuntimeError, CalledProcessError) as error:
            print(f"{server.name}: {error}")
            continue
        theirs = replace(theirs, others=others(reported, found))
        outcomes[server.name] = {SPECWRIGHT: ours, SCHEMATHESIS: theirs}
        keep(outcomes)
        reached = f"{ours.reached} and {theirs.reached} of {ours.operations} operations"
        print(f"{server.name}: {reached}, {len(theirs.others)} failures to compare", flush=True)
    if not wanted:
        records.keep("foreign_servers", record)


def _measured(
    tool: str, run: _Run, server: Server, options: argparse.Namespace
) -> tuple[Outcome, list[Failure]]:
    """Return the result of a tool on a server that is in its state after installation."""
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", "corpus"))
    reports = reports_of(server, options.place, tool)
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    with started(server, options.place, corpus) as running:
        return run(running, server, options.seconds, reports)


if __name__ == "__main__":
    main()
