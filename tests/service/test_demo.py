"""The last lines that `nox -s serve` prints are run as they are."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from .running import DEADLINE, Running, environment, esim_service, eventually, serving


def told(running: Running) -> list[str]:
    """Return the lines to copy, which follow the addresses and a sentence."""
    assert running.process.stdout is not None
    lines = [running.process.stdout.readline().rstrip("\n") for _ in range(7)]
    assert lines[0] == lines[2] == ""
    return lines[3:]


def shell(*lines: str, cwd: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euc", "\n".join(lines)],
        cwd=cwd,
        env=environment({"XDG_CACHE_HOME": str(cache)}),
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )


def test_the_printed_lines_do_what_they_say(tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "a cache", tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = str(tmp_path / "service.db")
    with serving(place, tmp_path, "--demo", XDG_CACHE_HOME=str(cache)) as running:
        export, curl, python, listen = told(running)
        assert export.startswith("export PARTNER_ESIM_API_KEY=pes_test_")
        assert "PARTNER_ESIM_BASE_URL=" in export
        asked = shell(export, curl, cwd=elsewhere, cache=cache)
        plans = json.loads(asked.stdout)["data"]
        assert plans and all("JP" in plan["countries"] for plan in plans)
        for _ in range(2):
            # A reference that was used replays.
            ordered = shell(export, python, cwd=elsewhere, cache=cache)
            assert (ordered.returncode, ordered.stderr) == (0, "")
            assert "reference='first'" in ordered.stdout
        output = tmp_path / "listen.txt"
        with output.open("w") as file:
            listening = subprocess.Popen(
                ["bash", "-euc", f"{export}\nexec {listen}"],
                cwd=elsewhere,
                env=environment({"XDG_CACHE_HOME": str(cache)}),
                stdout=file,
            )
        try:
            eventually(lambda: "  200  webhook.test  evt_" in output.read_text())
        finally:
            listening.terminate()
            assert listening.wait(DEADLINE) == 0
        key = export.split()[1].partition("=")[2]
        assert key not in output.read_text() and "whsec_" not in output.read_text()
        assert running.stop() == 0
        assert "pes_test_" not in json.dumps(running.log()).replace("pes_test_[redacted]", "")


@pytest.mark.anyio
async def test_a_demo_issues_its_key_on_postgresql_too(postgres_url: str, tmp_path: Path) -> None:
    with serving(postgres_url, tmp_path, "--demo", XDG_CACHE_HOME=str(tmp_path)) as running:
        export, *_ = told(running)
        key = export.split()[1].partition("=")[2]
        with running.client(key) as client:
            assert client.balance.get().balance_usd == 1000


def test_a_demo_is_never_beside_live_keys(tmp_path: Path) -> None:
    esim_service("keys", "create", "--partner", "acme", "--mode", "test", cwd=tmp_path)
    with closing(sqlite3.connect(tmp_path / "esim.sqlite3")) as database:
        database.execute("UPDATE api_keys SET mode = 'live'")
        database.commit()
    arguments = ("serve", "--demo", "--port=0", "--metrics-port=0")
    done = esim_service(*arguments, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "not allowed with live keys" in done.stderr


def test_a_port_that_is_taken_leaves_no_key(tmp_path: Path) -> None:
    with serving("one.db", tmp_path) as running:
        port = running.base_url.split(":")[2].partition("/")[0]
        arguments = ("serve", "--demo", f"--port={port}", "--metrics-port=0")
        done = esim_service(*arguments, "--database=two.db", cwd=tmp_path, XDG_CACHE_HOME="x")
    assert done.returncode == 2 and "cannot be used" in done.stderr
    assert not (tmp_path / "two.db").exists()


def test_the_operators_settings_stay_as_they_are(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with serving(
        "service.db",
        tmp_path,
        "--demo",
        XDG_CACHE_HOME=str(cache),
        ESIM_WEBHOOK_ALLOW_CIDR="10.0.0.0/8",
    ):
        assert not cache.exists()
