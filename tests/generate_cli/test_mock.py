"""`specwright mock` serves the responses of a document on this machine, and logs them."""

from __future__ import annotations

import copy
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
from tests.generate_cli.running import running

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
