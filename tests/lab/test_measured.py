"""Pages of measurements name the commit of their figures, and changes of what they measure show."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lab.agreement.__main__ import RESULTS as AGREEMENT_RESULTS
from lab.benchmarks.__main__ import MEASUREMENTS as BENCHMARKS
from lab.docs_pages.tools import HOME as DOCS_PAGES_HOME
from lab.measured import records
from lab.measured.__main__ import lines, main, stale, warnings
from lab.measured.records import Record, digests
from lab.measured.table import BY_KEY, MEASUREMENTS
from lab.validators.tools import HOME as VALIDATORS_HOME
from lab.wire.__main__ import RESULTS as WIRE_RESULTS
from tests.conftest import ROOT
from website.stage import SECTIONS

_ROW = re.compile(r"\| `(?P<session>\w+)` \| \[[\w-]+\]\(\.\./docs/(?P<page>[\w-]+\.md)\) \|")
_ALL_CHANGED = {key: Record("2026-11-27", "12345678", {}) for key in BY_KEY}


@pytest.mark.parametrize("key", BY_KEY)
def test_a_page_names_day_and_commit_of_each_measurement(key: str) -> None:
    page = ROOT / "docs" / BY_KEY[key].page
    assert records.words(key) in page.read_text("utf-8")


def test_every_page_of_measurements_is_in_the_table() -> None:
    pages = {page.name for pattern in SECTIONS["Measurements"] for page in ROOT.glob(pattern)}
    assert {measurement.page for measurement in MEASUREMENTS} == pages


def test_the_readme_of_the_laboratory_has_the_sessions_and_pages_of_the_table() -> None:
    readme = (ROOT / "lab" / "README.md").read_text("utf-8")
    table = {(measurement.session, measurement.page) for measurement in MEASUREMENTS}
    assert {match.group("session", "page") for match in _ROW.finditer(readme)} == table


def test_each_benchmark_has_a_row() -> None:
    parts = [measurement.part for measurement in MEASUREMENTS if measurement.session == "bench"]
    assert sorted(parts) == sorted(benchmark.name for benchmark in BENCHMARKS)


@pytest.mark.parametrize("key", BY_KEY)
def test_each_path_of_a_measurement_exists(key: str) -> None:
    assert set(digests(BY_KEY[key].paths)) == set(BY_KEY[key].paths)


@pytest.mark.parametrize(
    "place", [AGREEMENT_RESULTS, DOCS_PAGES_HOME, VALIDATORS_HOME, WIRE_RESULTS]
)
def test_results_are_not_kept_in_the_environment_of_a_session(place: Path) -> None:
    # Nox clears the directory that has the name of a session, with the interpreter that runs it.
    sessions = {measurement.session for measurement in MEASUREMENTS}
    assert place.parent == ROOT / ".nox"
    assert place.name not in sessions


def git(top: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e")
    command = ["git", "-C", str(top), *identity, *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with two directories of code."""
    for name in ("a/one.py", "a/two.py", "b/three.py"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(name)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_a_change_shows_in_the_path_that_has_it(checkout: Path) -> None:
    record = Record("", "", digests(("a", "b"), checkout))
    assert not record.changed(("a", "b"), checkout)
    (checkout / "b" / "three.py").write_text("another")
    assert record.changed(("a", "b"), checkout) == ["b"]


def test_a_renamed_file_and_a_deleted_path_are_changes(checkout: Path) -> None:
    record = Record("", "", digests(("a", "b"), checkout))
    git(checkout, "mv", "a/two.py", "a/four.py")
    git(checkout, "rm", "-rq", "b")
    assert record.changed(("a", "b"), checkout) == ["a", "b"]


def test_what_git_does_not_track_is_no_change(checkout: Path) -> None:
    record = Record("", "", digests(("a",), checkout))
    (checkout / "a" / "cache.pyc").write_text("bytes")
    assert not record.changed(("a",), checkout)


def test_figures_that_a_run_stores_do_not_make_it_stale(checkout: Path) -> None:
    """A run that records new figures would otherwise be stale by its own result."""
    for name in ("one.py", "figures.json", "words.toml"):
        file = checkout / "lab" / "bench" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("before")
    git(checkout, "add", ".")
    record = Record("", "", digests(("lab/bench",), checkout))
    (checkout / "lab" / "bench" / "figures.json").write_text("after")
    assert not record.changed(("lab/bench",), checkout)
    for name in ("one.py", "words.toml"):
        (checkout / "lab" / "bench" / name).write_text("after")
        assert record.changed(("lab/bench",), checkout) == ["lab/bench"]
        (checkout / "lab" / "bench" / name).write_text("before")


def test_the_same_contents_under_another_commit_are_current_without_history(checkout: Path) -> None:
    record = Record("", "00000000", digests(("a", "b"), checkout))
    git(checkout, "commit", "-q", "--amend", "-m", "rebased")
    clone = checkout / "clone"
    git(checkout, "clone", "-q", "--depth", "1", checkout.as_uri(), str(clone))
    assert not record.changed(("a", "b"), clone)


def test_a_stale_page_is_listed_with_the_command_that_measures_again() -> None:
    text = "\n".join(lines(stale(_ALL_CHANGED)))
    assert (
        "docs/review-polarity.md\n"
        "  nox -s polarity\n"
        "    measured on 2026-11-27 at commit `12345678`; changed since: "
        "generator/specwright/compare, generator/specwright/document, generator/specwright/review, "
        "lab/polarity\n"
    ) in text
    assert "  nox -s bench -- generation lines\n" in text


def test_a_page_that_was_never_measured_is_stale() -> None:
    assert {why for _, why in stale({})} == {"never measured"}


def test_a_warning_names_the_page_in_one_line() -> None:
    rows = list(warnings(stale(_ALL_CHANGED)))
    assert len(rows) == len({measurement.page for measurement in MEASUREMENTS})
    [polarity] = [row for row in rows if "review-polarity" in row]
    assert polarity.startswith(
        "::warning file=docs/review-polarity.md,title=Measured before this code::nox -s polarity: "
    )
    assert "\n" not in polarity


def test_stale_pages_do_not_fail_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SPECWRIGHT_CORPUS", raising=False)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setattr("lab.measured.__main__.load", lambda: _ALL_CHANGED)
    assert main() == 0
    assert "::warning " in capsys.readouterr().out


def test_a_measurement_is_stored_in_the_order_of_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "records.json"
    file.write_text("{}")
    monkeypatch.setattr(records, "FILE", file)
    for key in ("kills", "situations"):
        records.keep(key, records.current(key))
    assert list(records.load()) == ["situations", "kills"]
    assert not records.load()["kills"].changed(BY_KEY["kills"].paths)
