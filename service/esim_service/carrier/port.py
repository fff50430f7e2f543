"""The port to the carrier, which makes eSIMs and adds data to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..domain.lifecycle import Observation
from ..values.entities import Esim, Mode, Order, Profile, Topup


class RefusedError(Exception):
    """The carrier refuses for good; `code` is one of the contract's codes of failed orders."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class UnreachableError(Exception):
    """The carrier did not answer; whether it did what was asked is unknown, so ask again."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What the carrier is asked before an order or a top-up is charged."""

    mode: Mode
    scenario: str | None
    reference: str


class Provisioner(Protocol):
    """A carrier. Asked again for the same order or top-up, it gives the same answer."""

    async def accept(self, inquiry: Inquiry) -> None:
        """Return when the carrier will take an order or a top-up.

        Raises:
            RefusedError: it will not.
            UnreachableError: it does not answer now.
        """
        ...

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Whether `accept` has anything to say; without that an order is spared a round."""
        ...

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Make the eSIMs of an order, as many as its quantity.

        Raises:
            RefusedError: there will be none.
            UnreachableError: it does not answer now.
        """
        ...

    async def top_up(self, topup: Topup) -> None:
        """Add the data of a top-up to its eSIM.

        Raises:
            RefusedError: that cannot be.
            UnreachableError: it does not answer now.
        """
        ...


class Reporter(Protocol):
    """What a carrier tells of the eSIMs that it has made."""

    def next_report(self, esim: Esim, now: int) -> int:
        """Return when it is worth asking for a report again."""
        ...

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Return what the carrier has seen since the last report; None when nothing new.

        Raises:
            UnreachableError: it does not answer now.
        """
        ...


@runtime_checkable
class Carrier(Provisioner, Reporter, Protocol):
    """A carrier as a whole, which makes eSIMs and goes on to tell of them."""
