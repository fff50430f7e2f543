"""Implementations that keep the contract, running on this machine."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lab.faults.judge import OPTIONS, RETRY_SCALE, ROOT, VARIABLES, Served, serving
from specwright.conformance.checks.webhooks.authority import Authority
from tests.service import postgres_server

# Two partners whose limits are out of the way, and a key with the limits of the contract.
LIMITS = (("acme", ":1000000:1000000"), ("globex", ":1000000:1000000"), ("acme", ""))


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
def node() -> Iterator[Served]:
    """The example for Node, which shares nothing with the generated code."""
    keys = tuple("pes_test_" + secrets.token_hex(24) for _ in LIMITS)
    entries = [
        f"{partner}:{key}{limits}" for (partner, limits), key in zip(LIMITS, keys, strict=True)
    ]
    with (
        tempfile.TemporaryDirectory() as directory,
        subprocess.Popen(
            ["node", ROOT / "examples" / "node-http" / "server.mjs", "0"],
            env={
                **os.environ,
                "ESIM_KEYS": ",".join(entries),
                "ESIM_LOOPBACK_WEBHOOKS": "1",
                "ESIM_WEBHOOK_RETRY_SCALE": RETRY_SCALE,
                "NODE_EXTRA_CA_CERTS": str(Authority.at(Path(directory)).file),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield Served(process.stdout.readline().strip(), keys, Path(directory))
        finally:
            process.kill()


IMPLEMENTATIONS: Mapping[str, Callable[[], contextlib.AbstractContextManager[Served]]] = {
    "sqlite": sqlite,
    "postgresql": postgresql,
    "node": node,
}
HAS_NODE = shutil.which("node") is not None
