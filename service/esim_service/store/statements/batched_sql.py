"""Statements with the same SQL, merged into one for PostgreSQL with arrays as parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .unit import Row, Statement, Unit, Value

_PARAMETER = re.compile(r"\$(\d+)")
_INSERT = re.compile(r"(INSERT INTO \w+ \(.*?\)) VALUES \((.*?)\)( ON CONFLICT .*)?")
_UPDATE = re.compile(r"(UPDATE .*?)( WHERE .*)")
_DELETE = re.compile(r"(DELETE FROM \w+)( WHERE .*)")
_TYPES: dict[type, str] = {str: "text", int: "bigint", bytes: "bytea"}


def run_merged(statements: Sequence[Statement]) -> Unit[Sequence[Sequence[Row]]]:
    """Run statements, merging those that differ only in parameters; return the rows of each.

    Equal statements run as often as they occur, in an order that does not depend on the caller:
    their locks are taken in the same order as in other processes.
    """
    results: list[Sequence[Row]] = [()] * len(statements)
    groups: dict[tuple[str, tuple[type, ...]], list[int]] = {}
    for place, statement in enumerate(statements):
        types = tuple(map(type, statement.parameters))
        groups.setdefault((statement.sql, types), []).append(place)
    for (sql, types), places in groups.items():
        if len(places) > 1 and sql.startswith("SELECT ") and types and _TYPES.keys() >= {*types}:
            places.sort(key=lambda place: statements[place].parameters)
            columns = zip(*(statements[place].parameters for place in places), strict=True)
            rows: list[list[Row]] = [[] for _ in places]
            for row in (yield Statement(_joined(sql, types), tuple(columns))):
                rows[row["place"] - 1].append(row)
            for place, mine in zip(places, rows, strict=True):
                results[place] = mine
        else:
            for place in places:
                results[place] = yield statements[place]
    return results


def merged_writes(statements: Sequence[Statement]) -> Statement:
    """Return one statement that does the work of several without results.

    No row may be written by more than one of them. Each is `INSERT INTO … VALUES (…)`, with or
    without `ON CONFLICT …`, `UPDATE … WHERE …` or `DELETE FROM … WHERE …`.
    """
    groups: dict[str, list[tuple[Value, ...]]] = {}
    for statement in statements:
        groups.setdefault(statement.sql, []).append(statement.parameters)
    parts: list[str] = []
    arrays: list[Value] = []
    # Sorted, so that the SQL depends only on the statements and not on their order.
    for sql, rows in sorted(groups.items()):
        columns = [*zip(*rows, strict=True)]
        types = tuple(_type(column) for column in columns)
        parts.append(_repeated(sql, types, len(arrays)))
        arrays += [column for column, type_ in zip(columns, types, strict=True) if type_]
    named = ", ".join(f"w{number} AS ({part})" for number, part in enumerate(parts))
    return Statement(f"WITH {named} SELECT 1", tuple(arrays))


def _type(column: Sequence[Value]) -> str | None:
    """Return the type of the values, or None if all are NULL."""
    return next((_TYPES[type(value)] for value in column if value is not None), None)


@cache
def _repeated(sql: str, types: Sequence[str | None], before: int) -> str:
    """Return a statement for arrays, with parameters numbered after `before` others."""
    there = [number for number, type_ in enumerate(types, 1) if type_]
    arrays = ", ".join(f"${before + at}::{types[n - 1]}[]" for at, n in enumerate(there, 1))
    source = f"unnest({arrays}) AS asked ({', '.join(f'p{number}' for number in there)})"

    def value(match: re.Match[str]) -> str:
        # An untyped NULL takes the type of its column.
        return f"asked.p{match[1]}" if types[int(match[1]) - 1] else "NULL"

    query = _PARAMETER.sub(value, sql)
    if match := _INSERT.fullmatch(query):
        return f"{match[1]} SELECT {match[2]} FROM {source}{match[3] or ''}"
    if match := _UPDATE.fullmatch(query):
        return f"{match[1]} FROM {source}{match[2]}"
    if match := _DELETE.fullmatch(query):
        return f"{match[1]} USING {source}{match[2]}"
    raise ValueError(f"this cannot be done for many rows: {sql}")


@cache
def _joined(sql: str, types: Sequence[type]) -> str:
    arrays = ", ".join(f"${number}::{_TYPES[type_]}[]" for number, type_ in enumerate(types, 1))
    names = ", ".join(f"p{number}" for number in range(1, len(types) + 1))
    query = _PARAMETER.sub(r"asked.p\1", sql)
    return (
        f"SELECT asked.place, found.* FROM unnest({arrays}) WITH ORDINALITY"
        f" AS asked ({names}, place), LATERAL ({query}) AS found"
    )
