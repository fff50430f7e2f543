"""The distributions that a release builds: their files, their metadata and their installation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from release import artefacts
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with what `nox -s release` builds, which an index accepts."""
    place = tmp_path_factory.mktemp("dist")
    artefacts.build(ROOT, place)
    return place


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    [path] = built.glob("specwright-*.whl")
    return path


def test_each_distribution_is_a_wheel_and_a_source_distribution(built: Path) -> None:
    names = sorted(re.sub(r"-\d.*?(?=-py3|\.tar)", "", path.name) for path in built.iterdir())
    assert names == [
        *("esim_service-py3-none-any.whl", "esim_service.tar.gz"),
        *("partner_esim-py3-none-any.whl", "partner_esim.tar.gz"),
        *("specwright-py3-none-any.whl", "specwright.tar.gz"),
    ]


def test_a_wheel_has_its_package_and_nothing_beside_it(built: Path) -> None:
    for path in built.glob("*.whl"):
        name = path.name.partition("-")[0]
        with zipfile.ZipFile(path) as archive:
            files = archive.namelist()
        assert len(files) == len(set(files))
        tops = {file.partition("/")[0] for file in files}
        assert {re.sub(r"-.*(?=\.dist-info)", "", top) for top in tops} == {
            name,
            f"{name}.dist-info",
        }
        assert f"{name}/py.typed" in files
        assert not [file for file in files if "__pycache__" in file or file.endswith(".pyc")]


def test_the_wheel_has_what_commands_read(wheel: Path) -> None:
    code = {
        path.relative_to(ROOT / "generator").as_posix()
        for path in (ROOT / "generator" / "specwright").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    templates = {
        f"specwright/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "templates").rglob("*.jinja")
    }
    with zipfile.ZipFile(wheel) as archive:
        assert {*code, *templates} <= set(archive.namelist())


def test_the_metadata_are_those_of_the_project(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        fields = Parser().parsestr(archive.read(name).decode())
    assert fields["Version"] == PROJECT["version"]
    assert fields["License-Expression"] == PROJECT["license"]
    assert fields.get_all("Provides-Extra") == ["test"]
    assert fields.get_payload() == (ROOT / "README.md").read_text("utf-8")


def test_the_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """A wheel of Python alone is installed when it is unpacked."""
    place, work = tmp_path / "installed", tmp_path / "work"
    work.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    (work / "api.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: Shop, version: 1.0.0}\n"
        "paths: {/a: {get: {operationId: readA, responses: {'204': {description: Done.}}}}}\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "specwright", "generate", "api.yaml", "--output", "sdk"],
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (work / "sdk" / "shop" / "client.py").is_file()
    where = "import specwright; print(specwright.__file__)"
    told = subprocess.run(
        [sys.executable, "-P", "-c", where],
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(told.stdout.strip()).is_relative_to(place)


def test_the_source_distribution_has_what_the_wheel_is_made_of(built: Path) -> None:
    [path] = built.glob("specwright-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "LICENSE", "README.md", "CHANGELOG.md"} <= names
    assert {name.partition("/")[0] for name in names} <= {
        *("generator", "templates", "docs"),
        *("pyproject.toml", "hatch_build.py", "PKG-INFO", ".gitignore", "LICENSE"),
        *("README.md", "CHANGELOG.md", "ARCHITECTURE.md"),
    }
