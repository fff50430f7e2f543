"""The files of a service on SQLite: permissions, names, and files that are gone."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from .running import COMMAND, DEADLINE, Running, environment, esim_service, serving

ORDER = {"plan_id": "pln_jp-5gb-30d", "reference": "r"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "data" / "service.db"


@pytest.fixture
def running(place: Path, tmp_path: Path) -> Iterator[Running]:
    place.parent.mkdir()
    with serving(str(place), tmp_path) as started:
        yield started


@contextmanager
def masked(umask: int) -> Iterator[None]:
    """Let processes make files with a umask."""
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


def serve(place: Path) -> subprocess.CompletedProcess[str]:
    """Serve, which has to be refused."""
    return subprocess.run(
        [COMMAND, "serve", "--database", place, "--port=0", "--metrics-port=0"],
        env=environment({}),
        cwd=place.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )


@pytest.mark.parametrize("umask", [0o000, 0o777], ids=oct)
def test_only_the_owner_reads_what_is_kept(place: Path, tmp_path: Path, umask: int) -> None:
    place.parent.mkdir()
    with masked(umask), serving(str(place), tmp_path) as running:
        running.key()
        running.run("backup", str(place.parent / "copy.db"))
        found = modes(place.parent)
        assert {"service.db", "service.db-wal", "service.db-shm", "copy.db"} < set(found)
        assert set(found.values()) == {0o600}


def test_a_file_that_others_could_read_is_closed_to_them(place: Path, tmp_path: Path) -> None:
    place.parent.mkdir()
    assert esim_service("migrate", "--database", str(place), cwd=tmp_path).returncode == 0
    place.chmod(0o644)
    copy = place.with_name("copy.db")
    copy.touch(0o644)
    with serving(str(place), tmp_path) as running:
        running.run("backup", str(copy))
        assert set(modes(place.parent).values()) == {0o600}


def test_a_symbolic_link_is_the_same_file(running: Running, place: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(place)
    (tmp_path / "linked").symlink_to(place.parent)
    for other in (link, tmp_path / "linked" / place.name):
        done = serve(other)
        assert (done.returncode, done.stdout) == (2, "")
        assert "in use by another process" in done.stderr


def test_a_hard_link_is_refused_under_either_name(
    running: Running, place: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.db"
    link.hardlink_to(place)
    for file, command in (
        (link, "serve --port=0 --metrics-port=0"),
        (link, "backup copy.db"),
        (place, "keys list"),
    ):
        done = esim_service(*command.split(), "--database", str(file), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        [line] = done.stderr.splitlines()
        assert "hard link" in line
    link.unlink()
    assert running.key()


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
def test_a_file_that_is_gone_takes_no_orders(
    running: Running, place: Path, tmp_path: Path, replaced: bool
) -> None:
    headers = {"Authorization": f"Bearer {running.key()}"}
    ready = f"{running.operations}/readyz"
    with httpx2.Client(base_url=running.base_url, headers=headers, timeout=DEADLINE) as http:
        assert http.post("/orders", json=ORDER).status_code == 201
        away = place.rename(tmp_path / "away.db")
        if replaced:
            place.touch()
        for answer in (http.post("/orders", json={**ORDER, "reference": "s"}), http.get("/orders")):
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert httpx2.get(ready).status_code == 503
        assert "removed or replaced" in httpx2.get(ready).text
        away.rename(place)
        assert httpx2.get(ready).status_code == 200
        assert [each["reference"] for each in http.get("/orders").json()["data"]] == ["r"]
        assert http.post("/orders", json={**ORDER, "reference": "s"}).status_code == 201
