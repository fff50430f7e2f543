"""Settings for tests, which live keys must never meet."""

from __future__ import annotations

from functools import partial

from ..settings import Settings
from ..store import partners
from ..store.database import Database, OperatorError


def refuse_live(settings: Settings) -> None:
    """Refuse to do anything for live mode with settings for tests.

    Raises:
        OperatorError: there are such settings.
    """
    if settings.only_for_tests:
        names = ", ".join(settings.only_for_tests)
        raise OperatorError(f"{names}: for development and tests only, never beside live keys")


async def require_no_live_keys(settings: Settings, database: Database, now: int) -> None:
    """Refuse settings for tests on a database with a live key in force.

    Raises:
        OperatorError: there are both.
    """
    has_live_keys = await database.read(partial(partners.has_live_keys, now))
    if has_live_keys:
        refuse_live(settings)
