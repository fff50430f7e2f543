"""Wheels and sdists of the three distributions, with their checksums.

`python -m release.artefacts DIRECTORY` makes them. The same sources give the same bytes, so that
checksums of two machines can be compared.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

DISTRIBUTIONS = (".", "generated", "service")
CHECKSUMS = "SHA256SUMS"


def build(top: Path, place: Path) -> None:
    """Build wheel and sdist of each distribution of a checkout, and check them as an index does.

    Args:
        top: the checkout.
        place: the directory for the artefacts.

    Raises:
        subprocess.CalledProcessError: a distribution cannot be built, or an index would refuse it.
    """
    for directory in DISTRIBUTIONS:
        _run("build", "--no-isolation", "--outdir", str(place), str(top / directory))
    _run("twine", "--no-color", "check", "--strict", *map(str, sorted(place.iterdir())))


def _run(module: str, *arguments: str) -> None:
    command = [sys.executable, "-m", module, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def add_checksums(place: Path) -> None:
    """Write the SHA-256 checksums of a directory's files, as `sha256sum --check` reads them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(place.iterdir())
        if path.name != CHECKSUMS
    ]
    (place / CHECKSUMS).write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.mkdir(exist_ok=True)
    build(Path(), out)
    add_checksums(out)
