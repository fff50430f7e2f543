"""Secrets shared by all processes on one database."""

from __future__ import annotations

from ..statements.unit import Unit, execute, rows


def ensure(name: str, proposal: bytes) -> Unit[bytes]:
    """Return the secret of a name, which becomes the proposal if there was none."""
    yield from execute(
        "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", name, proposal
    )
    result = yield from rows("SELECT value FROM secrets WHERE name = $1", name)
    value: bytes = result[0]["value"]
    return value
