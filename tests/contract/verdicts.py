"""docs/contract-faults.md: which faults were found, and by which rules."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.contract.faults.table import Fault

PAGE = Path(__file__).parents[2] / "docs" / "contract-faults.md"

HEAD = """\
# What contract tests find

Faults were put into the reference service one at a time, each a bug that breaks a sentence of what the API promises, and `specwright test` was run against it. Beside it stands schemathesis alone, with the same document and one key, for ten seconds. It counts as a find what it does not report of the service without a fault.

Written by `nox -s faults`, which takes half an hour; `nox -s faults -- NAME` tries one. The faults are in `tests/contract/faults`: `python -m tests.contract.faulty NAME` serves with one of them.

"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a fault.

    Attributes:
        rules: those of `specwright test` that found it; empty when it was missed.
        seconds: how long `specwright test` took.
        alone: the checks of schemathesis that found it; None when it did not run.
    """

    fault: Fault
    rules: tuple[str, ...]
    seconds: float
    alone: tuple[str, ...] | None

    def __str__(self) -> str:
        found = ", ".join(self.rules) or "MISSED"
        beside = "not run" if self.alone is None else ", ".join(self.alone) or "missed"
        return (
            f"{self.fault.kind:14} {self.fault.name:34} {self.seconds:5.1f} s  {found}"
            f"  (schemathesis: {beside})"
        )


def render(verdicts: Sequence[Verdict], seeds: int) -> str:
    """The page for verdicts on all faults, in the order of their table."""
    kinds = list(dict.fromkeys(each.fault.kind for each in verdicts))
    lines = [
        "| Class | Faults | `specwright test` | schemathesis alone | either |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [_total(kind, [v for v in verdicts if v.fault.kind == kind]) for kind in kinds]
    lines.append(_total("all", verdicts))
    median = statistics.median(each.seconds for each in verdicts)
    longest = max(each.seconds for each in verdicts)
    lines += [
        "",
        f"A run of `specwright test` took {median:.0f} seconds in the median and {longest:.0f} at "
        f"most. Without a fault it found nothing with {seeds} of {seeds} seeds.",
    ]
    for kind in kinds:
        lines += [
            "",
            f"## {kind.capitalize()}",
            "",
            "| Fault | Rules | schemathesis |",
            "|---|---|---|",
        ]
        lines += [_row(each) for each in verdicts if each.fault.kind == kind]
    return HEAD + "\n".join(lines) + "\n"


def _total(kind: str, verdicts: Sequence[Verdict]) -> str:
    found = sum(bool(each.rules) for each in verdicts)
    alone = sum(bool(each.alone) for each in verdicts)
    either = sum(bool(each.rules or each.alone) for each in verdicts)
    return f"| {kind} | {len(verdicts)} | {found} | {alone} | {either} |"


def _row(verdict: Verdict) -> str:
    rules = ", ".join(f"`{each}`" for each in verdict.rules) or "**missed**"
    alone = ", ".join(f"`{each}`" for each in verdict.alone or ()) or "–"
    return f"| `{verdict.fault.name}`: {verdict.fault.says} | {rules} | {alone} |"
