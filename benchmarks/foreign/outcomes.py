"""The results of both tools for each server: saved as JSON, rendered as a page."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

KEPT = Path(__file__).with_name("outcomes.json")
# Each cause of specwright was read by hand; the first entry that fits tells what it is.
READ = Path(__file__).with_name("verdicts.toml")
NOT_READ = "not read yet"
TOOLS = ("specwright", "schemathesis")

HEAD = """\
# Servers that others wrote

`specwright test` and schemathesis in its usual settings, one after the other, against software \
that has an API and a document of its own. Each server is installed and started in an environment \
outside this repository; both tools get the same document, the same seed and the same time. \
**Reached** is the number of operations that responded with success at least once; an operation \
that never did was not tested. A cause is a finding that is reported once, followed by the \
operations that have it; schemathesis reports some causes once per operation.

Causes have verdicts by hand: **true** if server and document disagree, **false** if they do not. \
Causes of the same kind share one, from the evidence of some of them. Those of schemathesis are \
the titles of its checks, compared by kind and not failure by failure: **found, too** says that \
specwright has a rule for it, not that it reported each of them on this server.

Measured on 2026-11-24 on two cores: Prefect alone, the others beside the judging of shops and \
faults; each tool for at most 120 s, or 60 s for Svix, two documents of connexion and server-sent \
events. The proxy of LiteLLM has not been measured yet.

`nox -s foreign_servers` measures all of them again, `nox -s foreign_servers -- NAME` some, and \
`nox -s derive` makes this page from `benchmarks/foreign/outcomes.json`.

"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool on a server.

    Attributes:
        seconds: from its start to its end.
        operations, reached: those of the document, and those that responded with success.
        stopped: why it ended early, or could not start.
        causes: how often each was reported.
    """

    seconds: float
    operations: int
    reached: int
    requests: int
    stopped: list[str]
    causes: Mapping[str, int]


Outcomes = dict[str, dict[str, Outcome]]


def load() -> Outcomes:
    """Return the saved results by server and tool."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return {
        server: {tool: Outcome(**each) for tool, each in tools.items()}
        for server, tools in kept.items()
    }


def keep(outcomes: Outcomes) -> None:
    """Save the results."""
    data = {
        server: {tool: asdict(each) for tool, each in tools.items()}
        for server, tools in sorted(outcomes.items())
    }
    KEPT.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")


def render() -> str:
    """Return the page."""
    outcomes = load()
    rows = [
        "| Server | Operations | Tool | Reached | Requests | Seconds | Causes | Reported |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    for server, tools in outcomes.items():
        # schemathesis also counts methods that a path does not have.
        whole = next(tools[tool].operations for tool in TOOLS if tool in tools)
        rows += [_row(server, whole, tool, tools[tool]) for tool in TOOLS if tool in tools]
    verdicts = tomllib.loads(READ.read_text("utf-8"))["verdicts"]
    parts = [HEAD, "\n".join(rows), "\n\n## Causes\n"]
    for server, tools in outcomes.items():
        parts.append(f"\n### {_cell(server)}\n")
        ours, theirs = (tools[each].causes if each in tools else {} for each in TOOLS)
        if ours:
            lines = [f"| {_cell(each)} | {_verdict(verdicts, server, each)} |" for each in ours]
            parts.append("\n".join([f"\n| {TOOLS[0]} | |", "|---|---|", *lines, ""]))
        if theirs:
            lines = [
                f"| {_cell(each)} | {count} | {_verdict(verdicts, server, each)} |"
                for each, count in theirs.items()
            ]
            parts.append("\n".join([f"\n| {TOOLS[1]} | | |", "|---|--:|---|", *lines, ""]))
    return "".join(parts)


def _verdict(verdicts: list[dict[str, str]], server: str, cause: str) -> str:
    for each in verdicts:
        if re.search(each.get("server", ""), server) and re.search(each["cause"], cause):
            return f"**{each['verdict']}**: {_cell(each['why'])}"
    return NOT_READ


def _row(server: str, operations: int, tool: str, outcome: Outcome) -> str:
    if outcome.stopped and not outcome.requests:
        return f"| {server} | {operations} | {tool} | {_cell(outcome.stopped[0])} | | | | |"
    said = sum(outcome.causes.values())
    return (
        f"| {server} | {operations} | {tool} | {outcome.reached} | {outcome.requests:,} "
        f"| {outcome.seconds:.0f} | {len(outcome.causes)} | {said} |"
    )


def _cell(text: str) -> str:
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    return plain if len(plain) < 200 else f"{plain[:200]}…"
