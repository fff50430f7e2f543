"""Findings drawn at random, and the requests by hand that judge them.

`python -m lab.foreign_servers.resent` draws from the reports of the last runs.
"""

from __future__ import annotations

import argparse
import json
import random
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.foreign_servers.outcomes import SPECWRIGHT, cell
from lab.foreign_servers.runs import PLACE, reports_of
from lab.foreign_servers.servers import SERVERS

READ = Path(__file__).with_suffix(".toml")
SEED, COUNT = 39, 30

HEAD = """
## {count} findings, sent again by hand

Drawn at random from the findings about {servers}, with the seed {seed}. The requests of each were \
sent again with curl to a server in its state after installation, and compared with the document: \
{verdicts}.

| Server | Finding | What curl showed | Verdict |
|---|---|---|---|
"""


def drawn(place: Path, seed: int, count: int) -> list[tuple[str, dict[str, Any]]]:
    """Return findings, each with its server, that a seed chooses from all reports in a place."""
    findings = [
        (server.name, finding)
        for server in SERVERS
        for report in [reports_of(server, place, SPECWRIGHT) / "report.json"]
        if report.exists()
        for finding in json.loads(report.read_text("utf-8"))["findings"]
    ]
    return random.Random(seed).sample(findings, min(count, len(findings)))


def section() -> str:
    """Return the section of the page."""
    rows = tomllib.loads(READ.read_text("utf-8"))["findings"]
    verdicts = Counter(row["verdict"] for row in rows).most_common()
    head = HEAD.format(
        count=len(rows),
        seed=SEED,
        servers=", ".join(dict.fromkeys(sorted(row["server"] for row in rows))),
        verdicts=", ".join(f"{verdict} ({number})" for verdict, number in verdicts),
    )
    cells = (map(cell, (row["server"], row["finding"], row["curl"])) for row in rows)
    verdict = (f"**{row['verdict']}**" for row in rows)
    return head + "".join(
        f"| {' | '.join(row)} | {judged} |\n" for row, judged in zip(cells, verdict, strict=True)
    )


def _lines(server: str, finding: dict[str, Any]) -> Iterator[str]:
    yield f"{server}: {finding['level']} {finding['rule']} {finding['pointer']}"
    yield f"  {finding['message']}"
    for evidence in finding["evidence"]:
        yield f"  {evidence['label']}: {evidence['text']}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.foreign_servers.resent")
    parser.add_argument("--place", type=Path, default=PLACE)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    for server, finding in drawn(options.place, options.seed, COUNT):
        print("\n".join(_lines(server, finding)), end="\n\n")


if __name__ == "__main__":
    main()
