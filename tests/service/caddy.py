"""The proxy of the how-to, run by Caddy with the configuration of the repository."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from .running import DEADLINE, eventually, free_port

CONFIGURATION = Path(__file__).parents[2] / "service" / "deploy" / "Caddyfile"
# Options for a machine that is not only a proxy; the sites are those of the repository.
_OPTIONS = """\
{{
	admin off
	auto_https disable_redirects
	skip_install_trust
	storage file_system {storage}
}}
import {configuration}
"""


def command() -> str:
    """Return the path of Caddy; skip the test where there is none."""
    if not (path := shutil.which("caddy")):
        pytest.skip("Caddy is not installed")
    return path


def authority_in(directory: Path) -> Path:
    """Return the file of the authority of a Caddy that runs in a directory."""
    return directory / "caddy" / "pki" / "authorities" / "local" / "root.crt"


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that runs, and the TLS with which it is trusted."""

    base_url: str
    context: ssl.SSLContext


@contextmanager
def proxy(directory: Path, variables: Mapping[str, str]) -> Iterator[Proxy]:
    """Serve `https://localhost` on a free port for the time of the context."""
    port = free_port()
    site = f"https://localhost:{port}"
    with running(directory, CONFIGURATION, port, {**variables, "SITE": site}) as authority:
        yield Proxy(f"{site}/api/v1", ssl.create_default_context(cafile=authority))


@contextmanager
def running(
    directory: Path, configuration: Path, port: int, variables: Mapping[str, str]
) -> Iterator[Path]:
    """Run Caddy on a port of `localhost`; yield the authority that has issued its certificate."""
    caddy = command()
    storage, file = directory / "caddy", directory / "Caddyfile"
    file.write_text(_OPTIONS.format(storage=storage, configuration=configuration))
    home = {name: str(directory) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    with (directory / "caddy.log").open("wb") as log:
        process = subprocess.Popen(
            [caddy, "run", "--adapter", "caddyfile", "--config", file],
            env={**os.environ, **home, **variables},
            stdout=log,
            stderr=log,
        )
    try:
        authority = authority_in(directory)

        def is_up() -> bool:
            assert process.poll() is None, (directory / "caddy.log").read_text()
            # It listens before it has a certificate.
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as connection:
                context = ssl.create_default_context(cafile=authority)
                with context.wrap_socket(connection, server_hostname="localhost"):
                    return True
            return False

        eventually(is_up)
        yield authority
    finally:
        process.terminate()
        process.wait(DEADLINE)
