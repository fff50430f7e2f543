"""The results of the programs: saved as JSON, rendered as docs/sdk-real-servers.md."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.measured import records
from lab.real_servers.checks import CHECKERS, Mistakes
from lab.real_servers.servers import REAL_SERVERS

KEPT = Path(__file__).with_name("outcomes.json")
# Findings by hand.
READ = Path(__file__).with_name("read.toml")

HEAD = """\
# Real servers

Programs of 15 to 20 calls against servers that others wrote, installed and started as their \
documentation says, each with the document that the server itself publishes. The same program is \
written with the SDK that `specwright init` and `specwright generate` make of that document, \
synchronously and asynchronously; with openapi-python-client, unless the document is in Swagger \
2.0; and with the SDK of the server's makers, if there is one for Python. Measured {measured}.

- **Lines** are those of the program, without blank ones and comments.
- **Wrong reads** are values that differ from the JSON that the server sent: a proxy on loopback \
records it. Programs read single members and, with generated SDKs, whole objects.
- **Mistakes** are made on purpose, one at a time and the same kinds in each program; 7 of 8 are \
found if a checker in strict mode reports 7 of them. **Errors** are those that it reports in the \
program without mistakes.
- **CPU** is the time of the processor for the whole program, its imports included: the least of \
three runs.

`nox -s real_servers` measures all of them again, `nox -s real_servers -- NAME` some, and \
`nox -s derive` makes this page from `lab/real_servers/outcomes.json` and `read.toml`.

"""
_NOTES = {
    "harder": "Harder with specwright than with the SDK of the makers",
    "repaired": "Repaired in specwright",
    "noted": "Also noted",
}
KINDS = {
    "ours": "specwright",
    "ours_async": "specwright, async",
    "peer": "openapi-python-client",
    "product": "product",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one program.

    Attributes:
        stopped: the last line of its error, or of that of its generator; empty if it worked.
        calls: requests that it sent.
        reads, wrong: values that it read, and a line for each that differs.
        cpu: in seconds.
        mistakes: by checker.
    """

    stopped: str
    lines: int
    calls: int
    reads: int
    wrong: list[str]
    cpu: float
    mistakes: Mapping[str, Mistakes]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The results on one server.

    Attributes:
        label: its name and version.
        product: the SDK of its makers, with its version.
        document: the operations of its document, as `generate` counts them.
        programs: by the kind of program.
    """

    label: str
    product: str
    document: str
    programs: Mapping[str, Outcome]


def load() -> dict[str, Outcomes]:
    """Return the saved results by server."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return {
        key: Outcomes(
            **{
                **server,
                "programs": {
                    kind: Outcome(
                        **{
                            **program,
                            "mistakes": {
                                checker: Mistakes(**mistakes)
                                for checker, mistakes in program["mistakes"].items()
                            },
                        }
                    )
                    for kind, program in server["programs"].items()
                },
            }
        )
        for key, server in kept.items()
    }


def keep(outcomes: Mapping[str, Outcomes]) -> None:
    """Save the results in the order of the table."""
    data = {
        server.key: asdict(outcomes[server.key])
        for server in REAL_SERVERS
        if server.key in outcomes
    }
    KEPT.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def render() -> str:
    """Return the page."""
    read = tomllib.loads(READ.read_text("utf-8"))
    parts = [HEAD.format(measured=records.words("real_servers"))]
    for key, outcome in load().items():
        parts.append(f"## {outcome.label}\n\n{outcome.document}.\n\n")
        parts += [_table(outcome), "\n"]
        for name, title in _NOTES.items():
            if lines := read.get(key, {}).get(name):
                parts.append(f"{title}:\n\n" + "".join(f"- {line}\n" for line in lines) + "\n")
    return "".join(parts).rstrip() + "\n"


def _table(outcome: Outcomes) -> str:
    head = ["SDK", "Lines", "Requests", "Reads", "Wrong reads"]
    head += [f"{name} of {checker}" for name in ("Mistakes", "Errors") for checker in CHECKERS]
    rows = [[*head, "CPU"], ["---", *["--:"] * len(head)]]
    for kind, program in outcome.programs.items():
        name = outcome.product if kind == "product" else KINDS[kind]
        if program.stopped:
            rows.append([name, f"stopped: {_cell(program.stopped)}", *[""] * (len(head) - 1)])
            continue
        results = [program.mistakes[checker] for checker in CHECKERS]
        total = [len(result.noticed) + len(result.missed) for result in results]
        rows.append(
            [
                name,
                *map(str, (program.lines, program.calls, program.reads, len(program.wrong))),
                *(f"{len(r.noticed)} of {n}" for r, n in zip(results, total, strict=True)),
                *(str(result.errors) for result in results),
                f"{program.cpu:.2f} s",
            ]
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
