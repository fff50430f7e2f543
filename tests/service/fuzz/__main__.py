"""Let schemathesis loose on the service; complain of findings that docs/ does not explain."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import postgres_server
from ..running import Running, esim_service, serving
from .findings import Run, read

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
LIMIT = "1000000"
# Of schemathesis: nothing was found, something was found.
_ENDS = (0, 1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.service.fuzz", description=__doc__)
    parser.add_argument("--examples", type=int, default=100, help="of each operation and phase")
    parser.add_argument("--seed", type=int, help="of what is made up")
    parser.add_argument("--sqlite-only", action="store_true", help="leave PostgreSQL out")
    options = parser.parse_args()
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    troubles: list[str] = []
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory()))
        cases = [("sqlite", "test"), ("sqlite", "live"), ("postgres", "test")]
        for database, mode in cases[:2] if options.sqlite_only else cases:
            name = f"{database}, {mode} mode"
            with started(database, mode, place) as running:
                run = fuzz(running, mode, place / f"{database}-{mode}.ndjson", options, seed)
                assert running.stop() == 0
                logged = [each for each in running.log() if each["level"] == "error"]
            print(f"\n{name}: {run.requests} requests, {sum(run.explained.values())} findings")
            for (operation, code), count in sorted(run.explained.items()):
                print(f"  explained {count:5}  {operation}  {code}")
            troubles += [f"{name}: {each}" for each in run.troubles(mode)]
            troubles += [f"{name}: it logged {each['event']}" for each in logged]
    print("\n" + "\n".join(troubles or ["no finding except those explained"]), flush=True)
    sys.exit(1 if troubles else 0)


@contextlib.contextmanager
def started(database: str, mode: str, place: Path) -> Iterator[Running]:
    """The service on an empty database."""
    with contextlib.ExitStack() as stack:
        url = str(place / f"{mode}.db")
        if database == "postgres":
            server = postgres_server.start()
            stack.callback(server.cleanup)
            url = server.get_uri()
            assert esim_service("migrate", "--database", url, cwd=place).returncode == 0
        yield stack.enter_context(serving(url, place))


def fuzz(running: Running, mode: str, report: Path, options: argparse.Namespace, seed: int) -> Run:
    """Run schemathesis with a key that no limit stops."""
    key = running.key(mode, "acme", "--read-limit", LIMIT, "--write-limit", LIMIT)
    if mode == "live":
        running.run("partners", "credit", "acme", "100000.00")
    command = [
        *(SCHEMATHESIS, "run", f"{running.base_url}/openapi.json"),
        *("--header", f"Authorization: Bearer {key}"),
        *("--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"),
        *("--max-examples", str(options.examples), "--seed", str(seed), "--continue-on-failure"),
        *("--report", "ndjson", "--report-ndjson-path", report),
    ]
    done = subprocess.run(command, cwd=report.parent, check=False)
    if done.returncode not in _ENDS:
        sys.exit(f"schemathesis ended with {done.returncode}")
    return read(report.read_text("utf-8").splitlines())


if __name__ == "__main__":
    main()
