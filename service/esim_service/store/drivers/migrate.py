"""Migrations of the database to the schema version that this service needs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources

from ..changes.database import Database, Dialect, OperatorError
from ..statements.unit import Unit, execute, row, rows

# A step for one database only has the name of that database before the suffix.
_NAME = re.compile(r"(\d{4})_\w+(?:\.(sqlite|postgres))?\.sql")
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
# The body of a function contains semicolons of its own.
_STATEMENT = re.compile(r"(?:\$\$.*?\$\$|[^;])+", re.DOTALL)
_LOCK = "migrate"
_PAUSE = 0.2
_IS_THERE: Mapping[Dialect, str] = {
    "sqlite": "SELECT 1 FROM sqlite_master WHERE name = 'schema_version'",
    "postgres": "SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL",
}


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: the statements that make a version.

    Attributes:
        dialect: the only database that needs the statements; None for all.
    """

    version: int
    dialect: str | None
    statements: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all steps in ascending order."""
    steps = []
    for file in resources.files(__package__).joinpath("migrations").iterdir():
        if named := _NAME.fullmatch(file.name):
            text = _COMMENT.sub("", file.read_text("utf-8"))
            statements = (statement.strip() for statement in _STATEMENT.findall(text))
            step = Migration(int(named[1]), named[2], tuple(filter(None, statements)))
            steps.append(step)
    return tuple(sorted(steps, key=lambda step: step.version))


async def migrate(database: Database) -> list[int]:
    """Take all missing steps in one transaction; return their versions.

    Raises:
        OperatorError: the database is of a newer version of the service.
    """
    while True:
        async with database.hold(_LOCK) as writer:
            if writer is not None:
                return await writer.write(partial(_upgrade, database.dialect))
        # Another process is migrating; the missing steps are then determined again.
        await asyncio.sleep(_PAUSE)


async def migrate_new(database: Database) -> None:
    """Take all steps if none was ever taken."""
    if await database.read(partial(_version, database.dialect)) == 0:
        await migrate(database)


async def require_schema(database: Database) -> None:
    """Check that this is a database of this service, of any version that it knows.

    Raises:
        OperatorError: it is something else, or newer.
    """
    if await database.read(partial(_version, database.dialect)) == 0:
        raise OperatorError("it is not a database of esim-service")


async def require_current(database: Database) -> None:
    """Check that the schema is the one that this service needs.

    Raises:
        OperatorError: it is older or newer.
    """
    version = await database.read(partial(_version, database.dialect))
    if version < migrations()[-1].version:
        raise OperatorError(
            f"the database has version {version} of the schema, this service needs "
            f"{migrations()[-1].version}: run `esim-service migrate`"
        )


def _version(dialect: Dialect) -> Unit[int]:
    # A failed statement would abort the transaction on PostgreSQL, so check first.
    if not (yield from rows(_IS_THERE[dialect])):
        return 0
    applied = yield from row("SELECT COALESCE(MAX(version), 0) AS version FROM schema_version")
    version = 0 if applied is None else int(applied["version"])
    newest = migrations()[-1].version
    if version > newest:
        raise OperatorError(
            f"the database has version {version} of the schema, this service knows {newest}: "
            "install a newer esim-service"
        )
    return version


def _upgrade(dialect: Dialect) -> Unit[list[int]]:
    version = yield from _version(dialect)
    if version == 0:
        yield from execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
    missing = [step for step in migrations() if step.version > version]
    for step in missing:
        if step.dialect in (None, dialect):
            for statement in step.statements:
                yield from execute(statement)
        yield from execute("INSERT INTO schema_version (version) VALUES ($1)", step.version)
    return [step.version for step in missing]
