"""Serve the API with one fault in it: `python -m lab.faults.faulty NAME`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path

from pytest import MonkeyPatch

from esim_service.carrier.simulator import Simulator
from esim_service.cli import main as esim_service
from esim_service.commands import keys
from esim_service.process import components, live_mode
from esim_service.values.clock import SECOND, SystemClock
from lab.faults.seeding import Seed
from lab.faults.table import FAULTS
from lab.faults_by_others import table as by_others


def _as_it_is(patch: MonkeyPatch) -> None:
    """Change nothing."""


def _whole_seconds(patch: MonkeyPatch) -> None:
    """Let many moments be the same."""
    now = SystemClock.now
    patch.setattr(SystemClock, "now", lambda clock: now(clock) // SECOND * SECOND)


# Services that are right.
RIGHT: dict[str, Seed] = {"none": _as_it_is, "whole-seconds": _whole_seconds}
SEEDS = {
    **RIGHT,
    **{name: fault.seed for name, fault in {**FAULTS, **by_others.FAULTS}.items()},
}
HIGH = ("--read-limit", "1000000", "--write-limit", "1000000")
SUSPENDED = "initech"
# Two partners whose limits are out of the way, a key with the limits of the contract, one that may
# do nothing, and one of the first partner in live mode.
KEYS = (
    ("acme", "test", *HIGH),
    ("globex", "test", *HIGH),
    ("acme", "test"),
    (SUSPENDED, "test"),
    ("acme", "live", *HIGH),
)


def sell_in_live_mode(patch: MonkeyPatch) -> None:
    """Let the simulator also fulfil orders in live mode, despite settings for tests."""
    patch.setattr(components, "NoCarrier", Simulator)
    for module in (live_mode, keys):
        patch.setattr(module, "require_live", lambda settings: None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.faults.faulty", description=__doc__)
    parser.add_argument("name", choices=SEEDS, metavar="NAME", help="a fault, or none")
    parser.add_argument("--port", default="0", help="0 chooses a free one")
    options = parser.parse_args()
    # For as long as the process lives.
    patch = MonkeyPatch()
    SEEDS[options.name](patch)
    sell_in_live_mode(patch)
    # The receivers of tests are on this machine.
    os.environ.setdefault("ESIM_WEBHOOK_ALLOW_CIDR", "127.0.0.0/8,::1/128")
    with tempfile.TemporaryDirectory() as directory:
        os.environ.setdefault("ESIM_DATABASE", str(Path(directory, "esim.sqlite3")))
        for partner, mode, *limits in KEYS:
            issue = ["keys", "create", "--partner", partner, "--mode", mode, "--plain", *limits]
            esim_service(issue, standalone_mode=False)
        # The output has the keys and the address, and nothing else.
        with contextlib.redirect_stdout(sys.stderr):
            esim_service(["partners", "suspend", SUSPENDED], standalone_mode=False)
            esim_service(["partners", "credit", "acme", "1000.00"], standalone_mode=False)
        serve = ["serve", "--port", options.port, "--metrics-port", "0"]
        esim_service(serve, standalone_mode=False)


if __name__ == "__main__":
    main()
