"""Timestamps have one form at every millisecond."""

from __future__ import annotations

import json

import pytest

from esim_service.domain import bodies
from esim_service.values.entities import Account, Scope

SCOPE = Scope("prt_1", "test")


@pytest.mark.parametrize("milliseconds", [0, 1, 999])
def test_a_timestamp_has_the_form_that_the_contract_shows(milliseconds: int) -> None:
    now = 1_700_000_000_000 + milliseconds
    balance = bodies.balance(Account(SCOPE, 0, 0, False, 0, 0, now, now))
    event = json.loads(bodies.event("evt_1", "balance.low", now, SCOPE, balance, None))
    assert event["created_at"] == event["data"]["updated_at"] == "2023-11-14T22:13:20Z"
