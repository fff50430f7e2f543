"""Commands connect to nothing but the addresses that they are given (docs/about.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import blocks
from tests.docs.example_server import serving

ROOT = Path(__file__).parents[2]
# Recorded in every process of Python that a command starts. Names are resolved in C as well, but
# only after this event.
RECORD = """
import os, sys

def record(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["CONNECTIONS"], "a") as file:
            file.write(f"{arguments[-1] if event != 'socket.getaddrinfo' else arguments[0]}\\n")

sys.addaudithook(record)
"""
COMMANDS = ("init library.yaml", "generate", "diff library.yaml next.yaml")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    page = blocks(ROOT / "README.md", "README.md")
    (document,) = (block.text for block in page if block.file == "library.yaml")
    (tmp_path / "library.yaml").write_text(document)
    (tmp_path / "next.yaml").write_text(document.replace("science", "music"))
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(RECORD)
    return tmp_path


def connections(project: Path, *command: str) -> list[str]:
    log = project / "connections"
    log.touch()
    environment = {
        **os.environ,
        "PYTHONPATH": str(project / "hook"),
        "CONNECTIONS": str(log),
        "XDG_CACHE_HOME": str(project / "cache"),
        "KEY": "pes_test_" + "0" * 48,
    }
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True
    )
    assert done.returncode < 2, done.stderr
    return log.read_text().splitlines()


def test_connections_are_recorded(project: Path) -> None:
    program = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    assert connections(project, "-c", program) == ["('127.0.0.1', 9)"]


def test_commands_without_a_url_connect_to_nothing(project: Path) -> None:
    for command in COMMANDS:
        assert connections(project, "-m", "specwright", *command.split()) == [], command


def test_a_contract_test_connects_to_its_target_only(project: Path) -> None:
    document = ROOT / "spec" / "openapi.json"
    with serving(document) as url:
        options = ("--document", str(document), "--api-key-env", "KEY", "--include", "GET /plans")
        addresses = connections(
            project, "-m", "specwright", "test", url, *options, "--max-time", "4"
        )
    assert addresses
    assert {address for address in addresses if "127.0.0.1" not in address} == set()
