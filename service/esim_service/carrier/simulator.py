"""A carrier for the sandbox that follows the scenario of an order."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from ..domain.lifecycle import Observation
from ..values.clock import HOUR, MINUTE, SECOND
from ..values.entities import Esim, Order, Profile, Topup
from .port import Inquiry, RefusedError

SLOW_SECONDS = 3.0
# Events follow a change within 15 minutes.
CADENCE = 10 * MINUTE
_SMDP_ADDRESS = "smdp.sandbox.example"
_ICCID_PREFIX = "89"
_ICCID_DIGITS = 19


@dataclass(frozen=True, slots=True)
class Scene:
    """The carrier's observation some time after an eSIM was made.

    Attributes:
        used_percent: share of the allowance; without effect on an unlimited one.
        expires_in: the remaining time until expiry; None leaves the expiry to the plan.
    """

    after: int
    used_percent: int = 0
    expires_in: int | None = None


# The scenes skip hours: the expiry comes near and then is reached, as if time ran faster.
SCRIPTS: Mapping[str, tuple[Scene, ...]] = {
    "activate_fast": (Scene(2 * SECOND),),
    "deplete_fast": (
        Scene(2 * SECOND),
        Scene(4 * SECOND, used_percent=55),
        Scene(6 * SECOND, used_percent=85),
        Scene(8 * SECOND, used_percent=100),
    ),
    "expire_fast": (
        Scene(2 * SECOND),
        Scene(4 * SECOND, expires_in=22 * HOUR),
        Scene(6 * SECOND, expires_in=0),
    ),
}


class Simulator:
    """Has an unlimited supply of eSIMs; the same order always gets the same ones."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        """Return whether the scenario involves `accept`."""
        return inquiry.mode == "test" and inquiry.scenario in ("slow_order", "upstream_502")

    async def accept(self, inquiry: Inquiry) -> None:
        """Accept the order, at once or slowly, or refuse it."""
        if not self.has_to_be_asked(inquiry):
            return
        if inquiry.scenario == "upstream_502":
            raise RefusedError("carrier_rejected", "The carrier refused, as the scenario says.")
        await self._sleep(SLOW_SECONDS)

    async def provision(self, order: Order) -> Sequence[Profile]:
        """Make the eSIMs of an order."""
        if order.scope.mode == "test" and order.metadata.get("sandbox_scenario") == "out_of_stock":
            raise RefusedError("out_of_stock", "The carrier has no eSIMs, as the scenario says.")
        return [_profile(f"{order.order_id}/{index}") for index in range(order.quantity)]

    async def top_up(self, topup: Topup) -> None:
        """Accept any top-up."""

    def next_report(self, esim: Esim, now: int) -> int:
        """Return the time of the next scene, or of the next regular report."""
        scene = _next_scene(esim)
        return now + CADENCE if scene is None else max(now, esim.created_at + scene.after)

    async def report(self, esim: Esim, now: int) -> Observation | None:
        """Return the next scene of the eSIM's script once its time has come.

        No scene is skipped, however late it is.
        """
        scene = _next_scene(esim)
        if scene is None or esim.created_at + scene.after > now:
            return None
        seen_at = esim.created_at + scene.after
        return Observation(
            at=seen_at,
            profile_status="enabled",
            used_bytes=(esim.total_bytes or 0) * scene.used_percent // 100,
            active_since=seen_at if esim.activated_at is None else esim.activated_at,
            expires_at=None if scene.expires_in is None else now + scene.expires_in,
        )


def _next_scene(esim: Esim) -> Scene | None:
    if esim.scope.mode != "test" or esim.scenario is None:
        return None
    seen = -1 if esim.observed_at is None else esim.observed_at - esim.created_at
    return next((scene for scene in SCRIPTS.get(esim.scenario, ()) if scene.after > seen), None)


def _profile(seed: str) -> Profile:
    digest = hashlib.sha256(seed.encode()).hexdigest()
    width = _ICCID_DIGITS - len(_ICCID_PREFIX) - 1
    payload = f"{_ICCID_PREFIX}{int(digest[:32], 16) % 10**width:0{width}}"
    return Profile(
        iccid=payload + luhn_digit(payload),
        smdp_address=_SMDP_ADDRESS,
        matching_id="-".join(digest[start : start + 5].upper() for start in range(32, 52, 5)),
        confirmation_required=False,
        ios_install_url=None,
    )


def luhn_digit(payload: str) -> str:
    """Return the check digit (ISO/IEC 7812) that makes a number valid."""
    total = 0
    for index, digit in enumerate(reversed(payload)):
        value = int(digit) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)
