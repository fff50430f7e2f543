"""Prove documents, each in a process of its own; write docs/wire-proof.md."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.measured import records
from lab.wire import page
from lab.wire.proof import Proof, prove

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / ".nox" / "wire-proof"
PAGE = ROOT / "docs" / "wire-proof.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.wire", description=__doc__)
    parser.add_argument("documents", nargs="*", type=Path, help="print what becomes of these")
    parser.add_argument("--resume", action="store_true", help="keep what became of others before")
    options = parser.parse_args()
    if options.documents:
        for file in options.documents:
            with TemporaryDirectory() as place:
                print(json.dumps(asdict(prove(file, Path(place)))), flush=True)
        return 0
    record = records.current("wire_proof")
    if not options.resume:
        shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus")) / "specs"
    files = [file for file in corpus.iterdir() if file.name != "index.json"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # The largest take longest, and should not come last.
        largest = sorted(files, key=lambda file: -file.stat().st_size)
        proofs = dict(zip((file.name for file in largest), pool.map(apart, largest), strict=True))
    records.keep("wire_proof", record)
    PAGE.write_text(page.page(dict(sorted(proofs.items()))), "utf-8")
    return int(page.unexplained(proofs) > 0)


def apart(file: Path) -> Proof:
    """Prove a document in a process of its own, as packages stay in memory."""
    kept = RESULTS / f"{file.name}.json"
    if not kept.exists():
        command = [sys.executable, "-W", "ignore", "-m", "lab.wire", str(file)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            return Proof(exceptions=[("", done.stderr.strip().splitlines()[-1])])
        kept.write_text(done.stdout.splitlines()[-1] + "\n", "utf-8")
    return Proof(**json.loads(kept.read_text("utf-8")))


if __name__ == "__main__":
    sys.exit(main())
