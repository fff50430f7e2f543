"""Install and start the servers, test each with both tools, and save the results."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory, gettempdir

from benchmarks.foreign.outcomes import TOOLS, keep, load
from benchmarks.foreign.runs import by_schemathesis, by_specwright, started
from benchmarks.foreign.servers import SERVERS

_RUNS = dict(zip(TOOLS, (by_specwright, by_schemathesis), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign", description=__doc__)
    parser.add_argument("names", nargs="*", help="Prefixes of server names.  [default: all]")
    parser.add_argument("--place", type=Path, default=Path(gettempdir(), "specwright-foreign"))
    parser.add_argument("--seconds", type=int, default=120, help="Limit per tool and server.")
    options = parser.parse_args()
    options.place.mkdir(parents=True, exist_ok=True)
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", "corpus"))
    wanted = tuple(each.lower() for each in options.names)
    outcomes = load()
    for server in SERVERS:
        if wanted and not server.name.lower().startswith(wanted):
            continue
        for tool, run in _RUNS.items():
            # Each tool gets the server in its state after installation.
            try:
                with (
                    TemporaryDirectory() as reports,
                    started(server, options.place, corpus) as running,
                ):
                    outcome = run(running, server.key, options.seconds, Path(reports))
            except (RuntimeError, CalledProcessError) as error:
                print(f"{server.name}, {tool}: {error}")
                continue
            outcomes.setdefault(server.name, {})[tool] = outcome
            print(f"{server.name}, {tool}: {outcome.reached} of {outcome.operations} operations")
            keep(outcomes)


if __name__ == "__main__":
    main()
