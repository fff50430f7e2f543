"""Make every derived file, or with `--check` name those that are not current."""

import argparse
import sys

from tests.derived.table import DERIVED

parser = argparse.ArgumentParser(prog="nox -s derive --", description=__doc__)
parser.add_argument("--check", action="store_true", help="write nothing")
check = parser.parse_args().check

found = [difference for derived in DERIVED for difference in derived.differences()]
for difference in found:
    print(difference.words)
    if not check:
        difference.mend()
if found and check:
    sys.exit("run: nox -s derive")
