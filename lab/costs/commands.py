"""The commands that are measured, on one document."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread

from lab.agreement.processes import key_of
from lab.benchmarks.commits import ADDRESS, arguments
from lab.benchmarks.peers import PEERS
from lab.benchmarks.workshop import ENVIRONMENT, ROOT, environment
from lab.costs.processes import Usage, run

PEER = "openapi-python-client"
COMMANDS = ("validate", "generate", PEER, "docs", "diff", "mock", "test")
_SPECWRIGHT = (sys.executable, "-P", "-m", "specwright")
_KEY = "SPECWRIGHT_COSTS_KEY"
_TEST_SECONDS = 10


def usages(document: Path) -> Iterator[tuple[str, Usage]]:
    """Yield the use of each command on a document; `mock` serves the requests of `test`."""
    for name in COMMANDS[:-2]:
        with TemporaryDirectory() as directory, TemporaryFile() as output:
            place = Path(directory)
            command = _peer(document, place) if name == PEER else _ours(name, document, place)
            # The cache is in the directory: every run is cold.
            yield name, run(command, place, _environment(place, document), output)
    yield from _mock_and_test(document)


def _mock_and_test(document: Path) -> Iterator[tuple[str, Usage]]:
    with TemporaryDirectory() as directory, TemporaryFile() as printed, TemporaryFile() as output:
        place, tests = Path(directory), list[Usage]()
        own = _environment(place, document)
        mocks = list[Usage]()
        serving = Thread(
            target=lambda: mocks.append(
                run(
                    [*_SPECWRIGHT, "mock", str(document)],
                    place,
                    own,
                    printed,
                    until=lambda: bool(tests),
                )
            )
        )
        serving.start()
        url = ""
        while not url and serving.is_alive():
            time.sleep(0.05)
            if address := ADDRESS.search(os.pread(printed.fileno(), 10_000, 0)):
                url = address[0].decode()
        options = ["--max-time", str(_TEST_SECONDS), "--seed", "1", "--api-key-env", _KEY]
        command = [*_SPECWRIGHT, "test", url, str(document), "--quiet", *options]
        tests.append(run(command, place, own, output))
        serving.join()
        yield "mock", mocks[0]
        yield "test", tests[0]


def _environment(place: Path, document: Path) -> dict[str, str]:
    return {**ENVIRONMENT, "XDG_CACHE_HOME": str(place), _KEY: key_of(document)}


def _ours(name: str, document: Path, place: Path) -> Sequence[str]:
    return [*_SPECWRIGHT, *arguments(name, document, place)]


def _peer(document: Path, place: Path) -> Sequence[str]:
    python = environment(ROOT / ".nox" / "bench-peers" / PEER, PEERS[PEER])
    target = ["--meta", "none", "--overwrite", "--output-path", str(place / "peer")]
    return [str(python.with_name(PEER)), "generate", "--path", str(document), *target]
