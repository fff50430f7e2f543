"""Every fault has tests that exist, and the page names them."""

import re
from pathlib import Path

from .rows import ROWS, table

TESTS = Path(__file__).parents[1]
DEFINITION = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


def test_the_tests_of_every_fault_exist() -> None:
    for row in ROWS:
        for file, names in row.tests.items():
            assert set(names) <= set(DEFINITION.findall((TESTS / file).read_text("utf-8")))


def test_the_page_has_the_table(root: Path) -> None:
    page = (root / "docs" / "service-faults.md").read_text("utf-8")
    assert table() in page, "python -m lab.kills --table"
