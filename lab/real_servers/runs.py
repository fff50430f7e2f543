"""The generated SDKs of a server, and the runs of its programs."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.benchmarks.generation import openapi_python_client
from lab.benchmarks.peers import Peer
from lab.benchmarks.workshop import ENVIRONMENT, Workshop, environment, timed
from lab.foreign_servers.runs import started
from lab.real_servers.checks import checked, edits
from lab.real_servers.outcomes import KINDS, Outcome, Outcomes
from lab.real_servers.reads import wrong_reads
from lab.real_servers.recorder import recording
from lab.real_servers.servers import PROGRAMS, RealServer

_ROUNDS = 3
# The variable of each generated client.
_OURS, _PEER = "ours", "peer"


def measured(server: RealServer, place: Path, workshop: Workshop) -> Outcomes:
    """Install and start a server, and run its programs."""
    place.mkdir(parents=True, exist_ok=True)
    with started(server.server, place, place) as running:
        with urllib.request.urlopen(running.document, timeout=60) as response:
            document = workshop.fresh(server.key) / "openapi.json"
            document.write_bytes(response.read())
        counted, packages = generated(document, server, workshop)
        outcomes = {}
        for kind in KINDS:
            program = server.programs / f"{kind}.py"
            if not program.exists():
                continue
            python = _python(kind, server, place, workshop)
            path = [PROGRAMS, packages[kind.removesuffix("_async")]]
            outcomes[kind] = outcome(server, program, python, path, running.url, workshop)
    product = server.product[0].replace("==", " ") if server.product else ""
    return Outcomes(server.label, product, counted, outcomes)


def generated(
    document: Path, server: RealServer, workshop: Workshop
) -> tuple[str, Mapping[str, Path]]:
    """Generate the SDKs; return the counts of our generator, and the directory of each."""
    place, key = document.parent, server.key
    command = [str(Path(sys.executable).with_name("specwright"))]
    for arguments in (
        ["init", document.name],
        ["generate", "--package", f"{key}_sdk", "--output", "ours"],
    ):
        done = subprocess.run(
            [*command, *arguments], cwd=place, env=ENVIRONMENT, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
    counted = done.stdout.strip().splitlines()[-1]
    peer = place / "peer"
    # It reads no Swagger 2.0.
    if (server.programs / "peer.py").exists():
        peer.mkdir()
        timed(openapi_python_client(workshop, peer, document, f"{key}_peer"))
    return counted, {_OURS: place / "ours", _PEER: peer, "product": place}


def _python(kind: str, server: RealServer, place: Path, workshop: Workshop) -> Path | str:
    if kind == "product":
        assert server.product is not None
        peer = Peer(server.key, server.product)
        return environment(place / f"{server.key}-product", peer)
    return workshop.python_of("openapi-python-client") if kind == _PEER else sys.executable


def outcome(
    server: RealServer,
    program: Path,
    python: Path | str,
    packages: Sequence[Path],
    url: str,
    workshop: Workshop,
) -> Outcome:
    """Run a program, and check it with mistakes."""
    sources = tomllib.loads((server.programs / "reads.toml").read_text("utf-8"))
    text = program.read_text("utf-8").splitlines()
    lines = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in text)
    times: list[float] = []
    for number in range(_ROUNDS):
        with recording(url) as recorder:
            variables = {k: v.format(url=recorder.url) for k, v in server.variables.items()}
            variables["PYTHONPATH"] = ":".join(map(str, packages))
            name = f"{program.stem.replace('_', '-')}-{number}"
            done, cpu = _timed([str(python), str(program), recorder.url, name], variables)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            return Outcome("".join(last), lines, len(recorder.exchanges), 0, [], 0, {})
        times.append(cpu)
    seen = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    wrong = list(wrong_reads(seen, sources, recorder.exchanges))
    place = workshop.fresh(f"{server.key}-{program.stem}")
    mistakes = checked(program, edits(server.programs, program.stem), python, packages, place)
    return Outcome(
        "", lines, len(recorder.exchanges), len(seen), wrong, round(min(times), 2), mistakes
    )


def _timed(
    command: list[str], variables: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[str], float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    inherited = {name: text for name, text in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run(
        command, env={**inherited, **variables}, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
