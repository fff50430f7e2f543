"""References are read for generated code under the same conditions as for checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright import pipeline
from specwright.check import checks
from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.errors import SpecwrightError
from tests.conftest import Run
from tests.generate_cli.conftest import DOCUMENT, SETTINGS
from tests.hostile_repositories.documents import BOMBS, write


@pytest.fixture(scope="module", autouse=True)
def tasks_in_this_process() -> None:
    """They run in copies of this process, which limits end."""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A directory outside a project that has a part of the document in it."""
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (outside / "part.json").write_text('{"type": "object"}')
    (project / "pyproject.toml").write_text(SETTINGS)
    schemas = {"Thing": {"$ref": "../outside/part.json"}}
    document = {**DOCUMENT, "components": {"schemas": schemas}}
    (project / "api.json").write_text(json.dumps(document))
    return outside


@pytest.mark.parametrize("command", [("generate",), ("scaffold", "--into", "service")])
def test_a_part_outside_the_project_is_used_if_that_is_allowed(
    command: tuple[str, ...], outside: Path, specwright: Run
) -> None:
    project = outside.parent / "project"
    refused = specwright(*command, cwd=project)
    assert refused.returncode == 2
    assert "refers to a file outside the project" in refused.stderr
    allowed = specwright(*command, "--allow-refs-from", outside, cwd=project)
    assert allowed.returncode == 0, allowed.stderr


def test_a_part_of_the_project_is_used(outside: Path, specwright: Run) -> None:
    project = outside.rename(outside.parent / "project" / "outside").parent
    (project / "api").mkdir()
    (project / "api.json").rename(project / "api" / "api.json")
    (project / "pyproject.toml").write_text('[tool.specwright]\ndocument = "api/api.json"\n')
    for command in (("generate",), ("scaffold", "--into", "service")):
        done = specwright(*command, cwd=project)
        assert done.returncode == 0, done.stderr


def test_nothing_is_generated_if_a_rule_that_it_needs_does_not_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SECONDS", 0.0)
    monkeypatch.setattr(checks, "SECONDS_PER_OBJECT", 0.0)
    document = load(write(tmp_path, BOMBS["10,000 schemas"]()))
    with pytest.raises(SpecwrightError, match="stopped: it takes too long"):
        pipeline.generate(document, PackageOptions())
