"""Run the loop over its documents and those of the corpus; write docs/agreement.md.

With arguments, print the outcomes of these documents as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from lab.agreement import loop, page
from lab.agreement.checks import CHECKS
from lab.agreement.loop import ROOT, Outcome
from lab.measured import records

# A process for so many documents, as packages stay in memory, and so long for each of them.
_TOGETHER, _SECONDS = 8, 400
RESULTS = ROOT / ".nox" / "agreement-outcomes"
PAGE = ROOT / "docs" / "agreement.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.agreement", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--own", action="store_true", help="leave the corpus out")
    parser.add_argument("--check", action="append", choices=CHECKS, help="only this check")
    parser.add_argument("--resume", action="store_true", help="keep the outcomes of a run before")
    options = parser.parse_args()
    if options.files:
        for file in options.files:
            for outcome in _outcomes(file.resolve(), options.check or [*CHECKS]):
                print(json.dumps(asdict(outcome)), flush=True)
        return 0
    record = records.current("agreement")
    if not options.resume:
        shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    own = _all([*_chunks(loop.DOCUMENTS), *_chunks(loop.REFUSED), *_chunks(loop.PAIRS)])
    published = [] if options.own else _all(_published(loop.corpus()))
    listed = loop.exemptions()
    known = {outcome.document for outcome in (*own, *published)}
    errors = list(loop.wrong([*own, *published], listed))
    print("\n".join(errors) or "no contradiction without a reason")
    if published:
        records.keep("agreement", record)
        listed = [entry for entry in listed if entry.document in known]
        PAGE.write_text(page.page(own, published, listed), "utf-8")
    return int(bool(errors))


def _published(corpus: Path) -> list[list[Path]]:
    """Return the documents and pairs of the corpus, each list for one process."""
    if not corpus.is_dir():
        print(f"no corpus at {corpus}: set SPECWRIGHT_CORPUS to its directory")
        return []
    pairs = [pair.before for pair in loop.published_pairs(corpus)]
    return [*([file] for file in reversed(loop.published(corpus))), *_chunks(pairs)]


def _all(groups: Sequence[Sequence[Path]]) -> list[Outcome]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sorted(outcome for part in pool.map(_apart, groups) for outcome in part)


def _outcomes(file: Path, checks: Sequence[str]) -> Iterator[Outcome]:
    if file in loop.PAIRS:
        yield from loop.of_pair(file)
    elif file in loop.REFUSED:
        yield from loop.of_refused(file)
    elif file.name.endswith(loop.BASE):
        yield from loop.of_pair(loop.pair_of(file))
    else:
        yield from loop.of_document(file, checks)


def _chunks(files: Sequence[Path]) -> Iterator[list[Path]]:
    for start in range(0, len(files), _TOGETHER):
        yield [*files[start : start + _TOGETHER]]


def _apart(files: Sequence[Path]) -> list[Outcome]:
    """Run the loop over documents in a process of its own."""
    kept = RESULTS / f"{files[0].name}.jsonl"
    if not kept.exists():
        command = [sys.executable, "-W", "ignore", "-m", "lab.agreement", *map(str, files)]
        with kept.with_suffix(".part").open("w") as output:
            try:
                done = subprocess.run(
                    command,
                    cwd=ROOT,
                    stdout=output,
                    stderr=subprocess.PIPE,
                    text=True,
                    timeout=_SECONDS * len(files),
                )
                *_, cause = done.stderr.splitlines() or [f"exit {done.returncode}"]
                failure = cause if done.returncode else ""
            except subprocess.TimeoutExpired:
                failure = f"takes more than {_SECONDS} seconds"
            if failure:
                lost = Outcome(files[0].name, "process", (failure,))
                output.write(json.dumps(asdict(lost)) + "\n")
        kept.with_suffix(".part").rename(kept)
    return [
        Outcome(fields["document"], fields["check"], tuple(fields["contradictions"]))
        for fields in map(json.loads, kept.read_text("utf-8").splitlines())
    ]


if __name__ == "__main__":
    sys.exit(main())
