"""A document is named in one way for all commands, and what cannot be read is said in one way."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from specwright.cli import COMMANDS
from tests.conformance.test_command import Exchange, playing
from tests.conftest import Run
from tests.repository import Repository

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1.0.0"},
    "servers": [{"url": "https://things.example"}],
    "tags": [{"name": "things", "description": "Things."}],
    "paths": {
        "/things": {
            "get": {
                "operationId": "listThings",
                "summary": "List things",
                "tags": ["things"],
                "responses": {"200": {"description": "All."}},
            }
        }
    },
}
# About rules, templates and certificates.
WITHOUT = {"rules", "explain", "schema", "templates", "authority"}
URL = "http://127.0.0.1:1"
# The arguments of each command before the document, and those after it.
COMMAND_LINES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "init": ((), ()),
    "validate": ((), ()),
    "fmt": ((), ("--check",)),
    "mock": ((), ()),
    "generate": ((), ("--check",)),
    "watch": ((), ()),
    "scaffold": ((), ("--into", "service")),
    "docs": ((), ("--output", "page.html")),
    "test": ((URL,), ()),
    "replay": (("result.json", "F1"), ()),
    "check-traffic": (("traffic.har",), ("--base-url", URL)),
    "listen": ((URL,), ("--public-url", "https://tunnel.example")),
    "test-receiver": ((URL,), ()),
    "diff": (("old.json",), ()),
    "review": ((), ("--base", "HEAD")),
    "changelog": (("old.json",), ()),
}
# These wait for a change or a request.
LASTING = {"mock", "watch"}
# The result that `replay` reads names the document.
ENDING = COMMAND_LINES.keys() - LASTING - {"replay"}


def names(name: str) -> list[str]:
    context = click.Context(click.Command("specwright"))
    parameters = COMMANDS[name].load(name).get_params(context)
    arguments = [each for each in parameters if isinstance(each, click.Argument)]
    return [str(each.name) for each in arguments]


def test_every_command_about_a_document_is_known() -> None:
    assert set(COMMAND_LINES) | WITHOUT == set(COMMANDS)


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_a_document_is_an_argument_and_an_option(name: str) -> None:
    command = COMMANDS[name].load(name)
    assert names(name)[-1] in ("document", "documents", "revision")
    assert ["--document"] in [option.opts for option in command.params]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with a document of another name than the usual ones, and what commands need."""
    repository = Repository(tmp_path)
    for file in ("old.json", "things.json"):
        repository.write(file, json.dumps(DOCUMENT))
    entry = {"request": {}, "response": {}}
    repository.write("traffic.har", json.dumps({"log": {"entries": [entry]}}))
    repository.commit()
    return tmp_path


def timeless(result: tuple[int, str]) -> tuple[int, str]:
    return result[0], re.sub(r"in [0-9.]+ s", "in … s", result[1])


def outcome(specwright: Run, place: Path, name: str, *document: str) -> tuple[int, str]:
    before, after = COMMAND_LINES[name]
    done = specwright(name, *before, *document, *after, cwd=place)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(ENDING))
def test_both_ways_to_name_a_document_are_the_same(
    specwright: Run, place: Path, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(place, other, dirs_exist_ok=True)
    unnamed = outcome(specwright, place, name)
    argument = outcome(specwright, place, name, "things.json")
    option = outcome(specwright, other, name, "--document", "things.json")
    assert timeless(argument) == timeless(option)
    assert "there is no document" in unnamed[1]
    assert "there is no document" not in argument[1]


@pytest.mark.parametrize("name", sorted(COMMAND_LINES.keys() - {"validate", "fmt", "review"}))
def test_one_document_is_not_named_twice(specwright: Run, place: Path, name: str) -> None:
    code, output = outcome(specwright, place, name, "things.json", "--document", "old.json")
    assert code == 2
    assert "name it once" in output or "expected BASE" in output


@pytest.mark.parametrize("named", [".", "/", "empty", "../.."])
@pytest.mark.parametrize("name", sorted(ENDING - {"review"}))
def test_a_directory_is_no_document(specwright: Run, place: Path, name: str, named: str) -> None:
    """`review` takes the documents in it; `diff` has a file on the other side."""
    (place / "empty").mkdir()
    code, output = outcome(specwright, place, name, named)
    assert code == 2
    assert "is a directory" in output or "not below this directory" in output
    assert "Traceback" not in output


@pytest.mark.parametrize("name", sorted(ENDING))
def test_a_name_that_the_system_rejects_is_an_error(
    specwright: Run, place: Path, name: str
) -> None:
    named = "a" * 300
    code, output = outcome(specwright, place, name, named)
    assert code == 2
    assert f"{named}:1:1: cannot be read: File name too long" in output


@pytest.fixture
def address() -> Iterator[str]:
    def respond(exchange: Exchange) -> None:
        if exchange.path == "/openapi.json":
            exchange.answer(200, json.dumps(DOCUMENT).encode())
        else:
            exchange.answer(404)

    with playing(respond) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("name", sorted(ENDING))
def test_an_address_is_read_or_what_to_do_is_said(
    specwright: Run, place: Path, name: str, address: str
) -> None:
    named = f"{address}/openapi.json"
    code, output = outcome(specwright, place, name, named)
    if name in ("fmt", "review"):
        assert code == 2
        assert f"{named}: is on another machine" in output
        assert "hint: " in output and " a copy of it" in output
    else:
        assert "no such file" not in output
        assert "cannot be fetched" not in output


@pytest.mark.parametrize("name", sorted(ENDING - {"fmt", "review"}))
def test_the_address_is_the_one_that_was_named(
    specwright: Run, place: Path, name: str, address: str
) -> None:
    named = f"{address}/nothing.json"
    code, output = outcome(specwright, place, name, named)
    assert code == 2
    assert f"{named}:1:1: cannot be fetched: HTTP Error 404" in output


def test_a_machine_that_does_not_respond_is_said_in_words(specwright: Run, tmp_path: Path) -> None:
    named = f"{URL}/openapi.json"
    done = specwright("validate", named, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{named}:1:1: cannot be fetched: nothing listens there\n" in done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("validat", "validate"), ("lint", "validate"), ("format", "fmt"), ("serve", "mock")],
)
def test_an_unknown_command_gets_the_one_that_was_meant(
    specwright: Run, tmp_path: Path, typed: str, meant: str
) -> None:
    done = specwright(typed, cwd=tmp_path)
    assert done.returncode == 2
    assert f"unknown command '{typed}'\nhint: did you mean '{meant}'?" in done.stderr
