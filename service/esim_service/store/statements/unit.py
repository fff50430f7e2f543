"""Units of work: generators that yield statements, independent of the driver."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

# A tuple is an array, which only PostgreSQL supports.
Value: TypeAlias = "str | int | bytes | tuple[Value, ...] | None"


class Row(Protocol):
    """A row of a result, accessed by column name."""

    # Only the statement that names a column knows its type.
    def __getitem__(self, column: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL in PostgreSQL syntax that SQLite also understands, with parameters `$1`, `$2`, …

    A driver may leave out `FOR UPDATE`, `FOR UPDATE SKIP LOCKED` and `COLLATE "C"` if its
    database does not need them.

    Attributes:
        has_rows: whether the unit needs the result.
    """

    sql: str
    parameters: tuple[Value, ...] = ()
    has_rows: bool = True


Unit: TypeAlias = Generator[Statement, Sequence[Row], T]


def rows(sql: str, *parameters: Value) -> Unit[Sequence[Row]]:
    """Run a statement and return all rows of its result."""
    return (yield Statement(sql, parameters))


def row(sql: str, *parameters: Value) -> Unit[Row | None]:
    """Run a statement and return the first row of its result, or None."""
    result = yield Statement(sql, parameters)
    return result[0] if result else None


def execute(sql: str, *parameters: Value) -> Unit[None]:
    """Run a statement that has no result."""
    yield Statement(sql, parameters, has_rows=False)


def insert(table: str, **values: Value) -> Unit[None]:
    """Add a row to a table."""
    yield Statement(_insertion(table, *values), tuple(values.values()), has_rows=False)


def among(values: Sequence[str], after: int) -> tuple[str, tuple[str, ...]]:
    """Return the list of an `IN`, and its parameters, numbered after `after` others.

    The last value is repeated up to a power of two, so that few statements have to be prepared.
    """
    count = 1 << (len(values) - 1).bit_length()
    padded = (*values, *(values[-1],) * (count - len(values)))
    return ", ".join(f"${after + number}" for number in range(1, count + 1)), padded


@cache
def _insertion(table: str, *columns: str) -> str:
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"
