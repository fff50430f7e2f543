"""A document refers to files of its own project; others are read only if that is allowed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load
from specwright.errors import InputError
from tests import command

from .documents import SKELETON, write

COMMAND = Path(sys.executable).with_name("specwright")
SECRET = "5up3r-s3cr3t"
SETTINGS = '[tool.specwright]\ndocument = "api/openapi.json"\n'

Validate = Callable[..., subprocess.CompletedProcess[str]]


def validate(document: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return command.run("validate", document, *options, cwd=document.parent)


def validate_apart(document: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that a pipe or a device cannot block indefinitely."""
    return subprocess.run(
        [COMMAND, "validate", document, *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def referring(directory: Path, target: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return write(directory, f"components: {{schemas: {{A: {{$ref: '{target}'}}}}}}")


def refusal(document: Path, *options: str, run: Validate = validate) -> str:
    result = run(document, *options)
    assert result.returncode == 2, result.stdout + result.stderr
    assert result.stdout == ""
    assert SECRET not in result.stderr
    return result.stderr


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a project in it, and beside that a file outside the project."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "part.json").write_text(f'{{"A": {{"const": "{SECRET}"}}}}')
    (tmp_path / "project" / "shared").mkdir(parents=True)
    (tmp_path / "project" / "shared" / "part.json").write_text('{"A": {"type": "string"}}')
    return tmp_path


OUTSIDE = ("../../outside/part.json#/A", "../shared/link.json#/A", "../linked/part.json#/A")


@pytest.mark.parametrize("target", OUTSIDE)
def test_a_file_outside_the_project_is_not_read(place: Path, target: str) -> None:
    project = place / "project"
    (project / "pyproject.toml").write_text(SETTINGS)
    (project / "shared" / "link.json").symlink_to(place / "outside" / "part.json")
    (project / "linked").symlink_to(place / "outside")
    document = referring(project / "api", target)
    message = refusal(document)
    assert message.startswith(
        f"error: {document}:11:9: '{target}' refers to a file outside the project"
    )
    assert "--allow-refs-from" in message


def test_nobody_learns_whether_a_file_outside_exists(place: Path) -> None:
    (place / "project" / "pyproject.toml").write_text(SETTINGS)
    document = referring(place / "project" / "api", "../../outside/nothing.json")
    assert "refers to a file outside the project" in refusal(document)


def test_a_file_outside_is_read_from_a_directory_that_is_allowed(place: Path) -> None:
    document = referring(place / "project" / "api", OUTSIDE[0])
    elsewhere = ("--allow-refs-from", str(place / "project" / "shared"))
    assert "refers to a file outside the project" in refusal(document, *elsewhere)
    allowed = (*elsewhere, "--allow-refs-from", str(place / "outside"))
    assert validate(document, *allowed).returncode == 0


@pytest.mark.parametrize("marker", ["pyproject.toml", ".git"])
def test_a_project_is_the_directory_of_its_settings_or_its_git_tree(
    place: Path, marker: str
) -> None:
    document = referring(place / "project" / "api", "../shared/part.json#/A")
    assert "refers to a file outside the project" in refusal(document)
    if marker == ".git":
        (place / "project" / marker).mkdir()
    else:
        (place / "project" / marker).write_text(SETTINGS)
    assert validate(document).returncode == 0


@pytest.mark.parametrize(
    ("tree", "settings"), [(".", "project"), ("project/api", "."), (".", "project/api")]
)
def test_the_git_tree_and_the_settings_do_not_narrow_each_other(
    place: Path, tree: str, settings: str
) -> None:
    """APIs of one repository share files, and the files of a submodule those around it."""
    (place / tree / ".git").mkdir(parents=True)
    (place / settings).mkdir(parents=True, exist_ok=True)
    (place / settings / "pyproject.toml").write_text(SETTINGS)
    document = referring(place / "project" / "api", OUTSIDE[0])
    assert validate(document).returncode == 0


def pipe(file: Path) -> None:
    os.mkfifo(file)


def device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def giant(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(33 * 1024 * 1024)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (pipe, "is not a regular file"),
        (device, "is not a regular file"),
        (giant, "is larger than 32 MB"),
        (Path.mkdir, "is a directory"),
    ],
)
def test_only_regular_files_of_sane_size_are_read(tmp_path: Path, make, reason: str) -> None:
    make(tmp_path / "part.json")
    allowed = ("--allow-refs-from", "/dev")
    document = referring(tmp_path, "part.json")
    assert reason in refusal(document, *allowed, run=validate_apart)
    document = tmp_path / "document.json"
    make(document)
    with pytest.raises(InputError, match=reason):
        load(document)
    if make is not pipe:
        assert reason in refusal(document, run=validate_apart)


def test_the_document_that_is_named_may_be_a_pipe(tmp_path: Path) -> None:
    document = write(tmp_path, "paths: {}")
    result = subprocess.run(
        [COMMAND, "validate", "/dev/stdin"],
        input=document.read_text(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "content",
    [
        f"{{'{SECRET}': 1, '{SECRET}': 2}}",
        f"{SECRET}:\n\t{SECRET}",
        f"a: *{SECRET}",
        f"a: !{SECRET} 1",
        f'["{SECRET}", {{"{SECRET}": 1, "{SECRET}": 2}}]',
        SECRET,
    ],
)
def test_what_is_no_part_of_a_document_is_not_shown(tmp_path: Path, content: str) -> None:
    (tmp_path / "part").write_text(content)
    message = refusal(referring(tmp_path, "part"))
    assert "is not JSON or YAML" in message or "is not an object" in message


def test_an_object_needs_a_place_in_the_document(tmp_path: Path) -> None:
    (tmp_path / "part.json").write_text('{"get": {"responses": {}}}')
    for components in ([], {"pathItems": []}):
        document = tmp_path / "openapi.json"
        paths = {"/x": {"$ref": "part.json"}}
        document.write_text(json.dumps({**SKELETON, "paths": paths, "components": components}))
        assert "'components' and its 'pathItems' must be objects" in refusal(document)


def test_files_may_refer_to_each_other_one_after_the_other(tmp_path: Path) -> None:
    count = 1_500
    for number in range(count):
        link = {"$ref": f"{number + 1}.json"} if number < count - 1 else {"type": "string"}
        (tmp_path / f"{number}.json").write_text(json.dumps({"properties": {"next": link}}))
    schemas = load(referring(tmp_path, "0.json")).data["components"]["schemas"]
    assert len(schemas) == count + 1


def test_the_number_of_files_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("specwright.document.sources.bundle.MAX_FILES", 3)
    for number in range(3):
        link = {"$ref": f"{number + 1}.json"} if number < 2 else {}
        (tmp_path / f"{number}.json").write_text(json.dumps({"properties": {"next": link}}))
    load(referring(tmp_path, "1.json"))
    with pytest.raises(InputError, match="more than 3 files"):
        load(referring(tmp_path, "0.json"))


@contextmanager
def answering(answers: dict[str, tuple[int, dict[str, str], bytes]]) -> Iterator[str]:
    """The address of a server that gives the same answer to each path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answers[self.path]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("scheme", ["file", "ftp", "data"])
def test_a_file_on_another_machine_does_not_lead_to_one_here(tmp_path: Path, scheme: str) -> None:
    (tmp_path / "here.json").write_text(f'{{"const": "{SECRET}"}}')
    local = f"{scheme}://{tmp_path}/here.json"
    answers = {
        "/moved.json": (302, {"Location": local}, b""),
        "/referring.json": (200, {}, json.dumps({"not": {"$ref": local}}).encode()),
    }
    with answering(answers) as web:
        for path in answers:
            with pytest.raises(InputError, match=r"HTTP|not allowed") as caught:
                load(referring(tmp_path, web + path), remote=Remote.FETCH)
            assert SECRET not in str(caught.value)


def test_an_address_that_is_none_is_an_input_error(tmp_path: Path) -> None:
    for address in ("http://[::1/a", "http://a b/", "http://127.0.0.1:99999/"):
        with pytest.raises(InputError, match=r"cannot be fetched|not an HTTP address"):
            load(referring(tmp_path, address), remote=Remote.FETCH)


def test_a_schema_may_be_a_boolean_and_nothing_else_may(tmp_path: Path) -> None:
    (tmp_path / "part.json").write_text('{"A": true}')
    schemas = load(referring(tmp_path, "part.json#/A")).data["components"]["schemas"]
    assert schemas == {"A": {"$ref": "#/components/schemas/A_2"}, "A_2": True}
    document = write(tmp_path, "components: {responses: {A: {$ref: 'part.json#/A'}}}")
    with pytest.raises(InputError, match="not an object"):
        load(document)


def test_a_file_on_another_machine_has_a_sane_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specwright.document.sources.remote.LARGEST", 20)
    answers = {"/large.json": (200, {}, json.dumps({"description": "x" * 20}).encode())}
    with answering(answers) as web, pytest.raises(InputError, match="is too large"):
        load(referring(tmp_path, f"{web}/large.json"), remote=Remote.FETCH)
