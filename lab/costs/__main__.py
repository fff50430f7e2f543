"""Measure what the commands cost on documents of growing size; write docs/costs.md.

Documents of the corpus are measured, and those that are given, such as one of Stripe.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from lab.benchmarks.workshop import ROOT
from lab.costs.commands import COMMANDS, PEER, usages
from lab.costs.processes import Usage
from lab.measured import records

PAGE = ROOT / "docs" / "costs.md"
DOCUMENTS = (
    *("train-travel.yaml", "ollama.yaml", "sendgrid-mail.json", "plex.yaml", "unkey.yaml"),
    *("oxide-nexus.json", "apideck-accounting.yaml", "elevenlabs.json", "rebilly.yaml"),
    *("svix-server.json", "digitalocean.json", "elasticsearch-serverless.json"),
    "github-2022-07.json",
)
# As often is each document measured; with one, figures are of a single run.
ROUNDS = 3
_NONE = "\N{EN DASH}"
_SUCCESS = {"test": (0, 1, 3), "mock": (0, -15, 143), "diff": (0, 1)}
HEAD = """\
# The costs of the commands

Written by `nox -s costs` {measured}; do not edit. Each command was run as a process of its own \
with an empty cache, {rounds}. CPU is the seconds of all its processes together; memory is the \
most that each process held, in megabytes, the largest first; a copy of a process has pages in \
common with it. `diff` compares a document with one that requires a property fewer; `test` runs \
for at most ten seconds beside the loading of the document, against `mock`, which is measured \
meanwhile. {peer} generates a client alone. A dash is for an error: of the peer, or in a document \
that `validate` refuses.
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.costs", description=__doc__)
    parser.add_argument("document", nargs="*", type=Path, help="further documents")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", ""))
    if not (corpus / "specs").is_dir():
        print("set SPECWRIGHT_CORPUS to the directory of the corpus")
        return 2
    record = records.current("costs")
    documents = [corpus / "specs" / name for name in DOCUMENTS]
    documents += [document.resolve() for document in options.document]
    documents.sort(key=lambda document: document.stat().st_size)
    measured: dict[Path, dict[str, list[Usage]]] = {each: defaultdict(list) for each in documents}
    for number in range(options.rounds):
        for document in documents:
            for name, usage in usages(document):
                measured[document][name].append(usage)
            print(f"round {number + 1}: {document.name}", flush=True)
    records.keep("costs", record)
    PAGE.write_text(page(measured, options.rounds), "utf-8")
    return 0


def page(measured: Mapping[Path, Mapping[str, Sequence[Usage]]], rounds: int) -> str:
    """Return the page with a table of processor time, and one of memory."""
    times = "once" if rounds == 1 else f"{rounds} times; figures are medians"
    head = HEAD.format(measured=records.words("costs"), rounds=times, peer=PEER)
    titles = ["document", "MB", *COMMANDS]
    lines = [head, "## Processor time", "", *_header(titles)]
    for document, by_command in measured.items():
        cells = [_cpu(name, by_command[name]) for name in COMMANDS]
        lines.append(_row([document.name, _size(document), *cells]))
    lines += ["", "## Memory", "", *_header(titles)]
    for document, by_command in measured.items():
        cells = [_memory(name, by_command[name]) for name in COMMANDS]
        lines.append(_row([document.name, _size(document), *cells]))
    return "\n".join(lines) + "\n"


def _size(document: Path) -> str:
    return f"{document.stat().st_size / 1_000_000:.1f}"


def _cpu(name: str, usages: Sequence[Usage]) -> str:
    if not _succeeded(name, usages):
        return _NONE
    return f"{median(usage.cpu for usage in usages):.1f}"


def _memory(name: str, usages: Sequence[Usage]) -> str:
    if not _succeeded(name, usages):
        return _NONE
    usage = sorted(usages, key=lambda usage: usage.memory)[len(usages) // 2]
    return " + ".join(f"{memory:.0f}" for memory in usage.memory)


def _succeeded(name: str, usages: Sequence[Usage]) -> bool:
    return all(usage.status in _SUCCESS.get(name, (0,)) for usage in usages)


def _header(titles: Sequence[str]) -> list[str]:
    return [_row(titles), "|---|" + "---:|" * (len(titles) - 1)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
