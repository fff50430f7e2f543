"""The tables of the helpdesk in SQLite; nothing here knows of HTTP."""

from __future__ import annotations

import csv
import hashlib
import io
import secrets
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SCHEMA = """
create table if not exists agents (id integer primary key, name text unique, password blob);
create table if not exists credentials (
    id integer primary key, agent_id integer, digest blob unique, label text
);
create table if not exists tickets (
    id integer primary key, subject text, customer text, priority text,
    status text not null default 'open', agent_id integer references agents, created_at text
);
create table if not exists comments (
    id integer primary key, ticket_id integer references tickets on delete cascade,
    text text, author text, created_at text
);
create table if not exists files (
    id integer primary key, ticket_id integer references tickets on delete cascade,
    name text, media_type text, size integer, note text, content blob
);
create table if not exists changes (
    id integer primary key, ticket_id integer references tickets on delete cascade,
    kind text, at text
);
create table if not exists reports (id integer primary key, text text);
"""
PASSWORDS = {"ann": "secret of Ann", "ben": "secret of Ben"}
FILE = "id, name, media_type, size, note"

Row = dict[str, Any]


class RefusedError(Exception):
    """The request cannot be fulfilled, for the reason in `code`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class Store:
    """A database; `begin` is a transaction, which ends in a rollback if it raises."""

    def __init__(self, path: Path, passwords: Mapping[str, str]) -> None:
        self._path = path
        with self.begin() as tables:
            tables.create(passwords)

    @contextmanager
    def begin(self) -> Generator[Tables]:
        connection = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("pragma foreign_keys = on")
        with closing(connection), connection:
            yield Tables(connection)


class Tables:
    """The statements of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def create(self, passwords: Mapping[str, str]) -> None:
        self._connection.executescript(SCHEMA)
        for name, password in passwords.items():
            self._connection.execute(
                "insert or ignore into agents (name, password) values (?, ?)",
                (name, _hashed(name, password)),
            )

    # --- Agents and their credentials ---------------------------------------------------------

    def agent(self, name: str, password: str) -> Row:
        """Return the agent with this name and password."""
        rows = self._rows("select * from agents where name = ?", name)
        if not rows or not secrets.compare_digest(rows[0]["password"], _hashed(name, password)):
            raise RefusedError("wrong_password", "Name or password are wrong.")
        return {"id": rows[0]["id"], "name": name}

    def agent_of(self, secret: str) -> Row | None:
        """Return the agent with this token or key, if there is one."""
        rows = self._rows(
            "select agents.id, name from agents join credentials on agents.id = agent_id"
            " where digest = ?",
            _digest(secret),
        )
        return rows[0] if rows else None

    def add_credential(self, agent_id: int, label: str | None = None) -> Row:
        """Return a new key, or a new token if it has no label."""
        secret = secrets.token_urlsafe(24)
        id = self._insert(
            "credentials", {"agent_id": agent_id, "digest": _digest(secret), "label": label}
        )
        return {"id": id, "label": label, "secret": secret}

    def remove_token(self, secret: str) -> None:
        self._connection.execute("delete from credentials where digest = ?", (_digest(secret),))

    def keys(self, agent_id: int) -> list[Row]:
        return self._rows(
            "select id, label from credentials where agent_id = ? and label is not null", agent_id
        )

    def remove_key(self, agent_id: int, key_id: int) -> None:
        where = "credentials where id = ? and agent_id = ? and label is not null"
        self._remove(where, key_id, agent_id)

    # --- Tickets ------------------------------------------------------------------------------

    def tickets(
        self, status: str | None, text: str | None, before: int | None, limit: int
    ) -> list[Row]:
        """Return tickets whose ids are below `before`, the newest first."""
        return self._rows(
            "select * from tickets where (? is null or status = ?)"
            " and (? is null or instr(lower(subject), lower(?)) > 0)"
            " and (? is null or id < ?) order by id desc limit ?",
            *(status, status, text, text, before, before, limit),
        )

    def ticket(self, ticket_id: int) -> Row:
        return self._one("select * from tickets where id = ?", ticket_id)

    def add_ticket(self, values: Row) -> Row:
        id = self._insert("tickets", {**values, "created_at": _now()})
        self._log(id, "created")
        return self.ticket(id)

    def change_ticket(self, ticket_id: int, values: Row, kind: str = "changed") -> Row:
        self.ticket(ticket_id)
        names = ", ".join(f"{name} = ?" for name in values)
        statement = f"update tickets set {names} where id = ?"
        self._connection.execute(statement, (*values.values(), ticket_id))
        self._log(ticket_id, kind)
        return self.ticket(ticket_id)

    def assign(self, ticket_id: int, agent_id: int) -> Row:
        self.open_ticket(ticket_id)
        self._one("select id from agents where id = ?", agent_id)
        return self.change_ticket(ticket_id, {"agent_id": agent_id})

    def close(self, ticket_id: int) -> Row:
        self.open_ticket(ticket_id)
        return self.change_ticket(ticket_id, {"status": "closed"}, "closed")

    def reopen(self, ticket_id: int) -> Row:
        if self.ticket(ticket_id)["status"] == "open":
            raise RefusedError("ticket_open", "The ticket is open.")
        return self.change_ticket(ticket_id, {"status": "open"}, "reopened")

    def open_ticket(self, ticket_id: int) -> Row:
        ticket = self.ticket(ticket_id)
        if ticket["status"] != "open":
            raise RefusedError("ticket_closed", "The ticket is closed.")
        return ticket

    def remove_ticket(self, ticket_id: int) -> None:
        self._remove("tickets where id = ?", ticket_id)

    def comments(self, ticket_id: int) -> list[Row]:
        self.ticket(ticket_id)
        return self._rows(
            "select id, text, author, created_at from comments where ticket_id = ? order by id",
            ticket_id,
        )

    def add_comment(self, ticket_id: int, text: str, author: str) -> Row:
        self.open_ticket(ticket_id)
        values = {"text": text, "author": author, "created_at": _now()}
        id = self._insert("comments", {"ticket_id": ticket_id, **values})
        self._log(ticket_id, "commented")
        return {"id": id, **values}

    def is_open(self, ticket_id: int) -> bool:
        return bool(
            self._rows("select id from tickets where id = ? and status = 'open'", ticket_id)
        )

    def changes(self, ticket_id: int, after: int = 0) -> list[Row]:
        return self._rows(
            "select * from changes where ticket_id = ? and id > ? order by id", ticket_id, after
        )

    # --- Files --------------------------------------------------------------------------------

    def files(self, ticket_id: int) -> list[Row]:
        self.ticket(ticket_id)
        return self._rows(f"select {FILE} from files where ticket_id = ? order by id", ticket_id)

    def add_file(self, ticket_id: int, values: Row) -> Row:
        self.open_ticket(ticket_id)
        size = len(values["content"])
        id = self._insert("files", {"ticket_id": ticket_id, "size": size, **values})
        return self._one(f"select {FILE} from files where id = ?", id)

    def file(self, file_id: int) -> Row:
        return self._one("select * from files where id = ?", file_id)

    def remove_file(self, file_id: int) -> None:
        self._remove("files where id = ?", file_id)

    # --- Reports ------------------------------------------------------------------------------

    def add_report(self) -> Row:
        return self.report(self._insert("reports", {"text": None}))

    def make_report(self, report_id: int) -> None:
        text = io.StringIO()
        rows = self._connection.execute("select id, subject, status from tickets order by id")
        csv.writer(text).writerows([("id", "subject", "status"), *map(tuple, rows)])
        self._connection.execute(
            "update reports set text = ? where id = ?", (text.getvalue(), report_id)
        )

    def report(self, report_id: int) -> Row:
        row = self._one("select * from reports where id = ?", report_id)
        return {"id": report_id, "status": "pending" if row["text"] is None else "done"}

    def table_of(self, report_id: int) -> str:
        text: str | None = self._one("select * from reports where id = ?", report_id)["text"]
        if text is None:
            raise RefusedError("report_pending", "The report is not done yet.")
        return text

    # ------------------------------------------------------------------------------------------

    def _rows(self, statement: str, *values: object) -> list[Row]:
        return [dict(row) for row in self._connection.execute(statement, values)]

    def _one(self, statement: str, id: int) -> Row:
        rows = self._rows(statement, id)
        if not rows:
            raise RefusedError("not_found", "There is nothing with this id.")
        return rows[0]

    def _insert(self, table: str, values: Row) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        statement = f"insert into {table} ({names}) values ({marks})"
        id = self._connection.execute(statement, tuple(values.values())).lastrowid
        assert id is not None
        return id

    def _remove(self, where: str, *values: object) -> None:
        if not self._connection.execute(f"delete from {where}", values).rowcount:
            raise RefusedError("not_found", "There is nothing with this id.")

    def _log(self, ticket_id: int, kind: str) -> None:
        self._insert("changes", {"ticket_id": ticket_id, "kind": kind, "at": _now()})


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _hashed(name: str, password: str) -> bytes:
    return hashlib.scrypt(password.encode(), salt=name.encode(), n=2**14, r=8, p=1)
