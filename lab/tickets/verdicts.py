"""The verdicts on the bugs of the servers, first and last: stored as JSON, shown in docs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lab.measured import records
from lab.tickets.bug_table import Bug
from lab.tickets.subjects import SUBJECTS

KEPT = Path(__file__).parent
# The runs against each bug: of `specwright test` with both documents, and of schemathesis.
PLAIN, DECLARED, ALONE = KINDS = ("plain", "declared", "alone")
# What is said of a bug at the level info in the last run of `specwright test`.
NOTED = "noted"

HEAD = """\
# Two servers with bugs

A ticket system in Flask, with a document written by hand, and an archive of files in Litestar, with
the document that it makes of itself; both as a team would write them. Each has one of its bugs at a
time. They were written by an author who had not read the checks; requests by hand show that each
bug is there, and that the server without it is right.

`specwright test` gets the document as it is, the settings that `specwright init` proposes for it,
and the credentials of two tenants, and for the archive those of a reader. Where that finds nothing,
it gets the document with the `x-contract-*` keys and the roles that fit. What is reported at the
same place without a bug does not count. A finding of the level `info` is a note: it fails no
run, and is counted by itself. The findings were read one by one, and all of them tell of the bug.
All runs have one seed. Schemathesis 4 can stand beside it, in
its usual settings, with the plain document and the credentials of one tenant.

The first runs against the archive showed two bugs that were not meant, and were fixed:
errors had the media type of downloads, and a body that is not UTF-8 ended with 500. The first run
against the ticket system with declarations showed a false finding: `GET /tickets?q=No te` had
returned a ticket `No tea`, which contains that text.

The first verdicts are those from before any check was changed for these bugs, and stay. The last
ones were measured {measured}, one after the other on two cores that had other work, too.

`nox -s tickets` judges all of them, in hours, and `nox -s tickets -- archive NAME` some. The
servers are in `lab/tickets` and `lab/archive`; `python -m lab.tickets.serving NAME` serves the
first one with a bug. `nox -s derive` makes this page.

"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a tool, without the details of its requests."""

    rule: str
    level: str
    place: str
    message: str


# The rules that found a bug, each with its first message, by the kind of run.
Verdict = dict[str, dict[str, str]]


@dataclass(slots=True)
class Runs:
    """The results of all runs against one server.

    Attributes:
        clean: what is reported without a bug, by the kind of run.
        first: the first verdict on each bug.
        last: the last verdict on each bug.
    """

    clean: dict[str, list[Finding]] = field(default_factory=dict)
    first: dict[str, Verdict] = field(default_factory=dict)
    last: dict[str, Verdict] = field(default_factory=dict)

    def enter(self, bug: str, kind: str, findings: Iterable[Finding]) -> None:
        """Enter the findings of a run, less those that are there without a bug."""
        known = {(finding.rule, finding.place) for finding in self.clean[kind]}
        rules: dict[str, str] = {}
        notes: dict[str, str] = {}
        for finding in findings:
            if (finding.rule, finding.place) not in known:
                chosen = notes if finding.level == "info" else rules
                chosen.setdefault(finding.rule, finding.message)
        self.first.setdefault(bug, {}).setdefault(kind, rules)
        self.last.setdefault(bug, {})[kind] = rules
        if kind == PLAIN:
            self.last[bug].pop(NOTED, None)
        if kind != ALONE and notes:
            self.last[bug].setdefault(NOTED, {}).update(notes)
        if kind == PLAIN and rules:
            # What the plain document shows needs no declarations.
            self.last[bug].pop(DECLARED, None)

    def blamed(self) -> list[Finding]:
        """Return what `specwright test` reports without a bug, once for each rule and place."""
        rows = [row for kind in (PLAIN, DECLARED) for row in self.clean.get(kind, ())]
        rows = [row for row in rows if row.level != "info"]
        return list({(row.rule, row.place): row for row in rows}.values())


