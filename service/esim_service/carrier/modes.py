"""A carrier for each mode: the simulator plays the sandbox, the operator's makes real eSIMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..domain.lifecycle import Observation
from ..values.entities import Esim, Mode, Order, Profile, Topup
from .port import Carrier, Inquiry, UnreachableError


class NoCarrier:
    """Stands where no carrier was plugged in: whatever is asked of it has to wait."""

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Say that it has to be asked, so that nothing is charged."""
        return True

    async def accept(self, inquiry: Inquiry) -> None:
        """Take no order."""
        raise _nobody()

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Make no eSIM."""
        raise _nobody()

    async def top_up(self, topup: Topup) -> None:
        """Add no data."""
        raise _nobody()

    def next_report(self, esim: Esim, now: int) -> int:
        """Leave everything to the time."""
        return esim.expires_at

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Tell nothing."""
        return None


class CarrierOfMode:
    """Passes on what is asked to the carrier of its mode."""

    def __init__(self, carriers: Mapping[Mode, Carrier]) -> None:
        self._carriers = carriers

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Whether `accept` has anything to say."""
        return self._carriers[inquiry.mode].has_to_be_asked(inquiry)

    async def accept(self, inquiry: Inquiry) -> None:
        """Return when the carrier will take an order or a top-up."""
        await self._carriers[inquiry.mode].accept(inquiry)

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Make the eSIMs of an order."""
        return await self._carriers[order.scope.mode].provision(order)

    async def top_up(self, topup: Topup) -> None:
        """Add the data of a top-up to its eSIM."""
        await self._carriers[topup.scope.mode].top_up(topup)

    def next_report(self, esim: Esim, now: int) -> int:
        """Return when it is worth asking for a report again."""
        return self._carriers[esim.scope.mode].next_report(esim, now)

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Return what the carrier has seen since the last report."""
        return await self._carriers[esim.scope.mode].report(esim, now)


def _nobody() -> UnreachableError:
    return UnreachableError("no carrier is plugged in: see ESIM_CARRIER")
