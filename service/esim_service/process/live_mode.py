"""What live keys need, and what they must never meet."""

from __future__ import annotations

from functools import partial

from ..settings import Settings
from ..store.changes.database import Database, OperatorError
from ..store.tables import partners


def require_live(settings: Settings) -> None:
    """Return if these settings may serve live keys.

    Raises:
        OperatorError: there are settings for tests, or there is no carrier.
    """
    if settings.only_for_tests:
        names = ", ".join(settings.only_for_tests)
        raise OperatorError(f"{names}: for development and tests only, never beside live keys")
    if settings.carrier is None:
        raise OperatorError(
            "ESIM_CARRIER is not set: live keys need a carrier that makes what they are charged for"
        )


async def require_fit_for_keys(settings: Settings, database: Database, now: int) -> None:
    """Return if these settings may serve the keys of a database that are in force.

    Raises:
        OperatorError: there is a live key, and they may not.
    """
    has_live_keys = await database.read(partial(partners.has_live_keys, now))
    if has_live_keys:
        require_live(settings)
