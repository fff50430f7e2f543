"""An error of this program costs the schema or operation in which it happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from specwright.culprits import without_culprits
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.ir import build
from specwright.models.background import ModelWorker
from tests.command import run
from tests.review.projects import edited, write
from tests.review.projects import project as shop

# The package has a function of the same name.
models = import_module("specwright.models.generate")
pytestmark = pytest.mark.usefixtures("cold_cache")


@pytest.fixture
def cold_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def operation(name: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"operationId": name, "responses": {"200": {"description": "It.", "content": content}}}


def document() -> dict[str, Any]:
    # Owners come before the dogs that they refer to.
    names = ("Cat", "Owner", "Dog")
    schemas: dict[str, Any] = {
        name: {"type": "object", "properties": {"name": {"type": "string"}}} for name in names
    }
    schemas["Owner"]["properties"]["dog"] = {"$ref": "#/components/schemas/Dog"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1.0.0", "description": "Secret words."},
        "paths": {
            "/cat": {"get": operation("getCat", "Cat")},
            "/dog": {"get": operation("getDog", "Dog")},
            "/owner": {"get": operation("getOwner", "Owner")},
            "/shared": {"$ref": "#/components/pathItems/Shared"},
        },
        "components": {
            "schemas": schemas,
            "pathItems": {"Shared": {"get": operation("getShared", "Cat")}},
        },
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "openapi.json").write_text(json.dumps(document(), indent=1))
    return tmp_path


def failing(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, is_met: Callable[..., bool]
) -> None:
    """Raise an error of this program where a function of it is called in a certain way."""
    original = getattr(owner, name)

    def replaced(*args: Any, **options: Any) -> Any:
        if is_met(*args):
            raise KeyError("Secret words.")
        return original(*args, **options)

    monkeypatch.setattr(owner, name, replaced)


@pytest.mark.parametrize("path", ["/dog", "/shared"])
def test_an_operation_is_left_out(
    project: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    failing(monkeypatch, build._Builder, "_operation", lambda self, site, *_: site.key == path)
    done = run("generate", "--package", "pets", cwd=project)
    assert done.returncode == 1
    assert "3 of 4 operations in full; left out: 1 internal-error" in done.stdout
    lines = (project / "openapi.json").read_text().splitlines()
    name = {"/dog": "getDog", "/shared": "getShared"}[path]
    place, message = done.stderr.splitlines()[0].split(": ", 1)
    assert message.startswith("error internal-error specwright fails on this, which is a bug")
    near = "\n".join(lines[int(place.split(":")[1]) - 1 :][:4])
    assert name in near or "Shared" in near
    source = (project / "generated" / "pets" / "client.py").read_text()
    made = {name for name in ("cat", "dog", "owner", "shared") if f"def get_{name}(" in source}
    assert made == {"cat", "dog", "owner", "shared"} - {path[1:]}


def test_the_report_has_no_text_of_the_document(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, build._Builder, "_operation", lambda self, site, *_: site.key == "/dog")
    done = run("generate", "--package", "pets", cwd=project)
    [report] = [line for line in done.stderr.splitlines() if line.startswith("report this: ")]
    assert report.startswith("report this: KeyError at ")
    assert "test_internal_errors.py" in report and "specwright 0" in report
    assert "Secret" not in report and str(project) not in report


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError()])
def test_a_schema_is_replaced(
    project: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    original = models._run

    def replaced(document: Any, dialect: Any) -> Any:
        if mapping_of(dialect.schemas.get("Dog")):
            raise error
        return original(document, dialect)

    monkeypatch.setattr(models, "_run", replaced)
    monkeypatch.setattr(ModelWorker, "begin", lambda _, document: lambda: models.generate(document))
    done = run("generate", "--package", "pets", cwd=project)
    assert done.returncode == 1
    assert "2 of 4 operations in full; left out: 1 internal-error" in done.stdout
    assert "models allow any value here" in done.stderr
    source = (project / "generated" / "pets" / "models.py").read_text()
    assert "class Owner(" in source and "class Dog(" not in source


def mapping_of(schema: Any) -> bool:
    return isinstance(schema, dict) and "properties" in schema


@pytest.mark.parametrize(
    "command", [("docs", "--output", "docs.html"), ("scaffold", "--into", "service")]
)
def test_other_commands_do_without_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    failing(monkeypatch, build._Builder, "_operation", lambda self, site, *_: site.key == "/dog")
    done = run(*command, cwd=project)
    assert done.returncode == 1
    assert "internal-error" in done.stderr
    [written] = [file for file in (project / command[-1],) if file.exists()]
    files = [written] if written.is_file() else sorted(written.rglob("*.py"))
    text = "".join(file.read_text() for file in files)
    assert "get_cat" in text and "get_dog" not in text


def test_a_failure_of_no_part_is_an_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that all documents cause is a crash, and not the loss of all parts."""
    failing(monkeypatch, build._Builder, "_event_union", lambda *_: True)
    with pytest.raises(KeyError):
        run("generate", "--package", "pets", cwd=project)
    assert not (project / "generated").exists()


def test_the_search_has_an_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, build._Builder, "_operation", lambda self, site, *_: site.key == "/dog")
    monkeypatch.setattr("specwright.culprits._SECONDS", 0.0)
    with pytest.raises(KeyError):
        run("generate", "--package", "pets", cwd=project)
    assert not (project / "generated").exists()


def test_nothing_of_it_is_cached(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        failing(patched, build._Builder, "_operation", lambda self, site, *_: site.key == "/dog")
        assert run("generate", "--package", "pets", cwd=project).returncode == 1
        assert run("generate", "--package", "pets", "--check", cwd=project).returncode == 1
    done = run("generate", "--package", "pets", cwd=project)
    assert done.returncode == 0
    assert "4 of 4 operations in full; nothing left out" in done.stdout


def test_a_review_says_that_it_cannot_compare_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = shop(tmp_path / "repository")
    repository.write(
        "generated/specwright.lock.json", '{"options": {"package": "shop"}, "files": {}}'
    )
    repository.commit("A package")
    write(repository, edited(("/orders:", "/things:")))
    failing(monkeypatch, build._Builder, "_operation", lambda self, site, *_: site.key == "/things")
    done = run("review", "--base", "HEAD", cwd=repository.top)
    assert done.returncode == 1
    line = next(line for line in done.stdout.splitlines() if "cannot be generated" in line)
    assert "specwright fails on this, which is a bug (KeyError)" in line
    assert "openapi.json:" in line.partition("cannot be generated")[2]


def test_two_parts_that_fail_only_together_are_not_blamed(project: Path) -> None:
    def attempt(document: Document) -> None:
        schemas = document.data["components"]["schemas"]
        if schemas.get("Cat") and schemas.get("Dog"):
            raise KeyError("both")

    with pytest.raises(KeyError, match="both"):
        without_culprits(load(project / "openapi.json"), KeyError("both"), attempt)
