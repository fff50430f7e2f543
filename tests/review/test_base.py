"""A base that is no commit, and a repository that belongs to another user."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.repository import IDENTITY
from tests.review.projects import edited, project

ZEROS = "0" * 40


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A branch with a breaking change, in a clone whose remote has changed since."""
    repository = project(tmp_path / "remote")
    place = repository.clone(tmp_path / "clone")
    repository.write("openapi.json", json.dumps(edited(("count: {type", "number: {type"))))
    repository.commit("A property has another name")
    git(place, "fetch", "-q")
    git(place, "switch", "-qc", "branch")
    narrower = edited(("maximum: 20", "maximum: 10"))
    (place / "openapi.json").write_text(json.dumps(narrower, indent=2) + "\n", "utf-8")
    git(place, *IDENTITY, "commit", "-qam", "Fewer at once")
    return place


def git(place: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=place, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def reviewed(specwright: Run, place: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = specwright("review", "--base", ZEROS, "--format", "json", *options, cwd=place)
    assert done.stderr == ""
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report


def rules(report: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in report["findings"]}


def test_no_commit_means_the_beginning_of_the_branch(specwright: Run, clone: Path) -> None:
    code, report = reviewed(specwright, clone)
    assert code == 1
    # What the default branch has gained since belongs to others.
    assert rules(report) == {"range-narrowed", "schema-compatible", "version-too-low"}
    beginning = git(clone, "rev-parse", "HEAD^")
    assert report["facts"][0] == {
        "label": "Base",
        "value": f"{beginning[:12]}, on origin/main",
    }
    (broken,) = (each for each in report["findings"] if each["rule"] == "range-narrowed")
    assert broken["related"]["file"] == f"git:{beginning}:openapi.json"


@pytest.mark.parametrize("name", ["main", "master"])
def test_a_usual_branch_is_the_default_one_of_a_clone_that_knows_none(
    specwright: Run, clone: Path, name: str
) -> None:
    git(clone, "remote", "set-head", "origin", "--delete")
    git(clone, "update-ref", f"refs/remotes/origin/{name}", "refs/remotes/origin/main")
    if name != "main":
        git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    code, report = reviewed(specwright, clone)
    assert code == 1
    assert report["facts"][0]["value"].endswith(f", on origin/{name}")


def forget_branches(clone: Path) -> None:
    git(clone, "remote", "set-head", "origin", "--delete")
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")


@pytest.mark.parametrize("base", [ZEROS, "0" * 64])
def test_without_a_default_branch_there_is_nothing_to_compare_with(
    specwright: Run, clone: Path, base: str
) -> None:
    forget_branches(clone)
    done = specwright("review", "--base", base, cwd=clone)
    assert done.returncode == 0
    assert "warning base-missing there is nothing to compare with" in done.stdout
    assert "Base: none, as before the first push of a branch" in done.stdout
    assert "not compared, as there is no base" in done.stdout
    assert "such as --base origin/main" in done.stdout
    assert specwright("review", "--base", base, "--fail-on", "warning", cwd=clone).returncode == 1


def test_a_document_is_validated_all_the_same(specwright: Run, clone: Path) -> None:
    forget_branches(clone)
    wrong = edited(("'201':", "'999':"))
    (clone / "openapi.json").write_text(json.dumps(wrong), "utf-8")
    code, report = reviewed(specwright, clone, "--accepted-in-base")
    assert code == 1
    assert rules(report) == {"base-missing", "openapi-schema"}
    assert "breaking" not in report["summary"]


def test_a_first_commit_has_nothing_before_it(specwright: Run, tmp_path: Path) -> None:
    repository = project(tmp_path)
    code, report = reviewed(specwright, repository.top)
    assert (code, rules(report)) == (0, {"base-missing"})


def test_without_a_repository_there_is_no_base(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(edited()), "utf-8")
    done = specwright("review", "--base", ZEROS, "openapi.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not in a git repository" in done.stderr


@pytest.mark.parametrize("command", [("diff",), ("changelog",)])
def test_other_commands_say_how_to_find_the_beginning(
    specwright: Run, clone: Path, command: tuple[str, ...]
) -> None:
    done = specwright(*command, f"git:{ZEROS}:openapi.json", cwd=clone)
    assert done.returncode == 2
    message, hint = done.stderr.splitlines()
    assert message == (
        f"error: there is nothing to compare with: '{ZEROS}' does not exist, as before the first "
        "push of a branch"
    )
    finding = hint.split("`")[1]
    assert finding == "git merge-base origin/main HEAD"
    found = git(clone, *shlex.split(finding)[1:])
    assert specwright(*command, f"git:{found}:openapi.json", cwd=clone).returncode in (0, 1)


def test_a_repository_of_another_user_is_named_with_what_to_run(
    specwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = project(tmp_path / "a user's")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    # So do the tests of git itself.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    done = specwright("review", "--base", "main", cwd=repository.top)
    message, hint = done.stderr.splitlines()
    assert done.returncode == 2
    assert message == f"error: git does not read '{repository.top}', which belongs to another user"
    trusting = shlex.split(hint.split("`")[1])
    assert trusting[:-1] == ["git", "config", "--global", "--add", "safe.directory"]
    subprocess.run(trusting, check=True)
    assert specwright("review", "--base", "main", cwd=repository.top).returncode == 0
