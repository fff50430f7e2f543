"""A database that goes away under a process that serves."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import httpx2
import pytest

from .running import COMMAND, DEADLINE, Running, environment, esim_service, eventually, serving

pytestmark = pytest.mark.anyio

ORDER = {"plan_id": "pln_jp-5gb-30d", "reference": "during"}


@asynccontextmanager
async def away(server: str, database: str) -> AsyncIterator[None]:
    """Refuse all connections to a database of the server within the context."""
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS false")
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", database
        )
        yield
    finally:
        await connection.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS true")
        await connection.close()


def errors(running: Running) -> list[str]:
    """Return the log entries of the levels error and critical."""
    return [str(each) for each in running.log() if each["level"] in ("error", "critical")]


async def test_requests_get_503_until_postgresql_is_back(
    postgres_server: str, postgres_url: str, tmp_path: Path
) -> None:
    assert esim_service("migrate", "--database", postgres_url, cwd=tmp_path).returncode == 0
    with serving(postgres_url, tmp_path) as running:
        headers = {"Authorization": f"Bearer {running.key()}"}
        with httpx2.Client(base_url=running.base_url, headers=headers, timeout=DEADLINE) as http:
            assert http.get("/balance").status_code == 200
            async with away(postgres_server, urlsplit(postgres_url).path.removeprefix("/")):
                for answer in (
                    http.get("/balance"),
                    http.get("/plans", params={"country": "FR"}),
                    http.post("/orders", json=ORDER),
                ):
                    assert answer.status_code == 503
                    assert answer.json()["error"]["code"] == "unavailable"
                    assert int(answer.headers["retry-after"]) > 0
                assert httpx2.get(f"{running.operations}/readyz").status_code == 503
                assert httpx2.get(f"{running.operations}/healthz").status_code == 200
            assert eventually(lambda: http.post("/orders", json=ORDER).status_code == 201)
            assert httpx2.get(f"{running.operations}/readyz").status_code == 200
            listed = http.get("/orders", params={"reference": "during"}).json()["data"]
            assert len(listed) == 1
        assert running.stop() == 0
        assert errors(running) == []


async def test_a_full_disk_stops_writing_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "service.db"
    with serving(str(place), tmp_path) as running:
        headers = {"Authorization": f"Bearer {running.key()}"}
        process = running.process.pid
        unlimited = resource.prlimit(process, resource.RLIMIT_FSIZE)
        with httpx2.Client(base_url=running.base_url, headers=headers, timeout=DEADLINE) as http:
            before = http.get("/balance").json()
            # No file of the process can grow beyond this, as if the disk had no room left.
            resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, unlimited[1]))
            refused = http.post("/orders", json=ORDER)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
            assert refused.headers["retry-after"] == "1"
            assert http.get("/balance").json() == before
            assert http.get("/plans", params={"country": "FR"}).json()["data"]
            resource.prlimit(process, resource.RLIMIT_FSIZE, unlimited)
            assert eventually(lambda: http.post("/orders", json=ORDER).status_code == 201)
            listed = http.get("/orders", params={"reference": "during"}).json()["data"]
            assert len(listed) == 1
        assert running.stop() == 0
        assert errors(running) == []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes, where the system lets tests have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("there is no disk to fill")
    yield place
    subprocess.run(["umount", str(place)], check=True)


async def test_a_service_starts_on_a_full_disk(disk: Path) -> None:
    place = str(disk / "service.db")
    with serving(place, disk) as running:
        headers = {"Authorization": f"Bearer {running.key()}"}
        assert running.stop() == 0
    # A command after that must not take away what the start needs.
    assert esim_service("keys", "list", "--database", place, cwd=disk).returncode == 0
    filling = disk / "filling"
    with suppress(OSError), filling.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    with serving(place, disk) as running:
        assert httpx2.get(f"{running.operations}/readyz").status_code == 200
        with httpx2.Client(base_url=running.base_url, headers=headers, timeout=DEADLINE) as http:
            assert http.get("/balance").status_code == 200
            assert http.post("/orders", json=ORDER).status_code == 503
            filling.unlink()
            assert eventually(lambda: http.post("/orders", json=ORDER).status_code == 201)
        assert running.stop() == 0
        assert errors(running) == []


def test_a_file_is_whole_without_what_is_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "service.db"
    with serving(str(place), tmp_path) as running:
        running.key()
        assert running.stop() == 0
    for command in ("partners list", "keys create --partner other --mode test"):
        assert esim_service(*command.split(), "--database", str(place), cwd=tmp_path).stdout
    copy = tmp_path / "copy.db"
    copy.write_bytes(place.read_bytes())
    listed = esim_service("partners", "list", "--database", str(copy), cwd=tmp_path).stdout
    assert [line.split("\t")[0] for line in listed.splitlines()] == ["acme", "other"]


@pytest.mark.parametrize(
    "command", ["serve --port 0", "migrate", "keys create --partner a --mode test"]
)
async def test_a_disk_that_is_full_at_the_start_is_told_in_a_line(
    tmp_path: Path, command: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 8; exec {COMMAND} {command}"],
        cwd=tmp_path,
        env=environment({}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("error: ")
