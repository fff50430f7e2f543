"""A server in its own environment, and the results of both tools on it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from lab.benchmarks.workshop import ENVIRONMENT
from lab.foreign_servers.comparison import Failure, of_schemathesis, of_specwright
from lab.foreign_servers.outcomes import Outcome
from lab.foreign_servers.servers import Server

# Where the servers are installed, and the reports are.
PLACE = Path(gettempdir(), "specwright-foreign")
_START_SECONDS = 120
_VERSION = re.compile(r"[^A-Za-z0-9]+")
_SEED = "1"
# A file in a complete environment; an installation may be interrupted.
_INSTALLED = "installed"
# The number of causes kept per server and tool.
_MOST = 40
# A supervisor, as servers have in production: one that crashes is started again.
_SUPERVISOR = ("sh", "-c", 'while :; do "$@"; sleep 0.2; done', "supervisor")


@dataclass(frozen=True, slots=True)
class Running:
    """A server that responds.

    Attributes:
        url: the base URL of its API.
        document: its URL, or a path.
        key: user and password, or a token; empty if it is open.
    """

    url: str
    document: str
    key: str


def install(server: Server, place: Path) -> Path:
    """Create the environment of a server and return the directory of its commands."""
    home = place / (f"npm-{_slug(server.packages[0])}" if server.is_npm else _slug(server.name))
    if server.is_npm:
        if not (home / "node_modules").exists():
            home.mkdir(parents=True, exist_ok=True)
            _run(["npm", "install", "--silent", "--prefix", str(home), *server.packages])
        return home / "node_modules" / ".bin"
    if not (home / _INSTALLED).exists():
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        _run([str(home / "bin" / "python"), "-m", "pip", "install", "-q", *server.packages])
        (home / _INSTALLED).touch()
    if server.source and not any((home / "source").glob("*")):
        _unpack(server.source, home)
    return home / "bin"


def reports_of(server: Server, place: Path, tool: str) -> Path:
    """Return the directory of the reports of a tool on a server."""
    return place / f"reports-{_slug(server.name)}-{tool}"


@contextmanager
def started(server: Server, place: Path, corpus: Path) -> Iterator[Running]:
    """Run a server for the duration of the context.

    Raises:
        RuntimeError: it does not respond.
    """
    commands = install(server, place)
    port = _free_port()
    data = place / f"data-{_slug(server.name)}-{port}"
    data.mkdir()
    source = next((commands.parent / "source").glob("*"), data) if server.source else data
    words = {
        "bin": str(commands),
        "data": str(data),
        "place": str(source),
        "port": str(port),
        "here": str(Path(__file__).parent),
        "corpus": str(corpus),
    }
    environment = {name: text.format(**words) for name, text in server.environment.items()}
    with (data / "serve.log").open("w") as log:
        process = subprocess.Popen(
            [*_SUPERVISOR, *(word.format(**words) for word in server.command)],
            cwd=data,
            env={**os.environ, **environment},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    root = f"http://127.0.0.1:{port}"
    path = server.document.format(**words)
    document = path if server.document.startswith("{") else root + path
    try:
        _await(root)
        yield Running(root + server.base, document, server.key or _token(root, server))
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def by_specwright(
    running: Running, server: Server, seconds: int, place: Path
) -> tuple[Outcome, list[Failure]]:
    """Test a server with `specwright test`; return its result and its failures."""
    command = [
        *("specwright", "test", running.url, "--document", running.document, "--seed", _SEED),
        *("--max-time", str(seconds), "--report-dir", str(place)),
        *(("--api-key-env", "FOREIGN_KEY") if running.key else ()),
        *chain.from_iterable(("--exclude", path) for path in server.excluded),
    ]
    done, took = _timed(command, {"FOREIGN_KEY": running.key})
    if not (place / "result.json").exists():
        return Outcome(took, 0, 0, 0, done.stderr.strip().splitlines()[:1], {}), []
    result = json.loads((place / "result.json").read_text("utf-8"))
    report = json.loads((place / "report.json").read_text("utf-8"))
    operations = [item for item in result["coverage"] if item["kind"] == "operation"]
    requests = sum(step["requests"] for step in result["steps"])
    causes = Counter(f"{finding['level']}: {finding['message']}" for finding in report["findings"])
    outcome = Outcome(
        took,
        len(operations),
        sum(1 for operation in operations if operation["reached"]),
        requests,
        [] if result["stopped"] is None else [result["stopped"]],
        dict(causes.most_common(_MOST)),
    )
    return outcome, of_specwright(result)


def by_schemathesis(
    running: Running, server: Server, seconds: int, place: Path
) -> tuple[Outcome, list[Failure]]:
    """Test a server with schemathesis in its default settings; return its result and failures."""
    command = [
        *("st", "run", running.document, "--url", running.url, "--seed", _SEED),
        *("--max-time", str(seconds), "--report", "ndjson", "--report-dir", str(place)),
        *("--continue-on-failure", *authorization(running.key, has_user=server.has_user)),
        *chain.from_iterable(("--exclude-path", path) for path in server.excluded),
    ]
    done, took = _timed(command, {})
    kept = next(place.glob("*.ndjson"), None) if place.exists() else None
    if kept is None:
        return Outcome(took, 0, 0, 0, done.stderr.strip().splitlines()[:1], {}), []
    events = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    failures = of_schemathesis(events)
    return _told(took, events, Counter(failure.check for failure in failures)), failures


def authorization(key: str, *, has_user: bool) -> tuple[str, ...]:
    """Return the options with which schemathesis sends a key."""
    if has_user:
        return ("--auth", key)
    return ("--header", f"Authorization: Bearer {key}") if key else ()


def _told(took: float, events: list[dict[str, Any]], causes: Counter[str]) -> Outcome:
    """Return the outcome that the events of schemathesis report."""
    reached, tried, requests = set[str](), set[str](), 0
    for event in events:
        recorder = event.get("ScenarioFinished", {}).get("recorder", {})
        cases, exchanges = recorder.get("cases", {}), recorder.get("interactions", {})
        requests += len(exchanges)
        for id, case in cases.items():
            written = case.get("value", case)
            phase = (written.get("meta") or {}).get("phase") or {}
            # A method that the path does not have is not an operation.
            if phase.get("data", {}).get("scenario") == "unspecified_http_method":
                continue
            label = f"{written.get('method')} {written.get('path')}"
            tried.add(label)
            response = (exchanges.get(id) or {}).get("response") or {}
            if 200 <= response.get("status_code", 0) < 300:
                reached.add(label)
    return Outcome(took, len(tried), len(reached), requests, [], dict(causes.most_common(_MOST)))


def _timed(
    command: list[str], more: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[str], float]:
    began = time.monotonic()
    done = subprocess.run(
        command, env={**ENVIRONMENT, **more}, capture_output=True, text=True, check=False
    )
    return done, round(time.monotonic() - began, 1)


def _token(root: str, server: Server) -> str:
    """Return a token that the server makes; empty if it needs none."""
    if not server.token:
        return ""
    with urllib.request.urlopen(root + server.token, timeout=_START_SECONDS) as response:
        token: str = json.load(response)["access_token"]
    return token


def _await(url: str) -> None:
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends:
        try:
            urllib.request.urlopen(url, timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise RuntimeError("it does not start")


def _unpack(requirement: str, home: Path) -> None:
    """Download and unpack the source distribution of a package; pip builds its metadata."""
    options = ["-q", "--no-deps", "--no-binary", ":all:", "-d", str(home)]
    _run([str(home / "bin" / "python"), "-m", "pip", "download", *options, requirement])
    archive = next(home.glob("*.tar.gz"))
    with tarfile.open(archive) as files:
        files.extractall(home / "source", filter="data")


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _slug(name: str) -> str:
    return _VERSION.sub("-", name).strip("-").lower()
