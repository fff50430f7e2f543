"""A set of files holds paths that every system can hold, and nothing outside of it."""

from __future__ import annotations

import pytest

from specwright.emit.fileset import FileSet
from specwright.errors import SpecwrightError


@pytest.mark.parametrize(
    "path",
    ["", "/a", "../a", "a/../b", "a/./b", "a//b", "a/", "a\\b", "c:a", "a\0", "a\nb", "a.", "a ",
     "nul", "aux.py", "a/COM1.txt", "a?", "a\u202eb"],
)  # fmt: skip
def test_paths_that_lead_elsewhere_or_nowhere_are_refused(path: str) -> None:
    with pytest.raises(SpecwrightError):
        FileSet({path: b""})


@pytest.mark.parametrize(
    "paths",
    [
        ("a.py", "A.py"),
        ("dir/a", "DIR/b"),
        ("a", "a/b"),
        ("caf\u00e9", "cafe\u0301"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_paths_that_some_system_takes_for_one_are_refused(paths: tuple[str, str]) -> None:
    with pytest.raises(SpecwrightError):
        FileSet(dict.fromkeys(paths, b""))
    with pytest.raises(SpecwrightError):
        FileSet(dict.fromkeys(reversed(paths), b""))


def test_files_come_sorted_and_do_not_change() -> None:
    source = {"b/a": b"1", "a": b"2"}
    files = FileSet(source)
    source["c"] = b"3"
    assert list(files.items()) == [("a", b"2"), ("b/a", b"1")]
    assert "c" not in files
