"""Prove documents, each in a process of its own; write docs/wire-proof.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.wire import page
from tests.wire.proof import Proof, prove

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "wire-proof.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.wire", description=__doc__)
    parser.add_argument("documents", nargs="*", type=Path, help="print what becomes of these")
    options = parser.parse_args()
    if options.documents:
        for file in options.documents:
            with TemporaryDirectory() as place:
                print(json.dumps(asdict(prove(file, Path(place)))), flush=True)
        return 0
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus")) / "specs"
    files = [file for file in sorted(corpus.iterdir()) if file.name != "index.json"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        proofs = dict(zip((file.name for file in files), pool.map(apart, files), strict=True))
    PAGE.write_text(page.page(proofs), "utf-8")
    return int(page.unexplained(proofs) > 0)


def apart(file: Path) -> Proof:
    """Prove a document in a process of its own, as packages stay in memory."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.wire", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return Proof(exceptions=[("", done.stderr.strip().splitlines()[-1])])
    found = json.loads(done.stdout.splitlines()[-1])
    print(file.name, found["calls"], found["agreed"], file=sys.stderr, flush=True)
    return Proof(**found)


if __name__ == "__main__":
    sys.exit(main())
