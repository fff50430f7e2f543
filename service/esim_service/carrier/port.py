"""The port to the carrier, which makes eSIMs and adds data to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..domain.lifecycle import Observation
from ..values.entities import Esim, Mode, Order, Profile, Topup


class RefusedError(Exception):
    """The carrier refuses permanently; `code` is a code of failed orders in the contract."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class UnreachableError(Exception):
    """The carrier did not respond; whether it did the work is unknown, so a retry is needed."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to the carrier before an order or a top-up is charged."""

    mode: Mode
    scenario: str | None
    reference: str


class Provisioner(Protocol):
    """A carrier, idempotent: the same order or top-up always gets the same result."""

    async def accept(self, inquiry: Inquiry) -> None:
        """Check that the carrier will accept an order or a top-up.

        Raises:
            RefusedError: it will not.
            UnreachableError: it does not respond now.
        """
        ...

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Return whether to call `accept`; if not, an order is spared a round trip."""
        ...

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Make the eSIMs of an order, as many as its quantity.

        Raises:
            RefusedError: there will be none.
            UnreachableError: it does not respond now.
        """
        ...

    async def top_up(self, topup: Topup) -> None:
        """Add the data of a top-up to its eSIM.

        Raises:
            RefusedError: this is not possible.
            UnreachableError: it does not respond now.
        """
        ...


class Reporter(Protocol):
    """Reports from a carrier on the eSIMs that it has made."""

    def next_report(self, esim: Esim, now: int) -> int:
        """Return the time of the next report to ask for."""
        ...

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Return the carrier's observation since the last report; None if there is nothing new.

        Raises:
            UnreachableError: it does not respond now.
        """
        ...


@runtime_checkable
class Carrier(Provisioner, Reporter, Protocol):
    """A complete carrier, which makes eSIMs and then reports on them."""
