"""The sandbox's carrier follows the scenarios."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esim_service.carrier.port import Inquiry, Provisioner, RefusedError, Reporter
from esim_service.carrier.simulator import CADENCE, Simulator, luhn_digit
from esim_service.domain.lifecycle import elapse, next_moment, observe, top_up
from esim_service.values.clock import HOUR, SECOND
from esim_service.values.entities import Esim, Order, Scope

from .test_lifecycle import ESIM, GB, TOPUP

ORDER = Order(
    order_id="ord_1",
    scope=Scope("prt_1", "test"),
    reference="r",
    status="processing",
    plan_id="pln_1",
    quantity=20,
    days=None,
    unit_price=1,
    total=20,
    iccids=(),
    has_end_user=False,
    end_user_label=None,
    metadata={},
    failure=None,
    created_at=0,
    completed_at=None,
)
NAP: list[float] = []


async def nap(seconds: float) -> None:
    NAP.append(seconds)


def test_it_is_a_carrier() -> None:
    provisioner: Provisioner = Simulator()
    reporter: Reporter = Simulator()
    assert provisioner and reporter


def test_profiles_are_well_formed_and_differ() -> None:
    profiles = asyncio.run(Simulator().provision(ORDER))
    assert len({profile.iccid for profile in profiles}) == 20
    assert len({profile.matching_id for profile in profiles}) == 20
    for profile in profiles:
        assert re.fullmatch(r"89[0-9]{17}", profile.iccid)
        assert luhn_digit(profile.iccid[:-1]) == profile.iccid[-1]
        code = f"LPA:1${profile.smdp_address}${profile.matching_id}"
        assert re.fullmatch(r"LPA:1\$[^$]+\$[^$]*", code)


def test_the_same_order_gets_the_same_profiles() -> None:
    first = asyncio.run(Simulator().provision(ORDER))
    assert asyncio.run(Simulator().provision(ORDER)) == first
    other = asyncio.run(Simulator().provision(replace(ORDER, order_id="ord_2")))
    assert not {profile.iccid for profile in first} & {profile.iccid for profile in other}


def test_the_check_digit_of_a_known_number() -> None:
    assert luhn_digit("7992739871") == "3"


@given(st.from_regex(r"[0-9]{18}", fullmatch=True), st.integers(0, 17), st.integers(1, 9))
def test_the_check_digit_notices_a_wrong_digit(payload: str, place: int, shift: int) -> None:
    wrong = str((int(payload[place]) + shift) % 10)
    changed = payload[:place] + wrong + payload[place + 1 :]
    assert luhn_digit(changed) != luhn_digit(payload)


def accept(mode, scenario: str | None) -> list[float]:
    NAP.clear()
    asyncio.run(Simulator(nap).accept(Inquiry(mode, scenario, "r")))
    return list(NAP)


def test_a_slow_order_takes_three_seconds() -> None:
    assert accept("test", "slow_order") == [3.0]


def test_upstream_502_is_refused_for_good() -> None:
    with pytest.raises(RefusedError) as refused:
        accept("test", "upstream_502")
    assert refused.value.code == "carrier_rejected"


@pytest.mark.parametrize("scenario", [None, "", "activate_fast", "out_of_stock", "unknown"])
def test_other_orders_are_taken_at_once(scenario: str | None) -> None:
    assert accept("test", scenario) == []
    assert not Simulator().has_to_be_asked(Inquiry("test", scenario, "r"))


@pytest.mark.parametrize("scenario", ["slow_order", "upstream_502"])
def test_live_mode_ignores_the_scenarios_of_a_request(scenario: str) -> None:
    assert accept("live", scenario) == []


def test_out_of_stock_fails_afterwards_and_only_in_the_sandbox() -> None:
    order = replace(ORDER, metadata={"sandbox_scenario": "out_of_stock"})
    with pytest.raises(RefusedError) as refused:
        asyncio.run(Simulator().provision(order))
    assert refused.value.code == "out_of_stock"
    live = replace(order, scope=Scope("prt_1", "live"))
    assert len(asyncio.run(Simulator().provision(live))) == 20


def live_through(esim: Esim, until: int, late: int = 0) -> tuple[Esim, list[tuple[int, str]]]:
    """Let a worker follow an eSIM as its due moments say."""
    simulator, now, events = Simulator(), 0, []
    while True:
        moment = next_moment(esim, now)
        due = simulator.next_report(esim, now)
        now = (due if moment is None else min(moment, due)) + late
        if now > until:
            return esim, events
        report = asyncio.run(simulator.report(esim, now))
        esim, happened = elapse(esim, now) if report is None else observe(esim, report, now)
        events += [(now, each.type + str(each.threshold_percent or "")) for each in happened]
        if any(each.type == "esim.expiring" for each in happened):
            assert 20 * HOUR <= esim.expires_at - now <= 24 * HOUR


@pytest.mark.parametrize("late", [0, 1, 900])
@pytest.mark.parametrize(
    ("scenario", "status", "expected"),
    [
        ("activate_fast", "active", ["esim.activated"]),
        (
            "deplete_fast",
            "depleted",
            ["esim.activated", "esim.usage50", "esim.usage80", "esim.depleted"],
        ),
        ("expire_fast", "expired", ["esim.activated", "esim.expiring", "esim.expired"]),
    ],
)
def test_a_script_shows_its_events_within_15_seconds(
    scenario: str, status: str, expected: list[str], late: int
) -> None:
    esim, events = live_through(replace(ESIM, scenario=scenario), 15 * SECOND, late)
    assert [name for _, name in events] == expected
    assert esim.status == status


def test_an_esim_that_was_expired_fast_has_its_end_behind_it() -> None:
    esim, events = live_through(replace(ESIM, scenario="expire_fast"), 15 * SECOND)
    assert esim.expires_at <= events[-1][0]


def test_a_top_up_after_the_script_is_not_used_up() -> None:
    esim, _ = live_through(replace(ESIM, scenario="deplete_fast"), 15 * SECOND)
    esim = top_up(esim, TOPUP, 16 * SECOND)
    esim, events = live_through(esim, 60 * SECOND)
    assert (esim.status, esim.used_bytes, events) == ("active", GB, [])


@pytest.mark.parametrize("mode", ["test", "live"])
def test_without_a_script_nothing_is_reported(mode) -> None:
    scenario = None if mode == "test" else "expire_fast"
    esim = replace(ESIM, scope=Scope("prt_1", mode), scenario=scenario)
    assert asyncio.run(Simulator().report(esim, 10**9)) is None
    assert Simulator().next_report(esim, 5) == 5 + CADENCE
