"""Ids of one date are in the order of creation."""

from __future__ import annotations

from esim_service.values.clock import SystemClock
from esim_service.values.ids import Ids, Prefix


def test_ids_of_one_date_ascend_although_other_dates_come_between() -> None:
    ids = Ids(SystemClock())
    # Changes of two accounts run side by side, each with its own date.
    created = [ids.at(date, Prefix.ESIM) for _ in range(50) for date in (1_000, 2_000)]
    assert created[::2] == sorted(set(created[::2]))
    assert created[1::2] == sorted(set(created[1::2]))


def test_ids_stay_unique_when_more_dates_come_between_than_are_remembered() -> None:
    ids = Ids(SystemClock())
    created = [ids.at(date, Prefix.ESIM) for _ in range(2) for date in range(1_000)]
    assert len(set(created)) == 2_000
