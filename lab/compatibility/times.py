"""Generation times, side by side with openapi-python-client, document by document."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from lab.benchmarks.generation import openapi_python_client
from lab.benchmarks.workshop import Cost, Workshop, timed
from lab.compatibility.documents import Sample
from lab.compatibility.outcomes import PACKAGE
from lab.compatibility.peers import Peers
from lab.measured import records

TITLE = "Time to generate"
HOW = (
    "Published documents that both take, one process at a time and in turns; median of {rounds} "
    "rounds, in seconds. *Cold* begins without a cache; *again* finds the package as it left it."
)
_PEER = "openapi-python-client"


@dataclass(frozen=True, slots=True)
class Times:
    """The generation times of one document."""

    sample: Sample
    cold: Cost
    again: Cost
    peer: Cost


def measured(workshop: Workshop, samples: Iterable[Sample]) -> list[Times]:
    """Measure every document that both generators take."""
    workshop.python_of(_PEER)
    peers = Peers(workshop)
    return [
        _times(workshop, sample)
        for sample in samples
        if not peers.refusal(_PEER, sample.file, workshop.fresh("refusal"))
        and _can(openapi_python_client(workshop, workshop.fresh("first"), sample.file))
    ]


def section(found: Sequence[Times], rounds: int) -> str:
    """Return the section of the page."""
    how = f"{HOW.format(rounds=rounds)} Measured {records.words('compatibility times')}."
    return "\n".join([f"## {TITLE}", "", how, "", *_counts(found), "", *_rows(found), ""])


def _can(command: list[str]) -> bool:
    """Return whether a peer's command succeeds; it cannot format some of its own output."""
    try:
        timed(command)
    except RuntimeError:
        return False
    return True


def _times(workshop: Workshop, sample: Sample) -> Times:
    costs: dict[str, list[Cost]] = {"cold": [], "again": [], "peer": []}
    for _ in range(workshop.rounds):
        place = workshop.fresh("times")
        ours = [sys.executable, "-m", "specwright", "generate", "--document", str(sample.file)]
        ours += ["--output", str(place / "out"), "--package", PACKAGE]
        # The cache is next to the output: an empty directory makes the run cold.
        ours = ["env", f"XDG_CACHE_HOME={place / 'cache'}", *ours]
        peer = openapi_python_client(workshop, place, sample.file)
        for name, command in (("cold", ours), ("again", ours), ("peer", peer)):
            costs[name].append(timed(command))
    return Times(sample, *(_median(costs[name]) for name in ("cold", "again", "peer")))


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(median(cost.wall for cost in costs), median(cost.cpu for cost in costs))


def _counts(found: Sequence[Times]) -> Iterator[str]:
    yield f"| | specwright, cold | {_PEER} | ratio | documents that take longer |"
    yield "|---|---:|---:|---:|---:|"
    for name, of in _MEASURES.items():
        ours, theirs = (
            sum(of(times.cold) for times in found),
            sum(of(times.peer) for times in found),
        )
        longer = f"{sum(of(times.cold) > of(times.peer) for times in found)} of {len(found)}"
        yield f"| {name} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} | {longer} |"


def _rows(found: Sequence[Times]) -> Iterator[str]:
    names = " | ".join(f"cold, {name} | ratio" for name in _MEASURES)
    yield f"| document | kB | {names} | again, wall |"
    yield f"|---|---:|{'---:|' * 2 * len(_MEASURES)}---:|"
    for times in sorted(found, key=_size):
        cold = " | ".join(
            f"{of(times.cold):.1f} | {of(times.cold) / of(times.peer):.2f}"
            for of in _MEASURES.values()
        )
        yield f"| {times.sample.name} | {_size(times):,} | {cold} | {_wall(times.again):.2f} |"


def _size(times: Times) -> int:
    return times.sample.file.stat().st_size // 1000


def _wall(cost: Cost) -> float:
    return cost.wall / 1000


def _cpu(cost: Cost) -> float:
    return cost.cpu / 1000


_MEASURES = {"wall": _wall, "CPU": _cpu}
