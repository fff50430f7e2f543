"""The environment of measurements: the document, the peers and timed processes."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.benchmarks.peers import PEERS, Peer

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "spec" / "openapi.json"
PROBES = Path(__file__).parent / "probes"
# Python writes bytecode files, as it does for users.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}


class AbsentError(Exception):
    """A peer cannot take part on this machine."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one process, in milliseconds."""

    wall: float
    cpu: float


@dataclass(slots=True)
class Workshop:
    """A working directory, the peers' environments, the number of rounds, and the absent peers."""

    place: Path
    peers: Path
    rounds: int
    absent: dict[str, str] = field(default_factory=dict)

    def fresh(self, name: str) -> Path:
        """Return an empty directory."""
        path = self.place / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def python_of(self, key: str) -> Path:
        """Return the interpreter of a peer's environment, which is created on first use."""
        peer = PEERS[key]
        if peer.needs and not shutil.which(peer.needs):
            raise AbsentError(f"needs {peer.needs}")
        return environment(self.peers / key, peer)

    def command_of(self, key: str, name: str) -> str:
        return str(self.python_of(key).with_name(name))

    def invite(self, keys: Iterable[str]) -> list[str]:
        """Return the peers that can take part; the others are noted with the reason."""
        present = []
        for key in keys:
            try:
                self.python_of(key)
            except AbsentError as error:
                self.absent[PEERS[key].label] = str(error)
            else:
                present.append(key)
        return present


def environment(place: Path, peer: Peer) -> Path:
    python = place / "bin" / "python"
    stamp = place / "requirements.json"
    wanted = json.dumps(peer.requirements)
    if not (stamp.exists() and stamp.read_text("utf-8") == wanted):
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            venv = [sys.executable, "-m", "venv", "--clear", str(place)]
            subprocess.run(venv, env=ENVIRONMENT, check=True)
            subprocess.run([*install, *peer.requirements], env=ENVIRONMENT, check=True)
        except subprocess.CalledProcessError as error:
            raise AbsentError("could not be installed") from error
        stamp.write_text(wanted, "utf-8")
    return python


def timed(command: list[str]) -> Cost:
    """Run a command that must succeed, and return its cost, including that of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    result = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall * 1000, cpu * 1000)


def probe(python: Path | str, name: str, *arguments: str) -> dict[str, Any]:
    """Run a script of `probes/` with an interpreter, and return the JSON that it prints."""
    result = subprocess.run(
        [python, PROBES / name, *arguments],
        cwd=PROBES,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise RuntimeError(f"{name}\n{result.stdout}{result.stderr}")
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer
