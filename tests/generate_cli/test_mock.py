"""`specwright mock` serves the responses of a document on this machine, and logs them."""

from __future__ import annotations

import copy
import json
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from specwright.mock.process import MockProcess
from specwright.serving import listening
from tests.conftest import Run
from tests.generate_cli.conftest import DOCUMENT, SETTINGS, write_document
from tests.generate_cli.running import Running, running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project whose document has an example and, in one operation, an error."""
    content: dict[str, Any] = copy.deepcopy(DOCUMENT)
    responses = content["paths"]["/things/{id}"]["get"]["responses"]
    responses["200"]["content"]["application/json"]["example"] = {"name": "bolt"}
    responses["404"] = {"description": "Not found"}
    content["paths"]["/broken"] = {"get": {"parameters": 1, "responses": {"200": {}}}}
    write_document(tmp_path, content)
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    return tmp_path


def test_responses_are_those_of_the_document(shop: Path) -> None:
    with running(shop, "mock") as mock:
        left_out = mock.line()
        assert left_out.startswith("api.json:")
        assert left_out.endswith(": GET /broken has an error: 404")
        url, _, rest = mock.line().partition(" ")
        assert rest == "serves api.json until Ctrl-C"
        with httpx2.Client(base_url=url, headers={"Authorization": "Bearer secret"}) as client:
            found = client.get("/things/a%0Ab", params={"api_key": "secret"})
            assert (found.status_code, found.json()) == (200, {"name": "bolt"})
            assert client.get("/things/1", headers={"Prefer": "code=404"}).status_code == 404
            assert client.get("/broken").status_code == 404
        port = int(url.removesuffix("/api").rpartition(":")[2])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port))
        assert mock.end(signal.SIGINT) == (
            0,
            ["GET /api/things/a%0Ab 200", "GET /api/things/1 404", "GET /api/broken 404"],
        )


def test_a_port_that_is_in_use_is_said(specwright: Run, shop: Path) -> None:
    with listening() as taken:
        port = taken.getsockname()[1]
        done = specwright("mock", "--port", str(port), cwd=shop)
    assert done.returncode == 2
    assert done.stderr == (f"error: port {port} is already in use\nhint: choose another port\n")


def test_other_machines_have_access_only_with_an_option(shop: Path) -> None:
    with running(shop, "mock", "--host", "0.0.0.0") as mock:
        mock.line()
        url, _, rest = mock.line().partition(" ")
        assert url.startswith("http://127.0.0.1:")
        assert rest == "serves api.json until Ctrl-C"
        assert mock.line() == "others can reach it at 0.0.0.0, and read the document"
        # Another address of this machine stands for another machine.
        other = url.replace("127.0.0.1", "127.0.0.2")
        assert httpx2.get(f"{other}/things/1").json() == {"name": "bolt"}


def test_an_address_of_another_machine_is_refused(specwright: Run, shop: Path) -> None:
    done = specwright("mock", "--host", "192.0.2.1", cwd=shop)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "error: 192.0.2.1 is not an address of this machine"


def test_a_document_with_errors_everywhere_is_refused(specwright: Run, shop: Path) -> None:
    write_document(shop, {**DOCUMENT, "info": {}})
    done = specwright("mock", cwd=shop)
    assert done.returncode == 2
    assert "api.json: a document with errors cannot be used" in done.stderr


@pytest.mark.parametrize("command", [("mock",), ("watch", "--mock", "0")])
def test_a_missing_server_is_named_with_its_extra(
    specwright: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = specwright(*command, cwd=shop)
    assert done.returncode == 2
    assert "requires uvicorn" in done.stderr
    assert "pip install 'specwright[test]'" in done.stderr


def test_a_mock_that_does_not_start_replaces_none(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with MockProcess(listening()) as process:
        serves = process.replace([str(shop / "api.json")])
        assert serves is not None
        assert process.replace([str(shop / "missing.json")]) is None
        assert "missing.json" in capfd.readouterr().err
        assert httpx2.get(f"{serves.split()[0]}/things/1").json() == {"name": "bolt"}


@pytest.fixture
def split(shop: Path) -> Path:
    """A project with a document in two files, and no errors; it returns the second file."""
    document = json.loads((shop / "api.json").read_text("utf-8"))
    del document["paths"]["/broken"]
    properties = document["components"]["schemas"]["Thing"]["properties"]
    part = shop / "name.json"
    part.write_text(json.dumps(properties["name"]), "utf-8")
    properties["name"] = {"$ref": part.name}
    write_document(shop, document)
    return part


def run(mock: Running) -> list[str]:
    """The lines of the next run, from that of its cause to that of its end."""
    lines = [mock.line()]
    while not lines[-1].startswith("watching "):
        lines.append(mock.line())
    return lines


def name_of_thing(mock: Running, url: str) -> object:
    name = httpx2.get(f"{url}/things/1").json()["name"]
    assert mock.line() == "GET /api/things/1 200"
    return name


def test_a_changed_document_is_served(split: Path) -> None:
    with running(split.parent, "mock", "--watch") as mock:
        # The settings, the document, and the file that it refers to.
        serves, end = run(mock)
        assert serves.endswith(" serves api.json until Ctrl-C")
        assert end == "watching 3 files until Ctrl-C"
        url = serves.split()[0]
        assert name_of_thing(mock, url) == "bolt"

        split.write_text('{"const": "screw"}', "utf-8")
        cause, again, example, _ = run(mock)
        assert cause == "changed: name.json"
        assert again == serves
        assert "the example does not fit at /name: " in example
        assert name_of_thing(mock, url) == "screw"

        (split.parent / "pyproject.toml").write_text("", "utf-8")
        _, error, _, _ = run(mock)
        assert error == "error: there is no document here"
        assert name_of_thing(mock, url) == "screw"
        assert mock.end(signal.SIGINT) == (0, [])
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(url)


def test_a_document_with_errors_leaves_the_last_mock(split: Path) -> None:
    document = split.with_name("api.json")
    text, part = document.read_text("utf-8"), split.read_text("utf-8")
    with running(split.parent, "mock", "--watch") as mock:
        url = run(mock)[0].split()[0]
        document.write_text(text[:-1], "utf-8")
        cause, error, *_ = run(mock)
        assert cause == "changed: api.json"
        assert error.startswith("error: api.json:")
        assert name_of_thing(mock, url) == "bolt"

        split.unlink()
        run(mock)
        document.write_text(text.replace("bolt", "nut"), "utf-8")
        _, error, hint, end = run(mock)
        assert error.startswith("error: api.json:")
        assert hint == "hint: looked for name.json"
        assert end == "watching 2 files until Ctrl-C"
        assert name_of_thing(mock, url) == "bolt"

        # The missing file is one of those that are watched.
        split.write_text(part, "utf-8")
        assert run(mock)[0] == "changed: name.json"
        assert name_of_thing(mock, url) == "nut"
        assert mock.end(signal.SIGTERM) == (0, [])


def test_a_mock_begins_with_the_first_document_without_errors(split: Path) -> None:
    document = split.with_name("api.json")
    text = document.read_text("utf-8")
    document.write_text("[" * 100_000, "utf-8")
    with running(split.parent, "mock", "--watch") as mock:
        assert run(mock)[0].startswith("error: ")
        document.write_text(text, "utf-8")
        _, serves, _ = run(mock)
        assert name_of_thing(mock, serves.split()[0]) == "bolt"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("https://shop.example/openapi.json",), "error: https://shop.example/openapi.json: is on"),
        ((), "error: there is no document here"),
    ],
)
def test_a_mistake_at_the_start_ends_it(
    specwright: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = specwright("mock", "--watch", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
