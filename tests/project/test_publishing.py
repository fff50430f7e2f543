"""The workflow of `init --publish` publishes what a tag names, and holds no secret."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run

PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
DOCUMENT = {"openapi": "3.1.1", "info": {"title": "Shop", "version": "1.2.0"}, "paths": {}}
WORKFLOW = ".github/workflows/publish.yml"


def project(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "openapi.json").write_text(json.dumps(DOCUMENT), "utf-8")
    return place


def published(specwright: Run, place: Path, file: str = WORKFLOW, top: Path | None = None) -> Any:
    done = specwright("init", "--publish", cwd=place)
    assert done.returncode == 0, done.stderr
    return yaml.safe_load(((top or place) / file).read_text("utf-8"))


def test_the_form_is_that_of_github(specwright: Run, tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    published(specwright, project(tmp_path))
    check = Path(sys.executable).with_name("check-jsonschema")
    command = [check, "--builtin-schema", "vendor.github-workflows", tmp_path / WORKFLOW]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_only_the_job_without_the_repository_has_the_identity(
    specwright: Run, tmp_path: Path
) -> None:
    workflow = published(specwright, project(tmp_path))
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    # YAML 1.1 reads the key `on` as a truth value.
    assert workflow[True] == {"push": {"tags": ["v[0-9]*"]}}
    assert workflow["permissions"] == {}
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"id-token": "write"}
    assert (publish["environment"], publish["needs"]) == ("pypi", "build")
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]
    for step in [*build["steps"], *publish["steps"]]:
        assert PINNED.fullmatch(step.get("uses", "")) or "${{" not in step["run"]
    assert "secrets." not in (tmp_path / WORKFLOW).read_text("utf-8")


@pytest.mark.parametrize(
    ("tag", "version", "code"), [("v1.2.0", "1.2.0", 0), ("v1.2.0", "1.3.0", 2)]
)
def test_a_tag_has_to_name_the_version_of_the_package(
    specwright: Run, tmp_path: Path, tag: str, version: str, code: int
) -> None:
    steps = published(specwright, project(tmp_path))["jobs"]["build"]["steps"]
    (script,) = [step["run"] for step in steps if "GITHUB_REF_NAME" in step.get("run", "")]
    (tmp_path / "dist").mkdir()
    (tmp_path / f"dist/shop-{version}.tar.gz").touch()
    environment = {**os.environ, "GITHUB_REF_NAME": tag}
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == code


def test_an_existing_workflow_is_kept(specwright: Run, tmp_path: Path) -> None:
    published(specwright, project(tmp_path))
    (tmp_path / WORKFLOW).write_text("name: ours\n", "utf-8")
    done = specwright("init", "--publish", cwd=tmp_path)
    assert done.stdout == f"kept {WORKFLOW}: it is yours\n"
    assert (tmp_path / WORKFLOW).read_text("utf-8") == "name: ours\n"


def test_a_project_with_settings_gets_the_workflow_only(specwright: Run, tmp_path: Path) -> None:
    place = project(tmp_path)
    settings = '[tool.specwright]\ndocument = "openapi.json"\noutput = "sdk"\n'
    (place / "pyproject.toml").write_text(settings, "utf-8")
    workflow = published(specwright, place, ".github/workflows/publish-sdk.yml")
    assert workflow["jobs"]["build"]["env"] == {"PACKAGE": "sdk"}
    assert workflow[True] == {"push": {"tags": ["sdk-v[0-9]*"]}}
    assert (place / "pyproject.toml").read_text("utf-8") == settings
    assert not (place / ".gitignore").exists()


def test_without_the_option_nothing_is_published(specwright: Run, tmp_path: Path) -> None:
    assert specwright("init", cwd=project(tmp_path)).returncode == 0
    assert not (tmp_path / WORKFLOW).exists()


def test_a_directory_with_any_name_is_no_code(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    name = "a\"$(touch x)${{ github.token }}'b"
    file = ".github/workflows/publish-a-touch-x-github-token-b.yml"
    workflow = published(specwright, project(tmp_path / name), file, tmp_path)
    shown = name.replace("${{", "${{ '${{' }}")
    build = workflow["jobs"]["build"]
    assert build["env"] == {"PACKAGE": f"{shown}/generated"}
    assert all("touch x" not in step.get("run", "") for step in build["steps"])
