"""A project of the first version that could generate goes on with the one of today."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, Run

from .conftest import SETTINGS, write_document

pytestmark = pytest.mark.exhaustive

PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from specwright.cli import main; main()"
PROBE = """
import sys
sys.path.append("generated")
from starlette.testclient import TestClient
from service.app import app
print(TestClient(app).get("/things/7").text)
"""
STUB = "        return await super().get_thing(id=id, context=context)\n"
MINE = "        return models.Thing(name=id)  # mine\n"


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True).stdout


@pytest.fixture(scope="module")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toolkit as of the first commit with `generate` and `scaffold`."""
    commands = (f"generator/specwright/commands/{name}.py" for name in ("generate", "scaffold"))
    added = [
        git("log", "--reverse", "--diff-filter=A", "--format=%H", "--", command).split()
        for command in commands
    ]
    if not all(added) or git("rev-parse", "--is-shallow-repository").strip() != b"false":
        pytest.skip("the history of the repository is not here")
    [commit] = {commits[0].decode() for commits in added}
    place = tmp_path_factory.mktemp("first")
    archive = git("archive", commit, "generator", "templates")
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(place, filter="data")
    return place / "generator"


def test_a_project_of_the_first_version_is_upgraded(
    first_version: Path, tmp_path: Path, specwright: Run
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    write_document(project)
    (project / "pyproject.toml").write_text(SETTINGS)

    def first(*arguments: str) -> None:
        command = [sys.executable, "-c", PROGRAM, str(first_version), *arguments]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def response() -> str:
        command = [sys.executable, "-c", PROBE]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    first("generate")
    first("scaffold", "--into", "service")
    handlers = project / "service" / "things.py"
    written = handlers.read_text()
    assert STUB in written
    handlers.write_text(written.replace(STUB, MINE))
    before = {path.name: path.read_bytes() for path in (project / "service").glob("*.py")}
    old_response = response()
    assert old_response == '{"name":"7"}'

    # Today's tool replaces the package, and names what the first one had otherwise.
    upgraded = specwright("generate", cwd=project)
    assert upgraded.returncode == 0, upgraded.stderr
    assert "  shop.client.Things.get: removed" in upgraded.stdout.splitlines()
    checked = specwright("generate", "--check", cwd=project)
    assert checked.returncode == 0, checked.stdout
    assert response() == old_response

    # Nothing is lacking in what was written by hand, and nothing changes it.
    updated = specwright("scaffold", "--into", "service", "--update", cwd=project)
    assert updated.stdout.splitlines() == [
        f"service/{name}: skipped: already exists"
        for name in ("__init__.py", "app.py", "things.py")
    ]
    assert before == {path.name: path.read_bytes() for path in (project / "service").glob("*.py")}

    # The next change of the document goes the usual way.
    document = project / "api.json"
    document.write_text(document.read_text().replace('"getThing"', '"readThing"'))
    assert specwright("generate", cwd=project).returncode == 0
    updated = specwright("scaffold", "--into", "service", "--update", cwd=project)
    assert updated.stdout.splitlines()[-1] == (
        "service/things.py: added read_thing; not an operation: get_thing"
    )
    assert MINE in handlers.read_text()
