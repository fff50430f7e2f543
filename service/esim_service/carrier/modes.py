"""One carrier per mode: the simulator for the sandbox, the operator's for real eSIMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..domain.lifecycle import Observation
from ..values.entities import Esim, Mode, Order, Profile, Topup
from .port import Carrier, Inquiry, UnreachableError


class NoCarrier:
    """A placeholder without a carrier: every request has to wait."""

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Return True, so that nothing is charged."""
        return True

    async def accept(self, inquiry: Inquiry) -> None:
        """Raise UnreachableError."""
        raise _nobody()

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Raise UnreachableError."""
        raise _nobody()

    async def top_up(self, topup: Topup) -> None:
        """Raise UnreachableError."""
        raise _nobody()

    def next_report(self, esim: Esim, now: int) -> int:
        """Return the expiry of the eSIM, as nothing is reported before."""
        return esim.expires_at

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Return None, as nothing is reported."""
        return None


class CarrierOfMode:
    """Forwards requests to the carrier of their mode."""

    def __init__(self, carriers: Mapping[Mode, Carrier]) -> None:
        self._carriers = carriers

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Return whether the carrier has to be asked with `accept`."""
        return self._carriers[inquiry.mode].has_to_be_asked(inquiry)

    async def accept(self, inquiry: Inquiry) -> None:
        """Check that the carrier will accept an order or a top-up."""
        await self._carriers[inquiry.mode].accept(inquiry)

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Make the eSIMs of an order."""
        return await self._carriers[order.scope.mode].provision(order)

    async def top_up(self, topup: Topup) -> None:
        """Add the data of a top-up to its eSIM."""
        await self._carriers[topup.scope.mode].top_up(topup)

    def next_report(self, esim: Esim, now: int) -> int:
        """Return the time of the next report to ask for."""
        return self._carriers[esim.scope.mode].next_report(esim, now)

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Return the carrier's observation since the last report."""
        return await self._carriers[esim.scope.mode].report(esim, now)


def _nobody() -> UnreachableError:
    return UnreachableError("no carrier is configured: see ESIM_CARRIER")
