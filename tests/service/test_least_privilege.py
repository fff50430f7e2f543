"""The service runs as a role of PostgreSQL that can change rows and nothing else."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx2
import pytest

from .running import esim_service, serving

pytestmark = pytest.mark.anyio

# As docs/how-to/operate-the-service.md has it.
GRANTS = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}"


@pytest.fixture
async def role(postgres_url: str) -> AsyncIterator[str]:
    name = f"app_{secrets.token_hex(4)}"
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(f"CREATE ROLE {name} LOGIN")
    yield name
    await connection.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")
    await connection.close()


def address(url: str, role: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{role}:@{host}"))


async def test_a_role_that_can_only_change_rows_is_enough(
    postgres_url: str, role: str, tmp_path: Path
) -> None:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(GRANTS.format(role))
    await connection.close()
    with serving(address(postgres_url, role), tmp_path) as running:
        with running.client(running.key()) as client:
            client.orders.create(plan_id="pln_jp-5gb-30d", reference="r")
        assert httpx2.get(f"{running.operations}/readyz").status_code == 200


@pytest.mark.parametrize("command", ["serve --port 0", "keys list", "migrate"])
async def test_a_role_that_may_not_even_read_is_told_in_a_line(
    empty_postgres: str, postgres_url: str, role: str, tmp_path: Path, command: str
) -> None:
    for url in (empty_postgres, postgres_url):
        done = esim_service(*command.split(), cwd=tmp_path, ESIM_DATABASE=address(url, role))
        if (done.returncode, done.stdout) == (0, "nothing to do\n"):
            continue
        assert (done.returncode, done.stdout) == (2, "")
        [line] = done.stderr.splitlines()
        assert line.startswith("error: ")
