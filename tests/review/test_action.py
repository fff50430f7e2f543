"""action.yml, the hooks and the workflows: their form, and their safety against abuse."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import COMMAND, ROOT, Run
from tests.review.action import action
from tests.review.projects import edited, project, write

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
# What each hook is told by the repository that uses it.
ARGUMENTS = {
    "specwright-validate": ["openapi.json"],
    "specwright-fmt": ["openapi.json"],
    "specwright-generate": ["--output", "none"],
    "specwright-diff": ["git:main:openapi.json"],
}
# The permissions that a job may add to reading; only pushes to main start the other workflows.
PERMISSIONS = {
    "contract.yml": {("contents", "read"), ("pull-requests", "write")},
    "site.yml": {("pages", "write"), ("id-token", "write")},
    "release.yml": {
        *(("contents", "read"), ("contents", "write")),
        *(("attestations", "write"), ("id-token", "write")),
    },
}
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}|\./?")


def steps(workflow: Path) -> list[dict[str, Any]]:
    read = yaml.safe_load(workflow.read_text("utf-8"))
    return [step for job in read["jobs"].values() for step in job["steps"]]


def name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", ROOT / "action.yml"),
        *(("vendor.github-workflows", path) for path in WORKFLOWS),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_form_is_that_of_github(schema: str, file: Path) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    check = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [check, "--builtin-schema", schema, file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "step",
    [*action()["runs"]["steps"], *(step for workflow in WORKFLOWS for step in steps(workflow))],
)
def test_no_script_holds_what_others_write(step: dict[str, Any]) -> None:
    assert "${{" not in step.get("run", "")
    assert PINNED.fullmatch(step.get("uses", "."))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=name)
def test_a_workflow_may_do_little(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    read = yaml.safe_load(text)
    assert "pull_request_target" not in text
    assert read["permissions"] in ({}, {"contents": "read"})
    for job in read["jobs"].values():
        assert "timeout-minutes" in job
        allowed = PERMISSIONS.get(workflow.name, set())
        assert set(job.get("permissions", {}).items()) <= allowed
    for step in steps(workflow):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_the_job_that_deploys_runs_nothing_of_this_repository() -> None:
    read = yaml.safe_load((ROOT / ".github/workflows/site.yml").read_text("utf-8"))
    # PyYAML reads the key `on` as YAML 1.1 does.
    assert read[True] == {"push": {"branches": ["main"]}}
    holders = [job for job in read["jobs"].values() if "permissions" in job]
    [[step]] = (job["steps"] for job in holders)
    assert step["uses"].startswith("actions/deploy-pages@")


def test_an_action_has_one_version_in_all_workflows() -> None:
    used = {step["uses"] for workflow in WORKFLOWS for step in steps(workflow) if "uses" in step}
    names = [each.partition("@")[0] for each in used]
    assert len(names) == len(set(names))


def test_continuous_integration_runs_the_sessions_that_contributors_are_told_of() -> None:
    read = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    groups = read["jobs"]["sessions"]["strategy"]["matrix"]["group"]
    run = [name for group in groups for name in group["sessions"].partition(" --")[0].split()]
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    told = re.findall(r"^\| `([a-z_]+)(?: [^`]*)?` \|", text, re.MULTILINE)
    assert sorted(run) == sorted(told)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_fails_for_what_it_is_there_for(
    hook: dict[str, Any], tmp_path: Path, specwright: Run
) -> None:
    """As pre-commit runs it: `entry` and `args`, and no names of files."""
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    command, *words = shlex.split(hook["entry"])
    assert command == COMMAND.name
    repository = project(tmp_path)
    arguments = (*words, *ARGUMENTS[hook["id"]])
    if hook["id"] != "specwright-generate":
        specwright("fmt", "openapi.json", cwd=repository.top)
        assert specwright(*arguments, cwd=repository.top).returncode == 0
        write(repository, {"unknown": 1, **edited(("maximum: 20", "maximum: 10"))})
    assert specwright(*arguments, cwd=repository.top).returncode == 1
