"""Runs of the situations: each library in its environment and its situations."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from lab.benchmarks import generation
from lab.benchmarks.imports import BARE, READY, label, start_up
from lab.benchmarks.measurement import OURS
from lab.benchmarks.workshop import ENVIRONMENT, ROOT, Workshop, timed
from lab.situations import narrowing
from lab.situations.outcomes import Outcome
from lab.situations.table import NOT_OFFERED, SITUATIONS
from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.pipeline import generate

STAGE = Path(__file__).with_name("stage")
BICYCLES = ROOT / "tests" / "golden" / "bicycle_rental"
SUBJECTS = (OURS, "openai", "stripe", "svix", "openapi-python-client")
CHECKERS = ("mypy", "pyright")
STARTS = {"import": BARE, "first-use": READY}
STAGED = [name for name in SITUATIONS if name not in (*CHECKERS, *STARTS)]


def python_of(subject: str, workshop: Workshop) -> str:
    return sys.executable if subject == OURS else str(workshop.python_of(subject))


def generated(workshop: Workshop, subjects: Iterable[str]) -> Path:
    """Generate the clients that are not committed; return the directory that holds them."""
    place = workshop.fresh("clients")
    if OURS in subjects:
        options = PackageOptions(package="velo", short_method_names=True)
        for name, content in generate(load(BICYCLES / "input.json"), options).items():
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    if "openapi-python-client" in subjects:
        timed(generation.openapi_python_client(workshop, place))
        document = BICYCLES / "input.json"
        timed(generation.openapi_python_client(workshop, place, document, "peer_velo"))
    return place


def staged(subject: str, names: list[str], workshop: Workshop, clients: Path) -> dict[str, Outcome]:
    """Put a subject into situations, in its own environment."""
    script = [str(STAGE / "perform.py"), subject.replace("-", "_"), *names]
    inherited = {name: text for name, text in ENVIRONMENT.items() if "proxy" not in name.lower()}
    environment = {**inherited, "PYTHONPATH": str(clients)}
    done = subprocess.run(
        [python_of(subject, workshop), *script],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {name: Outcome(*each) for name, each in json.loads(done.stdout).items()}


def measured(
    names: list[str], workshop: Workshop, subjects: Iterable[str]
) -> dict[str, dict[str, Outcome]]:
    """Return the outcomes by situation and subject."""
    clients = generated(workshop, subjects)
    rows: dict[str, dict[str, Outcome]] = {name: {} for name in names}
    on_stage = [name for name in names if name in STAGED]
    for subject in subjects:
        found = staged(subject, on_stage, workshop, clients) if on_stage else {}
        if set(names) & set(CHECKERS):
            found |= checked(subject, workshop)
        for name in rows.keys() & found.keys():
            rows[name][subject] = found[name]
    for name in rows.keys() & STARTS.keys():
        rows[name] = started(workshop, STARTS[name])
    return rows


def checked(subject: str, workshop: Workshop) -> dict[str, Outcome]:
    if subject not in narrowing.EVENTS:
        return dict.fromkeys(CHECKERS, Outcome(NOT_OFFERED, "no types of webhooks"))
    place = workshop.fresh(f"narrowing-{subject}")
    return narrowing.narrowed(subject, python_of(subject, workshop), place)


def started(workshop: Workshop, programs: dict[str, str]) -> dict[str, Outcome]:
    """Measure all subjects, as their times are comparable within one run only."""
    present = {subject: program for subject, program in programs.items() if subject in SUBJECTS}
    samples = start_up(workshop, present)
    return {
        subject: Outcome(f"{median(samples[label(subject)]):.0f}", "ms")
        if subject in present
        else Outcome(NOT_OFFERED, "not measured")
        for subject in SUBJECTS
    }
