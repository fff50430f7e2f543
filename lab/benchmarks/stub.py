"""The throughput of servers: the generated stub, plain Starlette and FastAPI."""

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from lab.benchmarks.load import send_for
from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.peers import PEERS
from lab.benchmarks.workshop import ENVIRONMENT, Workshop

SERVERS = Path(__file__).parent / "servers"
UNCHECKED = "specwright, check_responses=False"
STARLETTE = "Starlette and Pydantic by hand"
AS_AGREED = "the same, with what the contract asks of every request"
FRAMEWORKS = ("fastapi", "litestar")
FASTAPI = PEERS["fastapi"].label
SECONDS = 2.0
OPTIONS = ["--http", "httptools", "--loop", "asyncio", "--no-access-log", "--log-level", "warning"]

BODY = json.dumps(
    {
        "plan_id": "pln_jp-5gb-30d",
        "reference": "trip-2026-0001",
        "quantity": 1,
        "end_user": {"label": "guest 4711"},
        "metadata": {"booking": "4711"},
    }
).encode()


def request(path: str) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer pes_test_{'0' * 48}\r\ncontent-length: {len(BODY)}\r\n\r\n"
    )
    return head.encode() + BODY


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(python: Path | str, application: str) -> Iterator[tuple[int, psutil.Process]]:
    """Run a server; yield its port and its process."""
    port = free_port()
    command = [
        python,
        "-m",
        "uvicorn",
        "--port",
        str(port),
        "--app-dir",
        SERVERS,
        application,
        *OPTIONS,
    ]
    process = subprocess.Popen(command, env=ENVIRONMENT)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        else:
            raise RuntimeError(f"{application} did not start")
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def throughput(workshop: Workshop, connections: int) -> Samples:
    servers: dict[str, tuple[Path | str, str]] = {
        OURS: (sys.executable, "stub_app:app"),
        UNCHECKED: (sys.executable, "stub_app:unchecked"),
        STARLETTE: (sys.executable, "starlette_app:app"),
        AS_AGREED: (sys.executable, "starlette_app:as_agreed"),
    }
    for key in workshop.invite(FRAMEWORKS):
        servers[PEERS[key].label] = (workshop.python_of(key), f"{key}_app:app")
    samples: Samples = {subject: [] for subject in servers}
    for _ in range(workshop.rounds):
        for subject, (python, application) in servers.items():
            with serving(python, application) as (port, process):
                order = request("/orders")
                send_for(SECONDS / 4, port, order, connections)
                before = cpu_seconds(process)
                answered = send_for(SECONDS, port, order, connections)
                samples[subject].append(answered / (cpu_seconds(process) - before))
    return samples


def _throughput(name: str, connections: int, words: str) -> Measurement:
    return Measurement(
        name,
        f"Requests of POST /orders per second of the server's CPU, over {words}",
        "requests/s",
        "uvicorn with one process and httptools, the connections from a second process on the same "
        "machine; the body is validated into a model and the response is made from one. The stub "
        "also reads the credential, gives the request an id, limits the size of the body and "
        "refuses repeated keys; the second server by hand does so, too. Stub and FastAPI check "
        "their own responses, unless that is turned off; Litestar and what is written by hand do "
        "not.",
        lambda workshop: throughput(workshop, connections),
        (
            Goal(
                "without checking responses, at least 0.9 of Starlette by hand",
                lambda m: m[UNCHECKED] >= 0.9 * m[STARLETTE],
            ),
            Goal(
                "without checking responses, at least 0.9 of Starlette by hand that does the same",
                lambda m: m[UNCHECKED] >= 0.9 * m[AS_AGREED],
            ),
            Goal("at least 1.5 times FastAPI", lambda m: m[OURS] >= 1.5 * m[FASTAPI]),
        ),
        more_is_better=True,
    )


THROUGHPUT = (
    _throughput("stub-1", 1, "one connection"),
    _throughput("stub-8", 8, "8 connections"),
    _throughput("stub-64", 64, "64 connections"),
)
