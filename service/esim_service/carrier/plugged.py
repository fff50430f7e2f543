"""Access to the carrier that an operator has installed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import entry_points
from typing import TypeAlias

from ..store.changes.database import OperatorError
from .port import Carrier

GROUP = "esim_service.carriers"

Open: TypeAlias = Callable[[], AbstractAsyncContextManager[Carrier]]
"""The type of an entry point of the group."""


@asynccontextmanager
async def open_carrier(name: str) -> AsyncIterator[Carrier]:
    """Open a carrier for the duration of the context.

    Raises:
        OperatorError: no such carrier is installed, or it is not a valid one.
    """
    opening = _load(name)()
    async with opening as carrier:
        if not isinstance(carrier, Carrier):
            raise _no_carrier(name)
        yield carrier


def _load(name: str) -> Open:
    installed = {point.name: point for point in entry_points(group=GROUP)}
    if name not in installed:
        names = ", ".join(sorted(installed)) or "none"
        raise OperatorError(
            f"ESIM_CARRIER: no carrier {name} is installed as an entry point of {GROUP}; "
            f"installed: {names}"
        )
    try:
        plugin = installed[name].load()
    except (ImportError, AttributeError) as error:
        value = installed[name].value
        raise OperatorError(f"ESIM_CARRIER: {value} cannot be loaded: {error}") from error
    if not callable(plugin):
        raise _no_carrier(name)
    open_: Open = plugin
    return open_


def _no_carrier(name: str) -> OperatorError:
    return OperatorError(f"ESIM_CARRIER: {name} is not an esim_service.carrier.port.Carrier")