def load(name: str) -> Runs:
    """Return the runs against a server."""
    file = KEPT / f"{name}.json"
    if not file.exists():
        return Runs()
    kept = json.loads(file.read_text("utf-8"))
    clean = {kind: [Finding(**row) for row in rows] for kind, rows in kept["clean"].items()}
    return Runs(clean, kept["first"], kept["last"])


def save(name: str, runs: Runs) -> None:
    """Keep runs, in the order of the bugs."""
    bugs = SUBJECTS[name].bugs
    kept = {
        "clean": {kind: [asdict(row) for row in rows] for kind, rows in runs.clean.items()},
        "first": {bug: runs.first[bug] for bug in bugs if bug in runs.first},
        "last": {bug: runs.last[bug] for bug in bugs if bug in runs.last},
    }
    (KEPT / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def render() -> str:
    """Return the page."""
    measured = records.words("tickets")
    return page({name: load(name) for name in SUBJECTS}, measured)


def page(judged: Mapping[str, Runs], measured: str) -> str:
    """Return the page of the runs against each server, with the words for their date."""
    lines = [
        "| Server | Bugs | First, plain | First, declared | Now, plain | Now, declared "
        "| Now, noted only | schemathesis | Findings without a bug |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_total(name, runs) for name, runs in judged.items()),
    ]
    for name, runs in judged.items():
        subject = SUBJECTS[name]
        lines += ["", f"## {subject.title}", ""]
        lines += ["| Bug | Kind | Found first by | Found now by | schemathesis |"]
        lines += ["|---|---|---|---|---|", *(_row(about, runs) for about in subject.bugs.values())]
        lines += _without_a_bug(runs)
    return HEAD.format(measured=measured) + "\n".join(lines) + "\n"


def _total(name: str, runs: Runs) -> str:
    counts = [
        sum(any(verdict.get(kind) for kind in kinds) for verdict in column.values())
        for column in (runs.first, runs.last)
        for kinds in ((PLAIN,), (PLAIN, DECLARED))
    ]
    noted = sum(map(_only_noted, runs.last.values()))
    ran = [verdict[ALONE] for verdict in runs.last.values() if ALONE in verdict]
    alone = sum(map(bool, ran)) if ran else "not run"
    clean = len(runs.blamed())
    cells = (SUBJECTS[name].title, len(SUBJECTS[name].bugs), *counts, noted, alone, clean)
    return f"| {' | '.join(map(str, cells))} |"


def _row(bug: Bug[Any], runs: Runs) -> str:
    first, last = (column.get(bug.name, {}) for column in (runs.first, runs.last))
    missed = "missed" if ALONE in last else "not run"
    cells = (bug.kind, _words(first), _words(last), _listed(last.get(ALONE, {})) or missed)
    return f"| `{bug.name}`: {bug.says} | {' | '.join(cells)} |"


def _only_noted(verdict: Verdict) -> bool:
    """Tell whether there are notes about a bug, and nothing else."""
    return bool(verdict.get(NOTED)) and not (verdict.get(PLAIN) or verdict.get(DECLARED))


def _words(verdict: Verdict) -> str:
    if _only_noted(verdict):
        return f"{_listed(verdict[NOTED])} (a note)"
    if rules := verdict.get(PLAIN):
        return _listed(rules)
    if rules := verdict.get(DECLARED):
        return f"{_listed(rules)} (declared)"
    if DECLARED in verdict:
        return "**missed**"
    return "**missed** (plain only)" if PLAIN in verdict else "not run"


def _listed(rules: Iterable[str]) -> str:
    return ", ".join(f"`{rule}`" for rule in sorted(rules))


def _without_a_bug(runs: Runs) -> list[str]:
    if not (reported := runs.blamed()):
        return ["", "Without a bug, `specwright test` reports nothing."]
    rows = (f"- `{row.rule}` at `{row.place}`: {row.message}" for row in reported)
    return ["", "Without a bug, `specwright test` reports:", "", *rows]
