"""Serve the API with one fault in it: `python -m tests.contract.faulty NAME`."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from pytest import MonkeyPatch

from esim_service.cli import main as esim_service
from tests.contract.faults.table import FAULTS

NONE = "none"
HIGH = ("--read-limit", "1000000", "--write-limit", "1000000")
# Two partners whose limits are out of the way, and a key with the limits of the contract.
KEYS = (("acme", *HIGH), ("globex", *HIGH), ("acme",))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.contract.faulty", description=__doc__)
    parser.add_argument("name", choices=[NONE, *FAULTS], metavar="NAME", help="a fault, or none")
    parser.add_argument("--port", default="0", help="0 chooses a free one")
    options = parser.parse_args()
    # For as long as the process lives.
    patch = MonkeyPatch()
    if options.name != NONE:
        FAULTS[options.name].seed(patch)
    # The receivers of tests are on this machine.
    os.environ.setdefault("ESIM_WEBHOOK_ALLOW_CIDR", "127.0.0.0/8,::1/128")
    with tempfile.TemporaryDirectory() as directory:
        os.environ["ESIM_DATABASE"] = str(Path(directory, "esim.sqlite3"))
        for partner, *limits in KEYS:
            issue = ["keys", "create", "--partner", partner, "--mode", "test", "--plain", *limits]
            esim_service(issue, standalone_mode=False)
        serve = ["serve", "--port", options.port, "--metrics-port", "0"]
        esim_service(serve, standalone_mode=False)


if __name__ == "__main__":
    main()
