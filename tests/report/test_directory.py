"""Reports are written whole, to the directory that was named and to no other place."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from specwright.errors import SpecwrightError
from specwright.report.directory import write
from specwright.report.formats import FILES, FORMATS
from tests.full_disk import files_of_at_most, needs_file_limit
from tests.report.samples import REPORT, saying

LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_there_is_a_file_for_each_format(tmp_path: Path) -> None:
    write(REPORT, tmp_path / "build" / "reports")
    found = contents(tmp_path / "build" / "reports")
    assert found == {name: FORMATS[kind](REPORT).encode() for name, kind in FILES.items()}
    # Workflows name these files.
    assert found.keys() >= {
        *(
            "report.json",
            "report.html",
            "report.xml",
            "report.sarif",
            "report.md",
            "report.gitlab.json",
        )
    }


def test_every_text_can_be_written(tmp_path: Path) -> None:
    write(saying("\ud800\0é"), tmp_path)
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["document"] == "\ud800\0é"


def test_a_second_report_takes_the_place_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    write(REPORT, tmp_path)
    write(replace(REPORT, findings=()), tmp_path)
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["findings"] == []
    assert sorted(contents(tmp_path)) == sorted([*FILES, "notes.txt"])


@LINKS
def test_a_link_in_the_place_of_a_report_is_replaced_and_not_followed(tmp_path: Path) -> None:
    outside, directory = tmp_path / "outside", tmp_path / "reports"
    outside.write_text("mine", "utf-8")
    directory.mkdir()
    (directory / "report.html").symlink_to(outside)
    (directory / "report.md").symlink_to("/dev/zero")
    write(REPORT, directory)
    assert outside.read_text("utf-8") == "mine"
    assert not any(path.is_symlink() for path in directory.iterdir())


@LINKS
def test_a_directory_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "reports").symlink_to("elsewhere")
    with pytest.raises(
        SpecwrightError, match=r"is a symbolic link.*\nhint: pass the target directory"
    ):
        write(REPORT, tmp_path / "reports")
    assert not contents(tmp_path / "elsewhere")


def test_a_file_in_the_place_of_the_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("mine", "utf-8")
    with pytest.raises(SpecwrightError, match="reports: cannot be written: "):
        write(REPORT, tmp_path / "reports")


@needs_file_limit
def test_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    write(saying("old"), tmp_path)
    before = contents(tmp_path)
    with (
        files_of_at_most(len(FORMATS["html"](REPORT)) - 1),
        pytest.raises(SpecwrightError, match="cannot be written: File too large"),
    ):
        write(REPORT, tmp_path)
    assert contents(tmp_path) == before


def test_a_directory_in_the_place_of_a_report_leaves_no_litter(tmp_path: Path) -> None:
    (tmp_path / "report.xml").mkdir()
    with pytest.raises(SpecwrightError, match=r"report\.xml: cannot be written: "):
        write(REPORT, tmp_path)
    assert not list(tmp_path.glob(".*"))
