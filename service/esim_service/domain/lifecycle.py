"""The lifecycle of an eSIM under the carrier's reports, top-ups and the passing of time.

Nothing is reported twice: an event happens when its mark is passed, and a mark can be passed
again only after a top-up has moved it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ..values.clock import DAY, HOUR
from ..values.entities import Esim, Topup

EventType: TypeAlias = Literal[
    "esim.activated", "esim.usage", "esim.depleted", "esim.expiring", "esim.expired"
]
Threshold: TypeAlias = Literal[50, 80]

# The contract allows the event to be four hours late, more than reports are apart.
EXPIRING_FROM = 24 * HOUR
_THRESHOLDS: tuple[Threshold, ...] = (50, 80)
_ALL = 100


@dataclass(frozen=True, slots=True)
class Observation:
    """The carrier's observation of an eSIM.

    Attributes:
        at: when it was made.
        profile_status: one of the contract's; `error` if the profile is broken.
        active_since: when the eSIM was first used; None if it was not.
        expires_at: when it expires, if the carrier reports that.
        is_revoked: whether the carrier has withdrawn it for good.
    """

    at: int
    profile_status: str
    used_bytes: int
    active_since: int | None
    expires_at: int | None = None
    is_revoked: bool = False


@dataclass(frozen=True, slots=True)
class EsimEvent:
    """An event to write, about the eSIM in its final state."""

    type: EventType
    threshold_percent: Threshold | None = None


EXPIRED = EsimEvent("esim.expired")

Step: TypeAlias = tuple[Esim, tuple[EsimEvent, ...]]

NextReport: TypeAlias = Callable[[Esim, int], int]
"""Returns when it is worth asking the carrier about an eSIM again."""


def is_alive(esim: Esim) -> bool:
    """Return whether the eSIM can still change: it is neither expired nor revoked."""
    return esim.status in ("ready", "active", "depleted")


def observe(esim: Esim, observation: Observation, now: int) -> Step:
    """Return the eSIM after a carrier's report, and its events.

    A report that is not newer than the last one changes nothing.
    """
    if not is_alive(esim) or (esim.observed_at is not None and observation.at <= esim.observed_at):
        return elapse(esim, now)
    after, activated = _activate(esim, observation)
    after = replace(
        after,
        profile_status=observation.profile_status,
        # Carriers correct their figures, but used data is not given back.
        used_bytes=max(esim.used_bytes, observation.used_bytes),
        observed_at=observation.at,
        updated_at=now,
    )
    if observation.expires_at is not None:
        after = _until(after, observation.expires_at)
    after, used = _use(after)
    after, elapsed = (revoke(after, now), ()) if observation.is_revoked else elapse(after, now)
    return after, activated + used + elapsed


def elapse(esim: Esim, now: int) -> Step:
    """Return the eSIM at a given time, and the events caused by time alone."""
    if not is_alive(esim):
        return esim, ()
    remaining = esim.expires_at - now
    if remaining <= 0:
        return replace(esim, status="expired", updated_at=now), (EXPIRED,)
    if not esim.expiring_reported and is_expiring(remaining):
        return replace(esim, expiring_reported=True), (EsimEvent("esim.expiring"),)
    return esim, ()


def is_expiring(remaining: int) -> bool:
    """Return whether an eSIM with this time until its end is reported as expiring.

    It is reported late rather than never: after an outage, or when the end has come closer.
    """
    return remaining <= EXPIRING_FROM


def revoke(esim: Esim, now: int) -> Esim:
    """Return the eSIM as withdrawn for good, which no event reports."""
    return replace(esim, status="revoked", updated_at=now)


def top_up(esim: Esim, topup: Topup, now: int) -> Esim:
    """Return the eSIM with the data and the validity of a top-up.

    Raises:
        ValueError: the eSIM is expired or revoked.
    """
    if not is_alive(esim):
        raise ValueError(f"an eSIM that is {esim.status} cannot be topped up")
    total = (
        None
        if esim.total_bytes is None or topup.data_bytes is None
        else esim.total_bytes + topup.data_bytes
    )
    after = replace(esim, total_bytes=total, updated_at=now)
    after = replace(after, usage_reported=_mark(after))
    if esim.status == "depleted" and after.usage_reported < _ALL:
        after = replace(after, status="active")
    if esim.activated_at is None and esim.validity_days:
        return replace(after, validity_days=esim.validity_days + topup.validity_days)
    return _until(after, esim.expires_at + topup.validity_days * DAY)


def next_moment(esim: Esim, now: int) -> int | None:
    """Return the time at which `elapse` next has an effect; None if never."""
    if not is_alive(esim):
        return None
    if esim.expiring_reported:
        return esim.expires_at
    return max(now, esim.expires_at - EXPIRING_FROM)


def next_look(esim: Esim, now: int, next_report: NextReport) -> int | None:
    """Return when an eSIM may next change, by a report or by time; None if never."""
    moment = next_moment(esim, now)
    return None if moment is None else min(moment, next_report(esim, now))


def at_once(esim: Esim, now: int) -> int:
    """Return the current time, to ask the carrier without waiting."""
    return now


def _activate(esim: Esim, observation: Observation) -> Step:
    since = observation.active_since
    if since is None and observation.used_bytes > 0:
        since = observation.at
    if since is None or esim.activated_at is not None:
        return esim, ()
    after = replace(esim, status="active", activated_at=since)
    # No days: the validity runs from the purchase, and the activation does not move its end.
    if esim.validity_days:
        after = _until(after, since + esim.validity_days * DAY)
    return after, (EsimEvent("esim.activated"),)


def _use(esim: Esim) -> Step:
    mark = _mark(esim)
    if esim.status != "active" or mark <= esim.usage_reported:
        return esim, ()
    events = tuple(
        EsimEvent("esim.usage", threshold)
        for threshold in _THRESHOLDS
        if esim.usage_reported < threshold <= mark
    )
    after = replace(esim, usage_reported=mark)
    if mark < _ALL:
        return after, events
    return replace(after, status="depleted"), (*events, EsimEvent("esim.depleted"))


def _mark(esim: Esim) -> int:
    """Return the highest mark that the usage has reached."""
    if esim.total_bytes is None:
        return 0
    return max(
        (mark for mark in (*_THRESHOLDS, _ALL) if esim.used_bytes * 100 >= mark * esim.total_bytes),
        default=0,
    )


def _until(esim: Esim, expires_at: int) -> Esim:
    later = expires_at > esim.expires_at
    return replace(
        esim,
        expires_at=expires_at,
        expiring_reported=esim.expiring_reported and not later,
    )
