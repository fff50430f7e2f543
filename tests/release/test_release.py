"""A release is refused rather than half made; its artefacts have checksums, notes and a bill."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from release import bill, notes
from release.artefacts import DISTRIBUTIONS, add_checksums
from release.changelog import cut
from release.errors import ReleaseError
from release.steps import prepare, rebuild
from tests.conftest import ROOT

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n"
DATE = "2026-12-01"
PROJECT = """\
[project]
name = "specwright"
version = "0.2.0"
license = "Apache-2.0"
dependencies = ["Click>=8"]
"""


MADE = {"a.whl", "a.tar.gz", "NOTES.md", "specwright-0.2.0.cdx.json"}


def git(top: Path, *arguments: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(top), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "action").mkdir()
    (tmp_path / "action" / "requirements.txt").write_text("click==8.5.1 \\\n    --hash=sha256:0\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / ".gitignore").write_text("/dist/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "x")
    return tmp_path


def fake(top: Path, place: Path) -> None:
    (place / "a.whl").write_bytes(b"wheel")
    (place / "a.tar.gz").write_bytes(b"sdist")


def files(top: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in top.iterdir() if path.is_file()}


def test_a_release_has_an_entry_and_checksums(top: Path) -> None:
    (top / "dist").mkdir()
    (top / "dist" / "an-older.whl").touch()
    assert prepare(top, DATE, fake) == "0.2.0"
    text = (top / "CHANGELOG.md").read_text()
    assert "## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- A thing.\n" in text
    made = files(top / "dist")
    sums = made.pop("SHA256SUMS").decode().splitlines()
    assert set(made) == MADE
    assert sums == [f"{hashlib.sha256(made[name]).hexdigest()}  {name}" for name in sorted(made)]


def test_the_notes_are_the_entry_and_how_to_install_it(top: Path) -> None:
    prepare(top, DATE, fake)
    text = (top / "dist" / "NOTES.md").read_text()
    assert text.startswith("## [0.2.0] - 2026-12-01\n\n### Added\n\n- A thing.\n\n## Install\n")
    assert "0.1.0" not in text
    assert "pip install './specwright-0.2.0-py3-none-any.whl[test]'" in text
    assert "pip install 'specwright[test]==0.2.0'" in text


def test_notes_have_no_links_into_the_repository() -> None:
    links = "[0001](docs/decisions/0001.md), [SemVer](https://semver.org), [a `b`](c.md#d)"
    text = notes.render(cut(CHANGELOG.replace("A thing.", links), "0.2.0", DATE), "0.2.0")
    assert "- 0001, [SemVer](https://semver.org), a `b`\n" in text


def test_the_bill_of_materials_has_the_pins(top: Path) -> None:
    made = json.loads(bill.render(top))
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    toolkit = made["metadata"]["component"]
    assert (toolkit["purl"], toolkit["licenses"]) == (
        "pkg:pypi/specwright@0.2.0",
        [{"expression": "Apache-2.0"}],
    )
    assert [part["purl"] for part in made["components"]] == ["pkg:pypi/click@8.5.1"]
    assert made["dependencies"] == [
        {"ref": "pkg:pypi/specwright@0.2.0", "dependsOn": ["pkg:pypi/click@8.5.1"]}
    ]


def test_the_bill_of_this_version_has_each_pin_once() -> None:
    pins = (ROOT / "action" / "requirements.txt").read_text().count("==")
    parts = json.loads(bill.render(ROOT))["components"]
    assert len({part["bom-ref"] for part in parts}) == len(parts) == pins


def test_checksums_do_not_count_themselves(tmp_path: Path) -> None:
    fake(tmp_path, tmp_path)
    add_checksums(tmp_path)
    before = files(tmp_path)
    add_checksums(tmp_path)
    assert files(tmp_path) == before


def dirty(top: Path) -> None:
    (top / "new.py").touch()


def tagged(top: Path) -> None:
    git(top, "tag", "v0.2.0")


def listed(top: Path) -> None:
    (top / "pyproject.toml").write_text(PROJECT.replace("0.2.0", "0.1.0"))
    git(top, "commit", "--quiet", "--all", "--message", "x")


def unchanged(top: Path) -> None:
    (top / "CHANGELOG.md").write_text(CHANGELOG.replace("### Added\n\n- A thing.\n\n", ""))
    git(top, "commit", "--quiet", "--all", "--message", "x")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dirty, "not committed:\n?? new.py"),
        (tagged, "the tag v0.2.0 exists"),
        (listed, "has an entry for 0.1.0"),
        (unchanged, "no changes below"),
    ],
)
def test_a_release_is_refused(top: Path, change: object, message: str) -> None:
    assert callable(change)
    change(top)
    before = files(top)
    with pytest.raises(ReleaseError, match=re.escape(message)):
        prepare(top, DATE, fake)
    assert files(top) == before
    assert not (top / "dist").exists()


def test_a_failed_build_changes_nothing(top: Path) -> None:
    def fail(top: Path, place: Path) -> None:
        (place / "a.whl").touch()
        raise subprocess.CalledProcessError(1, "build")

    before = files(top)
    with pytest.raises(subprocess.CalledProcessError):
        prepare(top, DATE, fail)
    assert files(top) == before
    assert not (top / "dist").exists()


def test_a_tag_builds_its_version_only(top: Path) -> None:
    with pytest.raises(ReleaseError, match=r"the tag is v0\.3\.0, but"):
        rebuild(top, "v0.3.0", fake)
    with pytest.raises(ReleaseError, match=r"no entry for 0\.2\.0"):
        rebuild(top, "v0.2.0", fake)
    (top / "CHANGELOG.md").write_text(cut(CHANGELOG, "0.2.0", DATE))
    with pytest.raises(ReleaseError, match="not committed"):
        rebuild(top, "v0.2.0", fake)
    git(top, "commit", "--quiet", "--all", "--message", "Release")
    git(top, "tag", "v0.2.0")
    assert rebuild(top, "v0.2.0", fake) == "0.2.0"
    assert set(files(top / "dist")) == {*MADE, "SHA256SUMS"}


def test_the_command_says_why_it_refuses(top: Path) -> None:
    dirty(top)
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-m", "release"], cwd=top, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there are changes that are not committed")


def test_all_distributions_are_built() -> None:
    projects = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("*/pyproject.toml")}
    assert set(DISTRIBUTIONS) == projects | {"."}


def test_the_workflow_publishes_on_a_tag_only_and_with_pinned_actions() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    workflow = yaml.safe_load(text)
    # YAML 1.1 takes `on` for true.
    assert workflow[True] == {"push": {"tags": ["v*"]}}
    assert workflow["permissions"] == {}
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert build["permissions"] == {"contents": "read"}
    assert publish["needs"] == "build"
    used = [step["uses"] for job in (build, publish) for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used)
    last = publish["steps"][-1]
    assert last["uses"].startswith("pypa/gh-action-pypi-publish@")
    # No password: the index trusts the workflow.
    assert last["with"] == {"packages-dir": "index", "attestations": True}
    # The index refuses files that are not distributions.
    [copied] = [step["run"] for step in publish["steps"] if "mkdir index" in step.get("run", "")]
    assert copied == "mkdir index && cp dist/specwright-*.whl dist/specwright-*.tar.gz index"


def test_the_page_of_a_release_is_made_last_and_without_code_of_the_repository() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    writers = [name for name, job in jobs.items() if job["permissions"].get("contents") == "write"]
    assert writers == ["announce"]
    assert jobs["announce"]["needs"] == "publish"
    download, create = jobs["announce"]["steps"]
    assert download["uses"].startswith("actions/download-artifact@")
    assert "--verify-tag" in create["run"]
    assert create["run"].endswith("--notes-file dist/NOTES.md dist/*")
