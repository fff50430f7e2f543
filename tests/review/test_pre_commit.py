"""The hooks of .pre-commit-hooks.yaml, run by pre-commit for commits of a repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT, Run
from tests.repository import IDENTITY, Repository
from tests.review.projects import edited, project, write

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS: list[dict[str, Any]] = yaml.safe_load(MANIFEST.read_text("utf-8"))
NETWORK = "SPECWRIGHT_NETWORK"
DOCUMENT = "openapi.json"
OUTCOME = re.compile(r"^(specwright .+?)\.+(.+)$", re.MULTILINE)
SKIPPED = "(no files to check)Skipped"
ARGUMENTS = {
    "specwright-validate": [DOCUMENT],
    "specwright-fmt": [DOCUMENT],
    "specwright-generate": [],
    "specwright-diff": [f"git:origin/main:{DOCUMENT}"],
}


@pytest.fixture(autouse=True)
def caches(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("pre-commit")))
    monkeypatch.setenv("PRE_COMMIT_COLOR", "never")
    # Hooks find the command by its name.
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


def pre_commit(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def begun(place: Path, specwright: Run, hooks: Mapping[str, Any]) -> Repository:
    """A clone whose package and canonical document are committed, with hooks for every commit."""
    upstream = project(place / "upstream")
    for command in (("fmt",), ("generate",)):
        assert specwright(*command, cwd=upstream.top).returncode == 0
    upstream.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [hooks]}))
    upstream.commit()
    clone = Repository(upstream.clone(place / "clone"))
    clone.git("checkout", "-qb", "change", "origin/main")
    installed = pre_commit("install", cwd=clone.top)
    assert installed.returncode == 0, installed.stdout
    return clone


@pytest.fixture
def repository(tmp_path: Path, specwright: Run) -> Iterator[Repository]:
    """A repository with the hooks of the manifest, and the command of this environment."""
    hooks = [{**hook, "language": "system", "args": ARGUMENTS[hook["id"]]} for hook in HOOKS]
    yield begun(tmp_path, specwright, {"repo": "local", "hooks": hooks})


def commit(repository: Repository, *files: str) -> tuple[int, dict[str, str]]:
    """Commit files, or everything; return the exit code, and the outcome of each hook."""
    repository.git("add", *(files or ["--all"]))
    command = ["git", *IDENTITY, "commit", "--message", "A change"]
    done = subprocess.run(command, cwd=repository.top, capture_output=True, text=True, check=False)
    return done.returncode, dict(OUTCOME.findall(done.stderr))


def outcomes(**failed: str) -> dict[str, str]:
    names = {hook["id"].removeprefix("specwright-"): hook["name"] for hook in HOOKS}
    return {name: failed.get(key, "Passed") for key, name in names.items()}


def test_the_manifest_is_valid() -> None:
    done = pre_commit("validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout


def test_the_page_configures_the_hooks_that_there_are() -> None:
    text = (ROOT / "docs" / "how-to" / "review-a-pull-request.md").read_text("utf-8")
    block = text.partition("## Before the commit")[2].partition("```yaml\n")[2].partition("```")[0]
    [shown] = yaml.safe_load(block)["repos"]
    assert {hook["id"]: hook.get("args", []) for hook in shown["hooks"]} == ARGUMENTS
    assert {hook["id"] for hook in HOOKS} == set(ARGUMENTS)


def test_a_commit_without_a_document_checks_the_package_only(repository: Repository) -> None:
    repository.write("README", "The shop.\n")
    assert commit(repository) == (0, outcomes(validate=SKIPPED, fmt=SKIPPED, diff=SKIPPED))


def test_a_compatible_change_with_its_package_is_committed(
    repository: Repository, specwright: Run
) -> None:
    write(repository, edited(("Sells things.", "Sells many things.")))
    for command in ("fmt", "generate"):
        assert specwright(command, cwd=repository.top).returncode == 0
    assert commit(repository) == (0, outcomes())


def test_each_hook_stops_a_commit_that_breaks_everything(repository: Repository) -> None:
    write(repository, {"unknown": 1, **edited(("maximum: 20", "maximum: 10"))})
    assert commit(repository) == (1, dict.fromkeys(outcomes(), "Failed"))


def test_what_is_not_staged_does_not_count(repository: Repository) -> None:
    repository.write("README", "The shop.\n")
    write(repository, edited(("maximum: 20", "maximum: 10")))
    code, found = commit(repository, "README")
    assert (code, found["specwright generate --check"]) == (0, "Passed")
    assert "10" in (repository.top / DOCUMENT).read_text("utf-8")


@pytest.mark.skipif(NETWORK not in os.environ, reason=f"{NETWORK} is not set: this asks an index")
def test_pre_commit_installs_the_hooks_from_a_clone(tmp_path: Path, specwright: Run) -> None:
    """As a team has it: pre-commit clones the toolkit at a commit, and pip installs that."""
    head = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    hooks = [{"id": name, "args": arguments} for name, arguments in ARGUMENTS.items()]
    remote = {"repo": ROOT.as_uri(), "rev": head, "hooks": hooks}
    repository = begun(tmp_path, specwright, remote)
    write(repository, edited(("maximum: 20", "maximum: 10")))
    assert specwright("fmt", cwd=repository.top).returncode == 0
    assert commit(repository) == (1, outcomes(generate="Failed", diff="Failed"))
