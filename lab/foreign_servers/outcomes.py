"""The results of both tools for each server: saved as JSON, rendered as a page."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.foreign_servers.comparison import Other
from lab.measured import records

KEPT = Path(__file__).with_name("outcomes.json")
# Verdicts by hand on the causes of specwright, and on the failures that only schemathesis reports;
# the first entry that fits counts.
READ = Path(__file__).with_name("verdicts.toml")
NOT_READ = "not read yet"
SPECWRIGHT, SCHEMATHESIS = "specwright", "schemathesis"

HEAD = """\
# Servers that others wrote

`specwright test` and schemathesis in its usual settings, one after the other, against software \
that has an API and a document of its own. Each server is installed and started in an environment \
outside this repository; both tools get the same document, the same seed and the same time. \
**Reached** is the number of operations that responded with success at least once; an operation \
that never did was not tested. A cause is a finding that is reported once, followed by the \
operations that have it; schemathesis reports some causes once per operation.

A server that crashes is started again, as its supervisor does in production.

Causes have verdicts by hand: **true** if server and document disagree, **false** if they do not; \
causes of the same kind share one. The failures of schemathesis are compared one by one: \
**equal** are those for which a rule of specwright failed on the same operation, with the same \
status or for the member or parameter of that name. The others have verdicts by hand, too, with \
the number of places: **equal elsewhere** is the same fault, which specwright reports for other \
operations, and **true, by chance** one that a run with other random values may report or not.

Measured {measured}, \
on two cores; each tool for at most 120 s on Prefect, Chroma and the \
proxy of LiteLLM, with nothing beside it, and 60 s on the others, beside judges of faults. The \
proxy was measured some changes earlier, and ran without its database, as the engine for it could \
not be downloaded: two thirds of its operations respond with 500. What specwright reached of \
Prefect differs from run to run: 173 to 180 operations. Glances, Jupyter Server, Kinto and \
LoopBack were added on 2026-11-29 at commit `e0d7eee8`, each tool for at most 90 s, beside much \
other work; what was false about them is no longer reported. Airflow, Django Ninja, Litestar and \
Unleash followed on the same day at commit `f7790e01`, also for 90 s, with the processor's lowest \
priority and a load of 17 to 20 on two cores: a quiet machine reaches more. No tool calls the \
operation of Unleash that begins its maintenance, in which each write is answered 503; \
specwright stopped when a deep list had ended its process, which was not started again in time.

`nox -s foreign_servers` measures all of them again, `nox -s foreign_servers -- NAME` some, and \
`nox -s derive` makes this page from `lab/foreign_servers/outcomes.json`.

"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool on a server.

    Attributes:
        seconds: from its start to its end.
        operations, reached: those of the document, and those that responded with success.
        stopped: why it ended early, or could not start.
        causes: how often each was reported.
        others: failures that the other tool does not report.
    """

    seconds: float
    operations: int
    reached: int
    requests: int
    stopped: list[str]
    causes: Mapping[str, int]
    others: Sequence[Other] = ()


Outcomes = dict[str, dict[str, Outcome]]


def load() -> Outcomes:
    """Return the saved results by server and tool."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return {
        server: {tool: _outcome(each) for tool, each in tools.items()}
        for server, tools in kept.items()
    }


def _outcome(kept: dict[str, Any]) -> Outcome:
    return Outcome(**{**kept, "others": tuple(Other(*other) for other in kept["others"])})


def keep(outcomes: Outcomes) -> None:
    """Save the results."""
    data = {
        server: {tool: _kept(each) for tool, each in tools.items()}
        for server, tools in sorted(outcomes.items())
    }
    KEPT.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _kept(outcome: Outcome) -> dict[str, Any]:
    return {**asdict(outcome), "others": [list(asdict(other).values()) for other in outcome.others]}


def render(*sections: str) -> str:
    """Return the page, with more sections before the causes."""
    outcomes = load()
    rows = [
        "| Server | Operations | Tool | Reached | Requests | Seconds | Causes | Reported |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    for server, tools in outcomes.items():
        for tool in (SPECWRIGHT, SCHEMATHESIS):
            rows.append(_row(server, tools[SPECWRIGHT].operations, tool, tools[tool]))
    read = tomllib.loads(READ.read_text("utf-8"))
    parts = [
        HEAD.format(measured=records.words("foreign_servers")),
        "\n".join(rows),
        "\n",
        *sections,
        "\n## Causes\n",
    ]
    for server, tools in outcomes.items():
        parts.append(f"\n### {cell(server)}\n")
        if ours := tools[SPECWRIGHT].causes:
            lines = [f"| {cell(row)} | {_verdict(read['causes'], server, row)} |" for row in ours]
            parts.append("\n".join([f"\n| {SPECWRIGHT} | |", "|---|---|", *lines, ""]))
        if tools[SCHEMATHESIS].causes:
            lines = _compared(read["others"], server, tools[SCHEMATHESIS])
            head = [f"\n| {SCHEMATHESIS} | Reported | Equal | Others |", "|---|--:|--:|---|"]
            parts.append("\n".join([*head, *lines, ""]))
    return "".join(parts)


def _compared(verdicts: list[dict[str, str]], server: str, outcome: Outcome) -> list[str]:
    """Return the rows of the checks of schemathesis."""
    others = defaultdict[str, list[Other]](list)
    for other in outcome.others:
        others[other.check].append(other)
    rows = []
    for check, count in outcome.causes.items():
        said = Counter(
            _verdict(
                verdicts,
                server,
                f"{other.check}: {other.operation}: {other.about}: {other.evidence}",
            )
            for other in others[check]
            for place in [f"{other.check}: {other.operation}: {other.about}"]
        )
        told = "; ".join(f"{words} ({number})" for words, number in said.most_common())
        equal = count - sum(other.times for other in others[check])
        rows.append(f"| {cell(check)} | {count} | {equal} | {told} |")
    return rows


def _verdict(verdicts: list[dict[str, str]], server: str, subject: str) -> str:
    for verdict in verdicts:
        if re.search(verdict["server"], server) and re.search(verdict["cause"], subject):
            return f"**{verdict['verdict']}**: {cell(verdict['why'])}"
    return f"**{NOT_READ}**"


def _row(server: str, operations: int, tool: str, outcome: Outcome) -> str:
    if outcome.stopped and not outcome.requests:
        return f"| {server} | {operations} | {tool} | {cell(outcome.stopped[0])} | | | | |"
    said = sum(outcome.causes.values())
    return (
        f"| {server} | {operations} | {tool} | {outcome.reached} | {outcome.requests:,} "
        f"| {outcome.seconds:.0f} | {len(outcome.causes)} | {said} |"
    )


def cell(text: str) -> str:
    """Return a text as a cell of a table, cut if it is long."""
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    return plain if len(plain) < 200 else f"{plain[:200]}…"
