"""A process takes its port from a service manager such as systemd, and reports when it is ready."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from .running import COMMAND, DEADLINE, activated, environment, free_port, serving


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def port_of(bound: socket.socket) -> int:
    port: int = bound.getsockname()[1]
    return port


def test_the_port_is_that_of_the_service_manager(listener: socket.socket, tmp_path: Path) -> None:
    with serving("a.db", tmp_path, listener=listener) as running:
        assert running.base_url == f"http://127.0.0.1:{port_of(listener)}/api/v1"
        assert httpx2.get(running.reference).status_code == 200
        assert running.stop() == 0
    # It still takes connections, which wait for the next process.
    with (
        socket.create_connection(("127.0.0.1", port_of(listener)), DEADLINE) as waiting,
        serving("a.db", tmp_path, listener=listener),
    ):
        waiting.sendall(b"GET /docs HTTP/1.1\r\nhost: x\r\n\r\n")
        assert waiting.recv(15) == b"HTTP/1.1 200 OK"


def refused(command: list[str], cwd: Path, passed: int, **variables: str) -> str:
    """Return the line with which a process refuses to start."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
        pass_fds=[passed],
    )
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    return line


def test_what_cannot_be_the_port_is_refused(listener: socket.socket, tmp_path: Path) -> None:
    serve = [str(COMMAND), "serve", "--port=0", "--metrics-port=0"]
    two = activated(listener, ["env", "LISTEN_FDS=2", *serve])
    assert "LISTEN_FDS is 2" in refused(two, tmp_path, listener.fileno())
    with socket.socket() as silent, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "socket"))
        local.listen()
        for other in (silent, local):
            line = refused(activated(other, serve), tmp_path, other.fileno())
            assert "does not listen on TCP" in line
    with (tmp_path / "file").open("wb") as file:
        line = refused(activated(file, serve), tmp_path, file.fileno())
        assert "is not a socket" in line
    assert not (tmp_path / "esim.sqlite3").exists()


def test_a_port_that_was_passed_to_another_process_is_left_alone(
    listener: socket.socket, tmp_path: Path
) -> None:
    variables = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
    with serving("a.db", tmp_path, **variables) as running:
        assert f":{port_of(listener)}/" not in running.base_url
        assert httpx2.get(running.reference).status_code == 200


@pytest.mark.parametrize("name", ["notify", "@"], ids=["path", "abstract"])
def test_it_reports_when_it_is_ready(name: str, tmp_path: Path) -> None:
    if name == "@" and sys.platform != "linux":
        pytest.skip("only Linux has abstract addresses")
    address = f"@{tmp_path}" if name == "@" else str(tmp_path / name)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address.replace("@", "\0"))
        manager.settimeout(DEADLINE)
        with serving("a.db", tmp_path, NOTIFY_SOCKET=address) as running:
            assert manager.recv(100) == b"READY=1"
            assert httpx2.get(f"{running.operations}/readyz").status_code == 200


def test_a_service_manager_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    with serving("a.db", tmp_path, NOTIFY_SOCKET=str(tmp_path / "gone")) as running:
        assert httpx2.get(f"{running.operations}/readyz").status_code == 200


def test_systemd_passes_its_port(tmp_path: Path) -> None:
    if not (activate := shutil.which("systemd-socket-activate")):
        pytest.skip("systemd is not installed")
    port = free_port()
    process = subprocess.Popen(
        [activate, f"--listen=127.0.0.1:{port}", str(COMMAND), "serve", "--metrics-port=0"],
        cwd=tmp_path,
        env=environment({}),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        while "Listening on" not in process.stderr.readline():
            pass
        # The first connection starts the service, and waits for it.
        assert httpx2.get(f"http://127.0.0.1:{port}/docs", timeout=DEADLINE).status_code == 200
    finally:
        process.terminate()
        process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
