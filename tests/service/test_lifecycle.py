"""The lifecycle of an eSIM follows the contract, regardless of the order of events."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from esim_service.domain.lifecycle import (
    EsimEvent,
    Observation,
    elapse,
    next_moment,
    observe,
    revoke,
    top_up,
)
from esim_service.domain.orders import check_count
from esim_service.domain.topups import can_be_topped_up, check_eligible
from esim_service.values.clock import DAY, HOUR, MINUTE
from esim_service.values.entities import Esim, Order, Profile, Scope, Topup
from partner_esim.server import Problem

GB = 10**9
SCOPE = Scope("prt_1", "test")
ESIM = Esim(
    esim_id="esm_1",
    scope=SCOPE,
    order_id="ord_1",
    plan_id="pln_1",
    scenario=None,
    status="ready",
    profile=Profile("8900000000000000005", "smdp.example", "A", False, None),
    profile_status="released",
    total_bytes=GB,
    used_bytes=0,
    observed_at=None,
    activated_at=None,
    validity_days=7,
    expires_at=365 * DAY,
    topup_supported=True,
    usage_reported=0,
    expiring_reported=False,
    created_at=0,
    updated_at=0,
)
TOPUP = Topup(
    topup_id="top_1",
    scope=SCOPE,
    esim_id="esm_1",
    iccid="8900000000000000005",
    topup_plan_id="tpl_1",
    reference="r",
    status="completed",
    days=None,
    price=1,
    total=1,
    data_bytes=GB,
    validity_days=7,
    balance_after=0,
    created_at=0,
    completed_at=0,
)


def seen(at: int, used: int = 0, since: int | None = 0) -> Observation:
    return Observation(at, "enabled", used, since)


def active(used: int = 0) -> Esim:
    return observe(ESIM, seen(1, used), 1)[0]


def types(events: tuple[EsimEvent, ...]) -> list[str]:
    return [each.type + str(each.threshold_percent or "") for each in events]


def test_an_installed_esim_that_was_not_used_stays_ready() -> None:
    esim, events = observe(ESIM, Observation(5, "installed", 0, None), 9)
    assert (esim.status, esim.profile_status, esim.observed_at) == ("ready", "installed", 5)
    assert esim.updated_at == 9
    assert events == ()


def test_the_first_use_activates_and_starts_the_validity() -> None:
    esim, events = observe(ESIM, seen(HOUR, since=MINUTE), 2 * HOUR)
    assert (esim.status, esim.activated_at) == ("active", MINUTE)
    assert esim.expires_at == MINUTE + 7 * DAY
    assert types(events) == ["esim.activated"]


def test_a_validity_that_runs_since_the_purchase_is_not_moved() -> None:
    esim, _ = observe(replace(ESIM, validity_days=0, expires_at=7 * DAY), seen(DAY, 0, DAY), DAY)
    assert (esim.status, esim.expires_at) == ("active", 7 * DAY)


def test_usage_without_a_word_about_activation_activates() -> None:
    esim, events = observe(ESIM, seen(5, 1, None), 5)
    assert (esim.status, esim.activated_at) == ("active", 5)
    assert types(events) == ["esim.activated"]


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (GB // 2 - 1, []),
        (GB // 2, ["esim.usage50"]),
        (8 * GB // 10 - 1, ["esim.usage50"]),
        (8 * GB // 10, ["esim.usage50", "esim.usage80"]),
        (GB - 1, ["esim.usage50", "esim.usage80"]),
        (GB, ["esim.usage50", "esim.usage80", "esim.depleted"]),
        (GB + 1, ["esim.usage50", "esim.usage80", "esim.depleted"]),
    ],
)
def test_marks_of_the_usage(used: int, expected: list[str]) -> None:
    esim, events = observe(active(), seen(2, used), 2)
    assert types(events) == expected
    assert (esim.status == "depleted") == ("esim.depleted" in expected)
    again, more = observe(esim, seen(3, used), 3)
    assert more == ()
    assert again.status == esim.status


def test_an_unlimited_allowance_has_no_marks() -> None:
    _, events = observe(replace(active(), total_bytes=None), seen(2, 10**15), 2)
    assert events == ()


def test_an_old_or_repeated_report_changes_nothing() -> None:
    esim, _ = observe(active(), seen(100, GB // 2), 100)
    assert observe(esim, seen(100, GB), 101) == (esim, ())
    assert observe(esim, seen(99, GB), 101) == (esim, ())


def test_a_corrected_figure_gives_nothing_back() -> None:
    esim, _ = observe(active(), seen(100, GB // 2), 100)
    esim, events = observe(esim, seen(101, GB // 4), 101)
    assert (esim.used_bytes, events) == (GB // 2, ())


def test_a_top_up_makes_a_depleted_esim_active_and_arms_its_marks() -> None:
    esim = top_up(active(GB), TOPUP, 2 * DAY)
    assert (esim.status, esim.total_bytes, esim.usage_reported) == ("active", 2 * GB, 50)
    assert esim.expires_at == 14 * DAY
    esim, events = observe(esim, seen(3 * DAY, 2 * GB), 3 * DAY)
    assert types(events) == ["esim.usage80", "esim.depleted"]
    assert esim.status == "depleted"


def test_a_top_up_that_is_too_small_leaves_it_depleted() -> None:
    esim = top_up(active(3 * GB), TOPUP, 5)
    assert esim.status == "depleted"


def test_an_unlimited_top_up_ends_the_counting() -> None:
    esim = top_up(active(GB), replace(TOPUP, data_bytes=None), 5)
    assert (esim.status, esim.total_bytes) == ("active", None)


def test_a_top_up_before_the_activation_lengthens_what_it_starts() -> None:
    esim = top_up(ESIM, replace(TOPUP, validity_days=30), DAY)
    assert esim.expires_at == 365 * DAY
    esim, _ = observe(esim, seen(10 * DAY, 0, 10 * DAY), 10 * DAY)
    assert esim.expires_at == 47 * DAY


def test_a_top_up_adds_its_days_to_a_validity_that_runs_since_the_purchase() -> None:
    esim = top_up(replace(ESIM, validity_days=0, expires_at=7 * DAY), TOPUP, DAY)
    assert (esim.validity_days, esim.expires_at) == (0, 14 * DAY)


@pytest.mark.parametrize("status", ["expired", "revoked"])
def test_an_esim_that_has_ended_cannot_be_topped_up_or_used(status) -> None:
    ended = replace(active(), status=status)
    with pytest.raises(ValueError, match=status):
        top_up(ended, TOPUP, 5)
    assert observe(ended, seen(9 * DAY, GB), 9 * DAY) == (ended, ())
    assert elapse(ended, 900 * DAY) == (ended, ())
    assert next_moment(ended, 5) is None


def test_expiring_comes_a_day_before_the_end_or_late_but_not_after_it() -> None:
    esim = active()
    end = esim.expires_at
    assert elapse(esim, end - 24 * HOUR - 1) == (esim, ())
    for moment in (end - 24 * HOUR, end - 20 * HOUR, end - 1):
        after, events = elapse(esim, moment)
        assert types(events) == ["esim.expiring"]
        assert elapse(after, moment) == (after, ())
    assert types(elapse(esim, end)[1]) == ["esim.expired"]


def test_an_end_that_comes_closer_is_announced_at_once() -> None:
    esim, events = observe(active(), replace(seen(2), expires_at=2 + 3 * HOUR), 2)
    assert types(events) == ["esim.expiring"]
    assert next_moment(esim, 2) == esim.expires_at


def test_an_esim_that_the_carrier_revokes_has_ended() -> None:
    report = replace(seen(2, GB), is_revoked=True)
    esim, events = observe(active(), report, 5)
    assert (esim.status, esim.used_bytes, esim.updated_at) == ("revoked", GB, 5)
    # Its usage is reported, and neither its end nor its revocation.
    assert types(events) == ["esim.usage50", "esim.usage80", "esim.depleted"]
    assert observe(esim, replace(report, at=3), 400 * DAY) == (esim, ())
    esim, events = observe(ESIM, replace(report, used_bytes=0, active_since=None), 400 * DAY)
    assert (esim.status, events) == ("revoked", ())


@pytest.mark.parametrize("status", ["ready", "active", "depleted", "expired"])
def test_an_esim_in_any_state_can_be_revoked(status) -> None:
    esim = revoke(replace(active(), status=status), 7)
    assert (esim.status, esim.updated_at) == ("revoked", 7)
    assert elapse(esim, 900 * DAY) == (esim, ())


def test_an_error_of_the_profile_is_shown_and_can_pass() -> None:
    for status in ("error", "enabled"):
        at = 2 if status == "error" else 3
        esim, events = observe(active(), Observation(at, status, 0, 0), at)
        assert (esim.status, esim.profile_status, events) == ("active", status, ())


def test_the_next_moment_is_when_there_is_something_to_say() -> None:
    esim = active()
    end = esim.expires_at
    first, last = end - 24 * HOUR, end - 1
    for now, moment in ((0, first), (first, first), (last, last), (end, end)):
        assert next_moment(esim, now) == moment
    assert next_moment(elapse(esim, last)[0], last) == end


def test_a_longer_life_is_announced_again() -> None:
    esim, _ = elapse(active(), active().expires_at - DAY)
    esim = top_up(esim, TOPUP, esim.expires_at - DAY)
    _, events = elapse(esim, esim.expires_at - DAY)
    assert types(events) == ["esim.expiring"]


@pytest.mark.parametrize("esim", [ESIM, active(), active(GB)], ids=lambda esim: esim.status)
def test_it_expires_at_its_end_and_once(esim: Esim) -> None:
    esim, events = elapse(esim, esim.expires_at - 1)
    assert types(events) == ["esim.expiring"]
    after, events = elapse(esim, esim.expires_at)
    assert (after.status, types(events)) == ("expired", ["esim.expired"])
    assert elapse(after, esim.expires_at + 1) == (after, ())


def test_an_end_that_is_told_again_is_announced_once() -> None:
    ends = ESIM.created_at + 9 * DAY
    esim, _ = observe(ESIM, replace(seen(1), expires_at=ends), 1)
    esim, events = elapse(esim, ends - 22 * HOUR)
    assert types(events) == ["esim.expiring"]
    for at, expires_at, announced in (
        (ends - 22 * HOUR + 1, ends, []),
        (ends - 22 * HOUR + 2, ends - 1, []),
        (ends - 22 * HOUR + 3, ends, ["esim.expiring"]),
    ):
        esim, events = observe(esim, replace(seen(at), expires_at=expires_at), at)
        assert types(events) == announced


def test_a_late_report_activates_and_expires_at_once() -> None:
    esim, events = observe(ESIM, seen(1, GB), 8 * DAY)
    assert esim.status == "expired"
    assert types(events) == [
        "esim.activated",
        "esim.usage50",
        "esim.usage80",
        "esim.depleted",
        "esim.expired",
    ]


class Lives(RuleBasedStateMachine):
    """Reports, top-ups and time in any order; each event happens once for its cause."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1
        self.esim = ESIM
        self.events: Counter[str] = Counter()
        self.topups = 0

    def take(self, step: tuple[Esim, tuple[EsimEvent, ...]]) -> None:
        before = self.esim
        self.esim, events = step
        for type_ in types(events):
            self.events[type_] += 1
        if "esim.expiring" in types(events):
            assert 0 < self.esim.expires_at - self.now <= 24 * HOUR
        allowed = {
            "ready": {"ready", "active", "depleted", "expired", "revoked"},
            "active": {"active", "depleted", "expired", "revoked"},
            "depleted": {"depleted", "expired", "revoked"},
            "expired": {"expired", "revoked"},
            "revoked": {"revoked"},
        }
        assert self.esim.status in allowed[before.status]

    @rule(hours=st.integers(0, 60))
    def time_passes(self, hours: int) -> None:
        self.now += hours * HOUR
        self.take(elapse(self.esim, self.now))

    @rule(used=st.integers(0, 3 * GB), age=st.integers(0, 30 * HOUR), is_used=st.booleans())
    def carrier_reports(self, used: int, age: int, is_used: bool) -> None:
        at = max(0, self.now - age)
        report = Observation(at, "enabled", used if is_used else 0, at if is_used else None)
        self.take(observe(self.esim, report, self.now))
        repeated = observe(self.esim, report, self.now)
        assert repeated == (self.esim, ())

    @rule(data=st.one_of(st.none(), st.integers(1, 2 * GB)), days=st.integers(1, 30))
    def partner_tops_up(self, data: int | None, days: int) -> None:
        if self.esim.status in ("ready", "active", "depleted"):
            self.topups += 1
            topup = replace(TOPUP, data_bytes=data, validity_days=days)
            before, self.esim = self.esim, top_up(self.esim, topup, self.now)
            assert self.esim.expires_at >= before.expires_at

    @rule()
    def carrier_revokes(self) -> None:
        report = Observation(self.now, "deleted", 0, None, is_revoked=True)
        self.take(observe(self.esim, report, self.now))

    @rule()
    def worker_waits_for_the_next_moment(self) -> None:
        moment = next_moment(self.esim, self.now)
        if moment is not None:
            self.now = max(self.now, moment)
            before = self.events.total()
            self.take(elapse(self.esim, self.now))
            assert self.events.total() == before + 1

    @invariant()
    def each_event_happens_once(self) -> None:
        assert self.events["esim.activated"] == (self.esim.activated_at is not None)
        assert self.events["esim.expired"] == (self.esim.status == "expired")
        assert self.esim.status != "revoked" or next_moment(self.esim, self.now) is None
        for name in ("esim.usage50", "esim.usage80", "esim.depleted"):
            assert self.events[name] <= 1 + self.topups
        assert self.events["esim.expiring"] <= 2 + self.topups

    @invariant()
    def status_and_usage_agree(self) -> None:
        esim = self.esim
        if esim.total_bytes is not None and esim.status in ("active", "depleted"):
            assert (esim.status == "depleted") == (esim.used_bytes >= esim.total_bytes)
        assert (esim.status == "ready") <= (esim.activated_at is None)


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=60, stateful_step_count=25)


@pytest.mark.parametrize(
    ("esim", "code"),
    [
        (ESIM, None),
        (replace(ESIM, topup_supported=None), None),
        (replace(ESIM, topup_supported=False), "topup_not_supported"),
        (replace(ESIM, topup_supported=False, status="expired"), "topup_not_supported"),
        (replace(ESIM, status="expired"), "esim_not_eligible"),
        (replace(ESIM, status="revoked"), "esim_not_eligible"),
    ],
    ids=["ready", "unknown", "not supported", "neither", "expired", "revoked"],
)
def test_only_esims_of_plans_with_top_ups_are_topped_up(esim: Esim, code: str | None) -> None:
    try:
        check_eligible(esim)
    except Problem as problem:
        assert problem.code == code
    else:
        assert code is None
    assert can_be_topped_up(esim) is (code is None)


def test_a_carrier_has_to_make_as_many_esims_as_were_ordered() -> None:
    order = SimpleNamespace(order_id="ord_1", quantity=2)
    check_count(cast("Order", order), [ESIM.profile] * 2)
    for number in (1, 3):
        with pytest.raises(ValueError, match=f"ord_1 needs 2 eSIMs, not {number}"):
            check_count(cast("Order", order), [ESIM.profile] * number)
