"""Prove that the faults are there: `python -m lab.faults_by_others.prove`."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import trustme

from lab.faults.judge import serving
from lab.faults_by_others.by_hand import PROOFS, Desk
from lab.faults_by_others.table import FAULTS

# A minute becomes 30 ms: four attempts take five seconds.
RETRY_SCALE = "0.0005"
AT_A_TIME = 4


@contextlib.contextmanager
def desks(name: str) -> Iterator[Desk]:
    """Serve with a fault, or with `none`, and give a desk for it."""
    with tempfile.TemporaryDirectory() as directory:
        database, certificate = Path(directory, "esim.sqlite3"), Path(directory, "authority.pem")
        authority = trustme.CA()
        authority.cert_pem.write_to_path(certificate)
        settings = {
            "ESIM_DATABASE": str(database),
            "ESIM_WEBHOOK_CA_FILE": str(certificate),
            "ESIM_WEBHOOK_RETRY_SCALE": RETRY_SCALE,
        }
        with serving(name, **settings) as served:
            yield Desk(served.base_url, database, authority)


def is_kept(name: str, desk: Desk) -> bool:
    """Whether the promise is kept that a fault breaks."""
    return PROOFS[name](Desk(desk.base_url, desk.database, desk.authority))


def is_active(name: str) -> bool:
    """Whether a fault is there in a service that has it."""
    with desks(name) as desk:
        return not is_kept(name, desk)


def _said(name: str, desk: Desk | None = None) -> str | None:
    try:
        if desk is not None:
            return None if is_kept(name, desk) else "the service breaks it without the fault"
        return None if is_active(name) else "the service keeps it with the fault"
    except Exception as error:
        return f"{'without' if desk else 'with'} the fault: {error!r}"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.faults_by_others.prove", description=__doc__
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults; all of them by default")
    names = parser.parse_args().names or list(FAULTS)
    failed = 0
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        with desks("none") as right:
            without = dict(
                zip(names, pool.map(lambda name: _said(name, right), names), strict=True)
            )
        for name, said in zip(names, pool.map(_said, names), strict=True):
            wrong = [each for each in (without[name], said) if each]
            failed += bool(wrong)
            print(f"{name:40} {'; '.join(wrong) or 'proven'}", flush=True)
    print(f"{len(names) - failed} of {len(names)} are proven")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
