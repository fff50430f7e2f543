"""A generated package is built, checked as an index does, and installed where nothing else is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator, Mapping
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests.conftest import Run
from tests.generate_cli.running import running

HOSTILE = 'x"\n[project]\nname = "other'
INFO: dict[str, Any] = {
    "title": "Orders",
    "summary": "Sells things.",
    "version": "1.4.0-beta.2",
    "termsOfService": "https://orders.example/terms",
    "license": {"name": "MIT or Zero-Clause BSD", "identifier": "mit OR 0BSD"},
    "contact": {
        "name": "Orders Team",
        "email": "orders@orders.example",
        "url": "https://orders.example/help",
    },
}
WRONG: dict[str, Any] = {
    "title": HOSTILE,
    "version": "draft of spring",
    "termsOfService": "javascript:alert(1)",
    "license": {"name": "ours", "identifier": f"MIT {HOSTILE}"},
    "contact": {"name": HOSTILE, "email": "a@b.example\nc@d.example", "url": "mailto:us"},
}
PATHS = {
    "/orders/{id}": {
        "get": {
            "operationId": "getOrder",
            "tags": ["orders"],
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
            ],
            "responses": {
                "200": {
                    "description": "It.",
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "properties": {"id": {"const": 7}}}
                        }
                    },
                }
            },
        }
    }
}


def generated(specwright: Run, place: Path, info: Mapping[str, Any], settings: str = "") -> Path:
    document = {"openapi": "3.1.1", "info": info, "paths": PATHS}
    document["externalDocs"] = {"url": "https://docs.orders.example"}
    (place / "openapi.json").write_text(json.dumps(document), "utf-8")
    table = f'[tool.specwright]\ndocument = "openapi.json"\npackage = "orders"\n{settings}'
    (place / "pyproject.toml").write_text(table, "utf-8")
    done = specwright("generate", cwd=place)
    assert done.returncode == 0, done.stderr
    return place / "generated"


def run(*arguments: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(package: Path) -> tuple[Path, Path]:
    """The wheel and the source distribution, both accepted by the checks of an index."""
    target = package.parent / "dist"
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", target, package)
    (wheel,), (source,) = target.glob("*.whl"), target.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", wheel, source)
    return wheel, source


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> tuple[Path, Path]:
    return built(generated(specwright, tmp_path_factory.mktemp("orders"), INFO))


def test_a_distribution_says_what_the_document_says(distributions: tuple[Path, Path]) -> None:
    fields = metadata(distributions[0])
    assert {name: fields.get_all(name) for name in set(fields)} == {
        "Metadata-Version": ["2.4"],
        "Name": ["orders"],
        "Version": ["1.4.0b2"],
        "Summary": ["Sells things."],
        "Author-email": ["Orders Team <orders@orders.example>"],
        "License-Expression": ["(MIT OR 0BSD) AND Apache-2.0"],
        "License-File": ["orders/_runtime/LICENSE"],
        "Project-URL": [
            "Contact, https://orders.example/help",
            "Documentation, https://docs.orders.example",
            "Terms of Service, https://orders.example/terms",
        ],
        "Classifier": ["Typing :: Typed"],
        "Requires-Python": [">=3.11"],
        "Requires-Dist": [
            "httpx2<3,>=2.12",
            "pydantic<3,>=2.13",
            "starlette<2,>=1.0; extra == 'server'",
        ],
        "Provides-Extra": ["server"],
        "Description-Content-Type": ["text/markdown"],
    }


def test_a_distribution_has_its_types_and_pages(distributions: tuple[Path, Path]) -> None:
    wheel, source = distributions
    with zipfile.ZipFile(wheel) as archive:
        assert {"orders/py.typed", "orders/_runtime/LICENSE"} <= set(archive.namelist())
    with tarfile.open(source) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    assert {"README.md", "api.md", "pyproject.toml", "orders/py.typed"} <= names
    assert "specwright.lock.json" not in names


def test_text_that_metadata_cannot_have_is_left_out(specwright: Run, tmp_path: Path) -> None:
    package = generated(specwright, tmp_path, WRONG)
    fields = metadata(built(package)[0])
    assert (fields["Name"], fields["Version"]) == ("orders", "0")
    assert fields["Summary"] == 'x" [project] name = "other'
    for name in ("Author", "Author-email", "License-Expression"):
        assert fields[name] is None
    assert fields.get_all("Project-URL") == ["Documentation, https://docs.orders.example"]
    done = specwright("validate", cwd=tmp_path)
    assert done.stdout.count("package-metadata") == 4


def test_settings_replace_version_and_licence(specwright: Run, tmp_path: Path) -> None:
    settings = 'version = "3.1"\nlicense = "Apache-2.0"\n'
    package = generated(specwright, tmp_path, INFO, settings)
    text = (package / "pyproject.toml").read_text("utf-8")
    assert 'version = "3.1"\n' in text and 'license = "Apache-2.0"\n' in text
    assert '__version__ = "3.1"' in (package / "orders/__init__.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('version = "spring"', "must be a version of Python packages (PEP 440)"),
        ('license = "ours"', "must be an SPDX licence expression"),
    ],
)
def test_wrong_settings_are_refused(
    specwright: Run, tmp_path: Path, setting: str, message: str
) -> None:
    table = f'[tool.specwright]\ndocument = "openapi.json"\n{setting}\n'
    (tmp_path / "pyproject.toml").write_text(table, "utf-8")
    done = specwright("generate", cwd=tmp_path)
    assert done.returncode == 2
    assert f"pyproject.toml:3:1: the setting '{setting.split()[0]}' {message}" in done.stderr


def dependencies(name: str) -> Iterator[str]:
    """Yield the names of what a distribution needs to be installed."""
    yield name
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from dependencies(requirement.name)


def install(environment: Path, wheel: Path) -> None:
    """Install a wheel, and what it asks for from this environment, without a network."""
    (place,) = environment.glob("lib/python*/site-packages")
    for text in metadata(wheel).get_all("Requires-Dist", []):
        requirement = Requirement(text)
        if requirement.marker is not None:
            continue
        for name in dependencies(requirement.name):
            for file in distribution(name).files or ():
                if ".." not in file.parts and file.locate().is_file():
                    target = place / file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(str(file.locate()), target)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)


def test_a_wheel_works_in_a_bare_environment(
    distributions: tuple[Path, Path], tmp_path: Path
) -> None:
    wheel = distributions[0]
    venv.create(tmp_path / "bare", symlinks=True)
    install(tmp_path / "bare", wheel)
    program = (
        "import sys, orders\n"
        "with orders.OrdersClient() as client:\n"
        "    print(client.orders.get_order(7).id, orders.__version__, 'starlette' in sys.modules)\n"
        "    print(orders.__file__)\n"
    )
    with running(wheel.parents[1], "mock", "openapi.json") as command:
        while " serves openapi.json until " not in (line := command.line()):
            pass
        python = tmp_path / "bare/bin/python"
        output = run(python, "-I", "-c", program, ORDERS_BASE_URL=line.split()[0])
    said, place = output.splitlines()
    assert said == "7 1.4.0b2 False"
    assert Path(place).is_relative_to(tmp_path / "bare")
