"""Every fault has tests that exist, and the page names them."""

import importlib
from pathlib import Path

from .rows import ROWS, table


def test_the_tests_of_every_fault_exist() -> None:
    for row in ROWS:
        for file, names in row.tests.items():
            module = ".".join(Path("tests/service", file).with_suffix("").parts)
            assert set(names) <= set(vars(importlib.import_module(module)))


def test_the_page_has_the_table(root: Path) -> None:
    page = (root / "docs" / "service-faults.md").read_text("utf-8")
    assert table() in page, "python -m lab.kills --table"
