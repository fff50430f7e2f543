"""Which faults were found, at first and last: kept as JSON, shown as a page of docs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.faults_by_others.table import FAULTS
from lab.measured import records

KEPT = Path(__file__).with_name("verdicts.json")

HEAD = """\
# Faults by others

[Another page](contract-faults.md) has faults that were written beside the checks that find them.
Those of this page were written from the source text of the API, the decisions on it and the
document, by an author who had not read the checks. Each one is a mistake that an implementer could
make, put into the reference service; a request by hand has shown that it is there, and that the
service without it is right. Then `specwright test` is run with the keys that it has options for:
with `--profile quick`, and with `--profile full` where that has found nothing.

The first figure is of 2026-11-22, before any check was changed for these faults, and stays. A check
that is written for one of them should be written for what other documents declare, too: a figure
that grows by knowing the faults says nothing.

The last run was {measured}: all of them were judged again, beside two other judges on the
same two cores, and nothing was found in the service without a fault. That run found 157, of which
149 by quick, as its steps ran out of time on the busy machine: six of the faults were judged again
by themselves. The end of the page lists the reason for each fault that is still missed. By then the
author of the checks had read every fault. The declarations that were added for them are general,
but the figure as of now does not estimate the faults elsewhere.

`nox -s faults_by_others` proves and judges all of them, in an hour, and
`nox -s faults_by_others -- NAME` some. The faults are in `lab/faults_by_others`, and
`python -m lab.faults.faulty NAME` serves with one of them. `nox -s derive` makes this page.

"""


# Why a fault is missed.
_NO_WORDS = "no keyword declares it"
_TWO = "it relates two resources, which no keyword does"
_CENT = "an amount has to be met to the cent, and no run buys for an exact sum"
MISSED = {
    "event-time-with-offset": "`date-time` allows any offset (RFC 3339), and the document no less",
    "unlimited-is-zero": "zero is a valid number of bytes, by the document",
    "unknown-parameter-is-refused": _NO_WORDS,
    "other-bytes-in-deliveries": "the JSON is equal; that the bytes are is not declared",
    "low-balance-is-told-once-for-ever": (
        "`falls` declares it; no run lets a value rise again while it receives events"
    ),
    "topup-plans-of-an-expired-esim": "`x-contract-transition` is about changes, not about lists",
    "no-date-of-success": _NO_WORDS,
    "last-cent-cannot-be-spent": _CENT,
    "low-at-the-threshold": _CENT,
    "data-of-one-day": _TWO,
    "validity-never-starts": _TWO,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rules that found a fault, by profile.

    Attributes:
        full: None when the profile was not tried, because the quick one had found the fault.
    """

    quick: tuple[str, ...]
    full: tuple[str, ...] | None

    @property
    def is_found(self) -> bool:
        """Whether any rule found it."""
        return bool(self.quick or self.full)

    def __str__(self) -> str:
        rules = ", ".join(f"`{each}`" for each in self.quick or self.full or ())
        return f"{rules}{'' if self.quick else ' (full)'}" if rules else "**missed**"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The first and the last verdict on a fault."""

    first: Verdict
    last: Verdict


def load() -> dict[str, Verdicts]:
    """The verdicts by fault."""
    if not KEPT.exists():
        return {}
    return {
        name: Verdicts(_verdict(each["first"]), _verdict(each["last"]))
        for name, each in json.loads(KEPT.read_text("utf-8")).items()
    }


def save(verdicts: Mapping[str, Verdicts]) -> None:
    """Keep verdicts, in the order of the faults."""
    kept = {name: asdict(verdicts[name]) for name in FAULTS if name in verdicts}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def render() -> str:
    """The page."""
    verdicts = load()
    kinds: dict[str, list[str]] = {}
    for name in verdicts:
        kinds.setdefault(FAULTS[name].kind, []).append(name)
    lines = ["| Class | Faults | First, quick | First, full | Now, quick | Now, full |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for kind, names in {**kinds, "all": list(verdicts)}.items():
        lines.append(_total(kind, [verdicts[name] for name in names]))
    for kind, names in kinds.items():
        lines += ["", f"## {_title(kind)}", "", "| Fault | Found first by | Found now by |"]
        lines += ["|---|---|---|", *(_row(name, verdicts[name]) for name in names)]
    missed = [name for name, each in verdicts.items() if not each.last.is_found]
    lines += ["", "## Still missed", "", "| Fault | Reason |", "|---|---|"]
    lines += [f"| `{name}` | {MISSED[name]} |" for name in missed]
    return HEAD.format(measured=records.words("faults_by_others")) + "\n".join(lines) + "\n"


def _verdict(kept: Mapping[str, Iterable[str] | None]) -> Verdict:
    full = kept["full"]
    return Verdict(tuple(kept["quick"] or ()), None if full is None else tuple(full))


def _title(kind: str) -> str:
    return kind.replace("_", " ").capitalize()


def _total(kind: str, verdicts: list[Verdicts]) -> str:
    counts = [
        sum(bool(judged.quick) if profile == "quick" else judged.is_found for judged in column)
        for column in (
            [verdict.first for verdict in verdicts],
            [verdict.last for verdict in verdicts],
        )
        for profile in ("quick", "full")
    ]
    return " | ".join(["| " + _title(kind), str(len(verdicts)), *map(str, counts)]) + " |"


def _row(name: str, verdicts: Verdicts) -> str:
    return f"| `{name}`: {FAULTS[name].says} | {verdicts.first} | {verdicts.last} |"
