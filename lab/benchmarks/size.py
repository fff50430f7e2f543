"""The size of an SDK: memory when it is ready, and disk space when it is installed."""

import os
import subprocess
import sys

from lab.benchmarks.imports import IN_THIS_ENVIRONMENT, READY, label
from lab.benchmarks.measurement import OURS, Measurement, Samples
from lab.benchmarks.peers import PEERS, Peer
from lab.benchmarks.workshop import ENVIRONMENT, ROOT, Workshop, environment, probe

SDKS = ("openai", "stripe", "svix")


def memory(workshop: Workshop) -> Samples:
    """Measure the peak memory of a process that is ready for its first call."""
    present = {*workshop.invite(SDKS), *IN_THIS_ENVIRONMENT}
    samples: Samples = {}
    for subject in (name for name in READY if name in present):
        here = subject in IN_THIS_ENVIRONMENT
        python = sys.executable if here else str(workshop.python_of(subject))
        held = [_held([python, "-c", READY[subject]]) for _ in range(workshop.rounds)]
        samples[label(subject)] = held
    return samples


def _held(command: list[str]) -> float:
    process = subprocess.Popen(command, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(" ".join(command))
    return usage.ru_maxrss / 1024


def installed(workshop: Workshop) -> Samples:
    """Measure the files of a distribution and of all its requirements."""
    place = workshop.fresh("installed")
    python = environment(place / "environment", Peer("partner-esim", (str(ROOT / "generated"),)))
    samples: Samples = {OURS: probe(python, "installed_size.py", "partner-esim")["size"]}
    for key in workshop.invite(SDKS):
        found = probe(workshop.python_of(key), "installed_size.py", key)
        samples[PEERS[key].label] = found["size"]
    return samples


MEMORY = Measurement(
    "memory",
    "Memory when ready for the first request",
    "MB",
    "The most that a process held that did what the table above shows.",
    memory,
)
INSTALLED = Measurement(
    "installed",
    "Size of an installation",
    "MB",
    "All files of the distribution and of what it requires, without compiled modules.",
    installed,
)
