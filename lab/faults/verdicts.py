"""The faults found, with their rules: stored as JSON, shown as docs/contract-faults.md."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.faults.table import FAULTS
from lab.measured import records

KEPT = Path(__file__).with_name("verdicts.json")

HEAD = """\
# Faults that contract tests find

Each fault is a bug in the reference service that breaks a sentence of what the API promises. They
are put in one at a time, and `specwright test` is run against the service with one key of each of
two partners, and one whose limits may be used up. Beside it stands schemathesis alone, which sends
requests for {seconds} seconds with the same document and one key. Checks that fail without any
fault, too, do not count for it, nor does `positive_data_acceptance`: it takes for granted that
each request that keeps the schema succeeds.

`specwright test` was judged {measured}, in parts and beside other work on the same two cores, and
schemathesis on 2026-11-25. In the service without a fault, `specwright test` finds nothing with any
of three seeds; nor does it where all times are whole seconds.

`nox -s faults` judges all of them, in half an hour, `nox -s faults -- --schemathesis` that, too,
and `nox -s faults -- NAME` some. The faults are in `lab/faults`;
`python -m lab.faults.faulty NAME` serves with one of them.
`nox -s derive` makes this page.

"""
ALONE_SECONDS = 7


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a fault.

    Attributes:
        rules: those of `specwright test` that found it; empty when it was missed.
        seconds: how long `specwright test` took.
        alone: the checks of schemathesis that found it; None when it did not run.
    """

    rules: tuple[str, ...]
    seconds: float
    alone: tuple[str, ...] | None

    def __str__(self) -> str:
        beside = "not run" if self.alone is None else ", ".join(self.alone) or "missed"
        found = ", ".join(self.rules) or "MISSED"
        return f"{self.seconds:5.1f} s  {found}  (schemathesis: {beside})"


def load() -> dict[str, Verdict]:
    """The verdicts by fault."""
    if not KEPT.exists():
        return {}
    return {
        name: Verdict(
            tuple(each["rules"]),
            each["seconds"],
            None if each["alone"] is None else tuple(each["alone"]),
        )
        for name, each in json.loads(KEPT.read_text("utf-8")).items()
    }


def save(verdicts: Mapping[str, Verdict]) -> None:
    """Keep verdicts, in the order of the faults."""
    kept = {name: asdict(verdicts[name]) for name in FAULTS if name in verdicts}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def render() -> str:
    """The page."""
    verdicts = load()
    kinds: dict[str, list[str]] = {}
    for name in verdicts:
        kinds.setdefault(FAULTS[name].kind, []).append(name)
    lines = ["| Class | Faults | `specwright test` | schemathesis alone |", "|---|---:|---:|---:|"]
    for kind, names in {**kinds, "all": list(verdicts)}.items():
        lines.append(_total(kind, [verdicts[name] for name in names]))
    seconds = [verdict.seconds for verdict in verdicts.values()]
    lines += [
        "",
        f"`specwright test` took {statistics.median(seconds):.0f} seconds in the median and "
        f"{max(seconds):.0f} at most, with other tests at work at the same time.",
    ]
    for kind, names in kinds.items():
        lines += ["", f"## {kind.capitalize()}", "", "| Fault | Found by | schemathesis |"]
        lines += ["|---|---|---|", *(_row(name, verdicts[name]) for name in names)]
    return (
        HEAD.format(measured=records.words("faults"), seconds=ALONE_SECONDS)
        + "\n".join(lines)
        + "\n"
    )


def _total(kind: str, verdicts: Sequence[Verdict]) -> str:
    found = sum(bool(verdict.rules) for verdict in verdicts)
    alone = sum(bool(verdict.alone) for verdict in verdicts)
    return f"| {kind} | {len(verdicts)} | {found} | {alone} |"


def _row(name: str, verdict: Verdict) -> str:
    rules = ", ".join(f"`{rule}`" for rule in verdict.rules) or "**missed**"
    checks = "not run" if verdict.alone is None else "missed"
    alone = ", ".join(f"`{each}`" for each in verdict.alone or ()) or checks
    return f"| `{name}`: {FAULTS[name].says} | {rules} | {alone} |"
