"""The location of the document: a URL, a usual name, or one of several tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from specwright.emit.manifest import LOCK
from tests.conftest import Run
from tests.generate_cli.conftest import DOCUMENT, write_document

TABLES = """
[[tool.specwright]]
document = "api.json"
output = "first"
package = "shop"

[[tool.specwright]]
document = "other.json"
output = "second"
package = "bank"
short-method-names = true
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    """A server of the files in the directory `web`."""
    (tmp_path / "web").mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "web"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_document_is_read_from_an_address(
    tmp_path: Path, specwright: Run, server: ThreadingHTTPServer
) -> None:
    content = json.dumps(DOCUMENT).encode()
    (tmp_path / "web" / "openapi.json").write_bytes(content)
    address = f"127.0.0.1:{server.server_port}/openapi.json"
    place = tmp_path / "project"
    place.mkdir()
    document = ("--document", f"http://{address}?token=secret")
    plain = ("--document", f"http://{address}")
    assert specwright("generate", *plain, cwd=place).returncode == 0
    lock = json.loads((place / "generated" / LOCK).read_text())
    assert lock["fetched"] == {f"http://{address}": sha256(content).hexdigest()}
    assert specwright("generate", "--check", *plain, cwd=place).returncode == 0
    (tmp_path / "web" / "openapi.json").write_bytes(content.replace(b"Get a thing", b"Get one"))
    changed = specwright("generate", "--check", *plain, cwd=place)
    assert changed.returncode == 1
    assert f"generated/{LOCK}: changed" in changed.stdout
    assert specwright("generate", *document, cwd=place).returncode == 0
    assert "secret" not in (place / "generated" / LOCK).read_text()


def test_an_address_with_nothing_there_is_an_error_with_it(
    tmp_path: Path, specwright: Run, server: ThreadingHTTPServer
) -> None:
    address = f"http://127.0.0.1:{server.server_port}/gone.json"
    done = specwright("generate", "--document", address, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{address}:1:1: cannot be fetched: HTTP Error 404" in done.stderr


def test_an_address_is_not_a_setting(tmp_path: Path, specwright: Run) -> None:
    """Otherwise, settings from others could make this machine send requests."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.specwright]\ndocument = "http://127.0.0.1:1/openapi.json"\n'
    )
    assert "no such file" in specwright("generate", cwd=tmp_path).stderr


@pytest.mark.parametrize("name", ["openapi.json", "openapi.yaml", "openapi.yml"])
def test_a_document_is_found_under_its_usual_name(
    tmp_path: Path, specwright: Run, name: str
) -> None:
    (tmp_path / name).write_text(json.dumps(DOCUMENT))
    assert specwright("generate", cwd=tmp_path).returncode == 0
    assert (tmp_path / "generated" / "shop").is_dir()
    validated = specwright("validate", cwd=tmp_path)
    assert f"{name}: " in validated.stdout


def test_one_of_two_documents_is_named(tmp_path: Path, specwright: Run) -> None:
    for name in ("openapi.json", "openapi.yaml"):
        (tmp_path / name).write_text(json.dumps(DOCUMENT))
    for command in ("generate", "validate", "fmt"):
        done = specwright(command, cwd=tmp_path)
        assert done.returncode == 2
        assert "more than one document: openapi.json, openapi.yaml" in done.stderr


def test_the_document_of_the_project_is_that_of_all_commands(
    tmp_path: Path, specwright: Run
) -> None:
    write_document(tmp_path)
    (tmp_path / "openapi.json").write_text("{")
    (tmp_path / "pyproject.toml").write_text('[tool.specwright]\ndocument = "api.json"\n')
    assert "api.json: " in specwright("validate", cwd=tmp_path).stdout
    assert "api.json: would change" in specwright("fmt", "--check", cwd=tmp_path).stdout


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A project of two documents."""
    write_document(tmp_path)
    other = {**DOCUMENT, "info": {"title": "Bank", "version": "1"}}
    (tmp_path / "other.json").write_text(json.dumps(other))
    (tmp_path / "pyproject.toml").write_text(TABLES)
    return tmp_path


def test_several_documents_are_generated_apart(two: Path, specwright: Run) -> None:
    assert specwright("generate", cwd=two).returncode == 0
    assert (two / "first" / "shop" / "client.py").is_file()
    client = (two / "second" / "bank" / "client.py").read_text()
    assert "def get(" in client
    assert specwright("generate", "--check", cwd=two).returncode == 0
    (two / "other.json").write_text((two / "other.json").read_text().replace("Get a", "Find a"))
    checked = specwright("generate", "--check", cwd=two)
    assert checked.returncode == 1
    assert "files are up to date with api.json" in checked.stdout
    assert "second/bank/client.py: changed" in checked.stdout


def test_one_of_several_documents_has_its_own_settings(two: Path, specwright: Run) -> None:
    done = specwright("generate", "--document", "other.json", cwd=two)
    assert done.returncode == 0
    assert (two / "second" / "bank").is_dir()
    assert not (two / "first").exists()
    assert specwright("validate", "api.json", cwd=two).returncode == 0


def test_all_documents_are_validated_and_formatted(two: Path, specwright: Run) -> None:
    checked = specwright("validate", "--format", "json", cwd=two)
    assert checked.returncode == 0
    files = {finding["file"] for finding in json.loads(checked.stdout)["findings"]}
    assert files == {"api.json", "other.json"}
    formatted = specwright("fmt", cwd=two)
    assert formatted.stdout == "api.json: changed\nother.json: changed\n"
    assert specwright("fmt", "--check", cwd=two).returncode == 0


def test_a_command_for_one_document_asks_which(two: Path, specwright: Run) -> None:
    done = specwright("generate", "--package", "x", cwd=two)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: the project has several documents",
        "hint: name one of api.json, other.json",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'output = "second"',
            "",
            "pyproject.toml:7:1: each of several documents needs a 'document'",
        ),
        ("second", "first", "pyproject.toml:9:1: another document has this output"),
        ("package = ", "pack = ", "pyproject.toml:5:1: unknown setting 'pack'"),
        ('"bank"', "3", "pyproject.toml:10:1: the setting 'package' must be a valid Python"),
    ],
)
def test_a_mistake_in_one_of_several_tables_has_its_place(
    two: Path, specwright: Run, old: str, new: str, message: str
) -> None:
    (two / "pyproject.toml").write_text(TABLES.replace(old, new))
    done = specwright("generate", cwd=two)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
