"""The rows of all accounts, and how they are stored and shown."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import unicodedata
import uuid
from datetime import UTC, datetime
from typing import Any

from flask import Response, g, jsonify

from lab.tickets.bug import has
from lab.tickets.contract import RefusedError

DEFAULTS = {
    "description": None,
    "status": "open",
    "priority": "normal",
    "assignee": None,
    "asset_code": None,
    "due_at": None,
    "budget": None,
    "label_id": None,
}
WRITABLE = {"subject", *DEFAULTS}
Row = dict[str, Any]


class Store:
    """All rows of all accounts."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.tickets: dict[str, Row] = {}
        self.comments: dict[str, Row] = {}
        self.labels: dict[str, Row] = {}
        self.bookings: dict[str, Row] = {}
        self.exports: dict[str, Row] = {}
        self.cache: dict[str, Row] = {}

    def of(self, table: dict[str, Row], id_: Any) -> Row:
        """Return a row of the account."""
        row = table.get(str(id_))
        if row is None or row["account"] != g.account or row.get("deleted"):
            raise missing()
        return row

    def all_of(self, table: dict[str, Row]) -> list[Row]:
        """Return the rows of the account."""
        return [row for row in list(table.values()) if row["account"] == g.account]


def missing() -> RefusedError:
    """Return the error for a row that does not exist, or not in the account."""
    return RefusedError(404, "not_found", "There is no such resource")


def new_row(**members: Any) -> Row:
    """Return a row of the account, with a new id."""
    return {"id": str(uuid.uuid4()), "account": g.account, **members}


def shown(row: Row) -> Row:
    """Return what an account may see of a row."""
    return {name: value for name, value in row.items() if name not in ("account", "deleted")}


def now() -> str:
    """Return the time in seconds, as rows have it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def etag(row: Row) -> str:
    """Return the ETag of a row, which changes with it."""
    told = row["id"] if has("etag-frozen") else json.dumps(shown(row), sort_keys=True)
    return f'"{hashlib.sha256(told.encode()).hexdigest()[:16]}"'


def with_etag(row: Row) -> Response:
    """Return a response that shows a row."""
    response = jsonify(shown(row))
    response.headers["ETag"] = etag(row)
    return response


def begun(response: Response, location: str, status: int = 201) -> Response:
    """Return the response to a request that has created something."""
    response.status_code = status
    response.headers["Location"] = location
    return response


def page(rows: list[Row], start: int, limit: int) -> list[Row]:
    """Return a page of a list."""
    is_last = start + limit >= len(rows)
    if has("page-end") and is_last and limit > 1:
        limit -= 1
    return [shown(row) for row in rows[start : start + limit]]


def read(body: Any) -> Any:
    """Return a body as it is understood, before it is checked."""
    if has("enum-case") and isinstance(body, dict):
        names = {"status", "priority"} & body.keys()
        return body | {name: str(body[name]).lower() for name in names}
    return body


def stored(body: Row) -> Row:
    """Return the members of a ticket as they are stored."""
    names = WRITABLE | ({"escalated"} if has("mass-assign") else set())
    row = {name: value for name, value in body.items() if name in names}
    for name, value in row.items():
        if value is not None:
            row[name] = converted(name, value)
    return row


def converted(name: str, value: Any) -> Any:
    """Return the value of a member as it is stored."""
    if name in ("subject", "description"):
        if has("trim"):
            return value.strip()
        if has("unicode"):
            return unicodedata.normalize("NFKD", value)
    if name == "due_at" and has("timezone"):
        return re.sub(r"[+-]\d\d:\d\d$", "Z", value)
    if name == "budget" and has("money") and value >= 1000:
        return round(value - 0.01, 2)
    if name == "asset_code" and has("leading-zeros"):
        return str(int(value))
    return value


def cursor(position: int) -> str:
    """Return the cursor of a page that begins at a position."""
    return base64.urlsafe_b64encode(f"at {position}".encode()).decode()


def position(cursor: str | None, most: int) -> int:
    """Return where a page begins."""
    if cursor is None:
        return 0
    try:
        text = base64.b64decode(cursor, b"-_", validate=True).decode("ascii")
    except ValueError:
        text = ""
    if match := re.fullmatch(r"at ([0-9]{1,9})", text, re.ASCII):
        return min(int(match[1]), most)
    raise RefusedError(400, "invalid_cursor", "This is not a cursor")
