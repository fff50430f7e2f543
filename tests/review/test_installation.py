"""The action installs the pins of its lock file, by hash, without building, and in seconds."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT
from tests.review.action import INSTALL, REVIEW, Runner, action
from tests.review.projects import edited, project, write

LOCK = ROOT / "action" / "requirements.txt"
PINNED = re.compile(
    r"([a-z0-9.-]+)==(\S+)(?: ; ([^\\]+))? \\\n((?: +--hash=sha256:[0-9a-f]{64}[ \\]*\n)+)"
)
NETWORK = "SPECWRIGHT_NETWORK"


def pins() -> dict[str, str]:
    return {found[1]: found[2] for found in PINNED.finditer(LOCK.read_text("utf-8"))}


def test_the_lock_file_holds_pins_with_hashes_and_nothing_else() -> None:
    rest = PINNED.sub("", LOCK.read_text("utf-8"))
    assert [line for line in rest.splitlines() if not re.match(r" *#", line)] == []
    assert len(pins()) > 20


def test_the_lock_file_has_what_the_project_needs() -> None:
    """`nox -s lock` makes it after a change of the dependencies."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for text in settings["project"]["dependencies"]:
        needed = Requirement(text)
        assert needed.specifier.contains(pins()[canonicalize_name(needed.name)]), text


def test_nothing_is_built_or_taken_without_its_hash() -> None:
    [step] = [each for each in action()["runs"]["steps"] if each["name"] == INSTALL]
    for word in ("--require-hashes", "--only-binary :all:", "--no-deps", "python3 -I -m pip"):
        assert word in step["run"]
    assert step["run"].count("pip --python") == 1


@pytest.mark.skipif(NETWORK not in os.environ, reason=f"{NETWORK} is not set: this asks an index")
def test_what_is_installed_reviews_a_pull_request(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    # Neither settings nor modules of a pull request are used.
    repository.write("pip.conf", "[global]\nindex-url = https://index.invalid/\n")
    repository.write("json.py", "raise SystemExit(7)\n")
    repository.commit()
    runner = Runner(tmp_path / "runner", repository.top, {"base": "HEAD"})
    installed = runner.run(INSTALL)
    assert installed.returncode == 0, installed.stderr
    python = tmp_path / "runner" / "specwright" / "bin" / "python"
    where = "import specwright; print(specwright.__file__)"
    told = subprocess.run([python, "-I", "-c", where], capture_output=True, text=True, check=True)
    assert Path(told.stdout.strip()).is_relative_to(ROOT)
    write(repository, edited(("maximum: 20", "maximum: 10")))
    reviewed = runner.run(REVIEW)
    assert reviewed.returncode == 1, reviewed.stderr
    assert "title=range-narrowed::" in reviewed.stdout
    assert runner.outputs["breaking"] == "1"
