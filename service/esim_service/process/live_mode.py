"""The requirements of live keys."""

from __future__ import annotations

from functools import partial

from ..settings import ServiceSettings
from ..store.changes.database import Database, OperatorError
from ..store.tables import partners


def require_live(settings: ServiceSettings) -> None:
    """Check that these settings may serve live keys.

    Raises:
        OperatorError: a setting is for tests only, or the carrier is missing.
    """
    if settings.only_for_tests:
        names = ", ".join(settings.only_for_tests)
        raise OperatorError(f"{names}: for development and tests only, not allowed with live keys")
    if settings.carrier is None:
        raise OperatorError(
            "ESIM_CARRIER is not set: live keys need a carrier that makes the eSIMs"
        )


async def require_fit_for_keys(settings: ServiceSettings, database: Database, now: int) -> None:
    """Check that these settings may serve the valid keys of a database.

    Raises:
        OperatorError: there is a live key, but the settings do not allow live keys.
    """
    has_live_keys = await database.read(partial(partners.has_live_keys, now))
    if has_live_keys:
        require_live(settings)
