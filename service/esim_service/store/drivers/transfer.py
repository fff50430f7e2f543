"""The transfer of all data from an SQLite file to another database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..changes.database import OperatorError
from ..statements.unit import Statement, Unit, Value, row
from .migrate import migrations

# Both databases accept slightly more in one statement.
_PARAMETERS = 32_000
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
_VERSIONS = "schema_version"


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows of one table, with their values in a single sequence."""

    table: str
    columns: tuple[str, ...]
    values: tuple[Value, ...]

    def insert(self) -> Statement:
        """Return the statement that inserts the rows."""
        width = len(self.columns)
        lines = (
            ", ".join(f"${number}" for number in range(start + 1, start + width + 1))
            for start in range(0, len(self.values), width)
        )
        rows = ", ".join(f"({line})" for line in lines)
        sql = f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES {rows}"
        return Statement(sql, self.values)


def batches(source: Path) -> Iterator[RowBatch]:
    """Yield the rows of all tables of a file that is not being written.

    Raises:
        OperatorError: its schema is not the one that this service needs.
    """
    with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        tables = [name for (name,) in connection.execute(_TABLES)]
        _require_current(connection, source, tables)
        for table in tables:
            if table == _VERSIONS:
                continue
            cursor = connection.execute(f"SELECT * FROM {table}")
            columns = tuple(column[0] for column in cursor.description)
            while rows := cursor.fetchmany(_PARAMETERS // len(columns)):
                yield RowBatch(table, columns, tuple(value for row in rows for value in row))


def fill(source: Path) -> Unit[dict[str, int]]:
    """Copy the file into the database of this unit; return the number of rows per table.

    Raises:
        OperatorError: the database is not empty, or the file has another schema.
    """
    count = yield from row("SELECT COUNT(*) AS partners FROM partners")
    if count is None or count["partners"]:
        raise OperatorError("the database has partners already: copy into a new one")
    copied: dict[str, int] = {}
    for batch in batches(source):
        if batch.table not in copied:
            # An earlier run of the service has stored its catalogue and secrets here.
            yield Statement(f"DELETE FROM {batch.table}")
            copied[batch.table] = 0
        yield batch.insert()
        copied[batch.table] += len(batch.values) // len(batch.columns)
    return copied


def _require_current(connection: sqlite3.Connection, source: Path, tables: list[str]) -> None:
    version = 0
    if _VERSIONS in tables:
        [[version]] = connection.execute(f"SELECT COALESCE(MAX(version), 0) FROM {_VERSIONS}")
    needed = migrations()[-1].version
    if version != needed:
        raise OperatorError(
            f"{source} has version {version} of the schema, this service needs {needed}: "
            f"run `esim-service migrate --database {source}`"
        )
