"""Commands in a hostile repository end soon, and neither touch nor disclose outside files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("made of links, pipes and devices", allow_module_level=True)

from tests.hostile_repositories import lock_and_output, references, settings_and_templates
from tests.hostile_repositories.repository import (
    ATTACKS,
    COMMAND,
    COMMANDS,
    DOCUMENT,
    RUN,
    SECRETS,
    SETTINGS,
    Repository,
    build,
    run,
    surroundings,
)
from tests.report.acting import acting

# Importing them fills the table.
TABLES = (lock_and_output, references, settings_and_templates)


@pytest.fixture(scope="session")
def harmless(tmp_path_factory: pytest.TempPathFactory, specwright) -> Path:
    place = tmp_path_factory.mktemp("harmless")
    (place / "api.json").write_text(json.dumps(DOCUMENT))
    (place / "pyproject.toml").write_text(SETTINGS)
    made = specwright("generate", cwd=place)
    assert made.returncode == 0, made.stderr
    return place


@pytest.fixture
def repository(tmp_path: Path, harmless: Path) -> Iterator[Repository]:
    yield build(tmp_path, harmless)
    # Python's own way to remove a tree is not up to every attack.
    subprocess.run(["rm", "-rf", tmp_path / "work"], check=True)


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_outside_is_touched_or_told(
    name: str, tmp_path: Path, repository: Repository
) -> None:
    ATTACKS[name].change(repository)
    before = surroundings(tmp_path)
    done = run(tmp_path, repository, sys.executable, "-P", "-c", RUN, json.dumps(COMMANDS))
    told = done.stdout + done.stderr
    assert done.returncode in (0, 1, 2), done.stderr
    assert b"Traceback (most recent call last)" not in told
    assert ATTACKS[name].says in told.decode()
    assert acting(told.decode()) == set()
    assert surroundings(tmp_path) == before
    for secret in SECRETS:
        assert secret.encode() not in told


def test_a_repository_without_an_attack_is_in_order(tmp_path: Path, repository: Repository) -> None:
    codes = [run(tmp_path, repository, COMMAND, *command).returncode for command in COMMANDS]
    assert codes == [0] * len(COMMANDS)
