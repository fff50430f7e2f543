"""The tests that take seconds, of which CI runs one of each function, and the night all.

`nox -s slow_tests` measures all tests and writes the list. Names alone are kept: times differ from
machine to machine.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

FILE = Path(__file__).with_suffix(".json")
# A test may take so many seconds; of a function whose tests all take longer, the quickest may take
# more. On two cores with four workers, these make CI of 15 minutes.
_QUICK, _LONGEST = 1.0, 8.0
# They are in CI whatever they take.
_ALWAYS = (
    *("tests/architecture/", "tests/bugs/", "tests/derived/", "tests/golden/"),
    "tests/docs/test_docs.py::test_the_page_does_what_it_says[README.md]",
)

Times = dict[str, float]


def listed() -> frozenset[str]:
    """Return the ids of the slow tests."""
    files = json.loads(FILE.read_text("utf-8"))
    return frozenset(f"{file}::{name}" for file, names in files.items() for name in names)


def slow(times: Times) -> Iterator[str]:
    """Yield the ids of the tests that are left to the night, by the seconds that each takes."""
    functions: dict[str, Times] = defaultdict(dict)
    for test, seconds in times.items():
        functions[test.partition("[")[0]][test] = seconds
    for tests in functions.values():
        quickest = min(tests, key=lambda test: tests[test])
        limits = dict.fromkeys(tests, _QUICK) | {quickest: _LONGEST}
        yield from (
            test
            for test, seconds in tests.items()
            if seconds > limits[test] and not test.startswith(_ALWAYS)
        )


def times_of(report: Path) -> Times:
    """Return the seconds of the tests in a JUnit report of calls, without their fixtures."""
    return {
        f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}": float(
            case.attrib["time"]
        )
        for case in ElementTree.parse(report).iter("testcase")
    }


def write(tests: Iterable[str]) -> None:
    """Write the list."""
    files: dict[str, list[str]] = defaultdict(list)
    for test in sorted(tests):
        file, _, name = test.partition("::")
        files[file].append(name)
    FILE.write_text(json.dumps(files, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write(slow(times_of(Path(sys.argv[1]))))
