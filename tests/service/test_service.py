"""The database work of a process before it serves."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from esim_service import catalogue
from esim_service.process.service import prepare
from esim_service.store.changes.database import Database, OperatorError
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.store.tables import catalogue as catalogue_store
from esim_service.store.tables import secrets

pytestmark = pytest.mark.anyio


async def test_processes_that_start_together_load_the_catalogue_once(
    empty_postgres: str,
) -> None:
    async with (
        open_database(empty_postgres) as first,
        open_database(empty_postgres) as second,
    ):
        await migrate(first)
        await asyncio.gather(
            *(prepare(database, may_migrate=False) for database in (first, second) * 3)
        )
        found = await second.read(catalogue_store.for_sale)
        assert len(found) == len(catalogue.load(catalogue.default_path()).plans)


async def test_an_old_schema_is_refused_where_it_is_not_migrated(empty_postgres: str) -> None:
    async with open_database(empty_postgres) as opened:
        with pytest.raises(OperatorError, match="esim-service migrate"):
            await prepare(opened, may_migrate=False)


async def test_all_processes_get_the_same_secret(database: Database) -> None:
    made = await asyncio.gather(
        *(database.write(partial(secrets.ensure, "cursors", bytes([each]))) for each in range(5))
    )
    assert len(set(made)) == 1


async def test_commands_write_beside_the_process_that_has_the_file(tmp_path: Path) -> None:
    place = str(tmp_path / "service.db")
    async with open_database(place) as serving:
        await prepare(serving, may_migrate=True)
        with pytest.raises(OperatorError, match="in use by another process"):
            async with open_database(place):
                pass
        async with open_database(place, exclusive=False) as command:
            await asyncio.gather(
                *(
                    database.write(partial(secrets.ensure, f"{number}", b"x"))
                    for number in range(50)
                    for database in (serving, command)
                )
            )
    # The lock ends with the process, and the file of the lock means nothing by itself.
    async with open_database(place):
        pass
