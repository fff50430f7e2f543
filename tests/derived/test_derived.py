"""Derived files are current, and `nox -s derive` finds and mends those that are not."""

from pathlib import Path

import pytest

from tests.derived.table import DERIVED, Derived
from tests.derived.trees import differences

TREE = Derived("made", "nothing", lambda: {"a.txt": "a\n", "below/b.txt": "b\r\n"})


# tests/bugs runs its own, and shows what differs.
ROWS = [row for row in DERIVED if not row.path.startswith("tests/bugs/")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.path)
def test_what_is_derived_is_current(row: Derived) -> None:
    assert [difference.words for difference in row.differences()] == [], "run: nox -s derive"


def test_files_that_are_missing_changed_or_stale_are_named_and_mended(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "a.txt").write_text("edited\n")
    (tmp_path / "made" / "old.txt").write_text("")
    found = list(TREE.differences(tmp_path))
    assert [difference.words for difference in found] == [
        "made/a.txt: changed (made from nothing)",
        "made/below/b.txt: missing (made from nothing)",
        "made/old.txt: stale (made from nothing)",
    ]
    for difference in found:
        difference.mend()
    assert list(TREE.differences(tmp_path)) == []
    assert not (tmp_path / "made" / "old.txt").exists()
    assert (tmp_path / "made" / "below" / "b.txt").read_bytes() == b"b\r\n"


def test_a_page_alone_is_mended(tmp_path: Path) -> None:
    page = Derived("docs/page.md", "nothing", lambda: {"": "text\n"})
    for difference in page.differences(tmp_path):
        difference.mend()
    assert (tmp_path / "docs" / "page.md").read_text("utf-8") == "text\n"
    assert list(page.differences(tmp_path)) == []


def test_trees_are_compared_both_ways() -> None:
    expected = {"a": "1\n", "gone": "", "same": "x\n"}
    made = {"a": "2\n", "more": "", "same": "x\n"}
    assert list(differences(expected, made)) == [
        *("--- expected/a", "+++ made/a", "@@ -1 +1 @@", "-1", "+2"),
        "missing: gone",
        "not expected: more",
    ]
