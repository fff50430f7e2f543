"""How many requests a server takes: the generated stub, plain Starlette and FastAPI."""

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.load import requests_per_second
from benchmarks.measurement import OURS, Goal, Measurement, Samples
from benchmarks.peers import PEERS
from benchmarks.workshop import Workshop

SERVERS = Path(__file__).parent / "servers"
STARLETTE = "Starlette and Pydantic by hand"
FASTAPI = PEERS["fastapi"].label
SECONDS = 2.0

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
def serving(python: Path | str, module: str) -> Iterator[int]:
    port = free_port()
    options = ["--port", str(port), "--no-access-log", "--log-level", "warning", "--http", "h11"]
    command = [python, "-m", "uvicorn", "--app-dir", SERVERS, f"{module}:app", *options]
    process = subprocess.Popen(command)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        else:
            raise RuntimeError(f"{module} did not start")
        yield port
    finally:
        process.terminate()
        process.wait()


def throughput(workshop: Workshop) -> Samples:
    servers: dict[str, tuple[Path | str, str]] = {
        OURS: (sys.executable, "stub_app"),
        STARLETTE: (sys.executable, "starlette_app"),
    }
    for key in workshop.invite(["fastapi"]):
        servers[FASTAPI] = (workshop.python_of(key), "fastapi_app")
    samples: Samples = {subject: [] for subject in servers}
    for _ in range(workshop.rounds):
        for subject, (python, module) in servers.items():
            with serving(python, module) as port:
                order = request("/orders")
                requests_per_second(port, order, seconds=SECONDS / 4)
                samples[subject].append(requests_per_second(port, order, seconds=SECONDS))
    return samples


THROUGHPUT = Measurement(
    "stub",
    "Requests per second of POST /orders",
    "requests/s",
    "uvicorn with one process and h11, eight connections from a second process on the same "
    "machine; the body is validated into a model and the answer is made from one.",
    throughput,
    (
        Goal("at least 0.9 of Starlette by hand", lambda m: m[OURS] >= 0.9 * m[STARLETTE]),
        Goal("at least 1.5 times FastAPI", lambda m: m[OURS] >= 1.5 * m[FASTAPI]),
    ),
    more_is_better=True,
)
