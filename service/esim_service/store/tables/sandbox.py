"""The activity of a partner in one mode, across all tables."""

from __future__ import annotations

from ...values.entities import Scope
from ..statements.unit import Unit, execute

# Referencing tables come first. Keys, endpoints and the count of events are not in the list.
_TABLES = tuple("deliveries delivery_attempts events jobs answers topups esims orders".split())


def forget(scope: Scope) -> Unit[None]:
    """Delete the orders of a partner in one mode, and everything that resulted from them."""
    for table in _TABLES:
        yield from execute(
            f"DELETE FROM {table} WHERE partner_id = $1 AND mode = $2", scope.partner_id, scope.mode
        )
