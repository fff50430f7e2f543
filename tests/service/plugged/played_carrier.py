"""A third-party carrier: an installed distribution with an entry point."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from esim_service.carrier.port import Inquiry
from esim_service.carrier.simulator import Simulator
from esim_service.values.entities import Order, Profile

ADDRESS = "smdp.played.example"


class Played(Simulator):
    """A simulator with an address of its own, which has to be asked before each order."""

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        return True

    async def accept(self, inquiry: Inquiry) -> None:
        return

    async def provision(self, order: Order) -> Sequence[Profile]:
        assert order.scope.mode == "live"
        made = await super().provision(order)
        return [replace(profile, smdp_address=ADDRESS) for profile in made]


class Awkward(Played):
    """A carrier that misbehaves in the way named at the start of an order's reference."""

    async def accept(self, inquiry: Inquiry) -> None:
        if inquiry.reference.startswith("hang"):
            await asyncio.Event().wait()

    async def provision(self, order: Order) -> Sequence[Profile]:
        made = await super().provision(order)
        match order.reference.split("-")[0]:
            case "none":
                return []
            case "raise":
                raise RuntimeError("the carrier has a bug")
            case "blank":
                return [replace(profile, smdp_address="") for profile in made]
            case "script":
                return [replace(profile, ios_install_url="javascript:alert(1)") for profile in made]
        return made


@asynccontextmanager
async def open_awkward() -> AsyncIterator[Awkward]:
    yield Awkward()


@asynccontextmanager
async def open_carrier() -> AsyncIterator[Played]:
    yield Played()


@asynccontextmanager
async def open_something_else() -> AsyncIterator[object]:
    yield object()


NOTHING = None
