"""Ids: a prefix and a lower-case ULID, in the order of creation."""

from __future__ import annotations

import secrets
import threading
from enum import StrEnum

from .clock import Clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_SHIFTS = range(120, -1, -10)
_RANDOM_BITS = 80
_LAST = (1 << _RANDOM_BITS) - 1
_REMEMBERED = 256


class Prefix(StrEnum):
    """The kind of the resource that an id identifies."""

    DELIVERY = "dlv_"
    ENDPOINT = "whe_"
    ESIM = "esm_"
    EVENT = "evt_"
    JOB = "job_"
    KEY = "key_"
    LEDGER_ENTRY = "led_"
    ORDER = "ord_"
    PARTNER = "prt_"
    REQUEST = "req_"
    TOPUP = "top_"


class Ids:
    """Creates ids; those of one instance ascend within a millisecond."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # The last random part of recent dates: changes with different dates run side by side.
        self._randoms: dict[int, int] = {}

    def now(self) -> int:
        """Return the wall time of the clock used for the ids."""
        return self._clock.now()

    def new(self, prefix: Prefix) -> str:
        """Return a new id with the current time."""
        return self.at(self._clock.now(), prefix)

    def at(self, now: int, prefix: Prefix) -> str:
        """Return a new id with a given time."""
        with self._lock:
            last = self._randoms.pop(now, _LAST)
            # Half of the range is left for further ids of the same millisecond.
            random = last + 1 if last < _LAST else secrets.randbits(_RANDOM_BITS - 1)
            self._randoms[now] = random
            if len(self._randoms) > _REMEMBERED:
                del self._randoms[next(iter(self._randoms))]
        return prefix + _text(now << _RANDOM_BITS | random)


def first(prefix: Prefix, milliseconds: int) -> str:
    """Return the lower bound of all ids created from a given time on."""
    return prefix + _text(max(0, milliseconds) << _RANDOM_BITS)


def _text(value: int) -> str:
    return "".join([_PAIRS[value >> shift & 1023] for shift in _SHIFTS])
