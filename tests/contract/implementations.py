"""Implementations that keep the contract, running on this machine."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from specwright.conformance.webhooks.authority import Authority
from tests.contract.judge import OPTIONS, ROOT, VARIABLES, Served, serving
from tests.service import postgres_server

# Two partners whose limits are out of the way, and a key with the limits of the contract.
LIMITS = (("acme", ":1000000:1000000"), ("globex", ":1000000:1000000"), ("acme", ""))
PATIENCE_SECONDS = 30.0
_PAUSE_SECONDS = 0.05


def given(served: Served) -> tuple[dict[str, str], list[str]]:
    """The keys as variables, and the options that name them."""
    variables = dict(zip(VARIABLES, served.keys, strict=False))
    return variables, [part for pair in zip(OPTIONS, variables, strict=False) for part in pair]


@contextlib.contextmanager
def sqlite() -> Iterator[Served]:
    """The reference service on SQLite."""
    with serving("none") as served:
        yield served


@contextlib.contextmanager
def postgresql() -> Iterator[Served]:
    """The reference service on a PostgreSQL of its own."""
    server = postgres_server.start()
    try:
        with serving("none", ESIM_DATABASE=server.get_uri()) as served:
            yield served
    finally:
        server.cleanup()


@contextlib.contextmanager
def starlette() -> Iterator[Served]:
    """The example of one file for Starlette."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _example(sys.executable, "plain-starlette/app.py", str(port)) as (_, keys, place):
        _wait(port)
        yield Served(f"http://127.0.0.1:{port}/api/v1", keys, place, retry_scale="1")


@contextlib.contextmanager
def node() -> Iterator[Served]:
    """The example for Node, which has a part of the operations."""
    with _example("node", "node-http/server.mjs", "0") as (process, keys, place):
        assert process.stdout is not None
        yield Served(process.stdout.readline().strip(), keys, place, retry_scale="1")


IMPLEMENTATIONS: Mapping[str, Callable[[], contextlib.AbstractContextManager[Served]]] = {
    "sqlite": sqlite,
    "postgresql": postgresql,
    "starlette": starlette,
    "node": node,
}
HAS_NODE = shutil.which("node") is not None


@contextlib.contextmanager
def _example(
    program: str, path: str, *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], tuple[str, ...], Path]]:
    keys = tuple("pes_test_" + secrets.token_hex(24) for _ in LIMITS)
    entries = [
        f"{partner}:{key}{limits}" for (partner, limits), key in zip(LIMITS, keys, strict=True)
    ]
    with (
        tempfile.TemporaryDirectory() as directory,
        subprocess.Popen(
            [program, ROOT / "examples" / path, *arguments],
            env={
                **os.environ,
                "ESIM_KEYS": ",".join(entries),
                "ESIM_PRIVATE_WEBHOOKS": "1",
                "SSL_CERT_FILE": str(Authority.at(Path(directory)).file),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        try:
            yield process, keys, Path(directory)
        finally:
            process.kill()


def _wait(port: int) -> None:
    """Wait until something listens."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > ends:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
