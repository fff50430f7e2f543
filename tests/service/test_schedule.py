"""Deliveries are tried six times, and endpoints that never answer are disabled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esim_service.delivery.schedule import JITTER, acknowledged, failed, next_attempt
from esim_service.values.clock import HOUR, MINUTE, SECOND
from esim_service.values.entities import Scope, WebhookEndpoint
from partner_esim import webhooks

ENDPOINT = WebhookEndpoint(
    endpoint_id="whe_1",
    scope=Scope("prt_1", "test"),
    url="https://hooks.example/",
    event_types=("order.completed",),
    secret="whsec_",
    status="enabled",
    disabled_reason=None,
    created_at=0,
    last_success_at=None,
    last_failure_at=None,
    failing_since=None,
    exhausted=False,
)


def test_retries_come_after_1_and_5_and_30_minutes_and_2_and_12_hours() -> None:
    delays = [next_attempt(attempts, 1000) for attempts in range(1, 7)]
    assert delays == [
        1000 + MINUTE,
        1000 + 5 * MINUTE,
        1000 + 30 * MINUTE,
        1000 + 2 * HOUR,
        1000 + 12 * HOUR,
        None,
    ]


def test_a_scale_shortens_every_pause_and_drops_none() -> None:
    delays = [next_attempt(attempts, 1000, scale=0.01) for attempts in range(1, 7)]
    whole = [next_attempt(attempts, 0) for attempts in range(1, 6)]
    assert delays == [*(1000 + (each or 0) // 100 for each in whole), None]


@given(st.integers(1, 5), st.floats(0, 1), st.floats(0.001, 1))
def test_jitter_makes_no_pause_shorter_and_none_longer_than_its_share(
    attempts: int, spread: float, scale: float
) -> None:
    declared = webhooks.RETRY_AFTER_SECONDS[attempts - 1] * SECOND * scale
    found = next_attempt(attempts, 1000, scale, spread)
    assert found is not None
    assert declared - 1 <= found - 1000 <= declared * (1 + JITTER) + 1


def test_jitter_stays_within_what_contract_tests_take_for_the_schedule() -> None:
    # `specwright test` allows a tenth.
    assert 0 < JITTER < 0.1


def test_a_spread_is_the_share_of_the_jitter_that_is_used() -> None:
    assert next_attempt(1, 0, spread=0.0) == MINUTE
    assert next_attempt(1, 0, spread=0.5) == round(MINUTE * (1 + JITTER / 2))
    assert next_attempt(6, 0, spread=0.5) is None


def test_there_is_no_retry_before_a_failure() -> None:
    with pytest.raises(ValueError, match="failed"):
        next_attempt(0, 1000)


def test_120_hours_without_an_exhausted_delivery_disable_nothing() -> None:
    after = failed(failed(ENDPOINT, 1, 0), 5, 500 * HOUR)
    assert after.status == "enabled"


def test_an_exhausted_delivery_before_120_hours_disables_nothing() -> None:
    after = failed(failed(ENDPOINT, 1, 0), 6, 120 * HOUR - 1)
    assert (after.status, after.exhausted) == ("enabled", True)


def test_120_hours_and_an_exhausted_delivery_disable() -> None:
    after = failed(failed(failed(ENDPOINT, 1, 7), 6, 15 * HOUR), 1, 7 + 120 * HOUR)
    assert (after.status, after.disabled_reason) == ("disabled", "deliveries_failing")
    assert after.failing_since == 7
    assert after.last_failure_at == 7 + 120 * HOUR


def test_a_success_starts_the_120_hours_afresh() -> None:
    before = failed(failed(ENDPOINT, 1, 0), 6, 100 * HOUR)
    after = failed(acknowledged(before, 101 * HOUR), 6, 130 * HOUR)
    assert (after.status, after.failing_since) == ("enabled", 130 * HOUR)
    assert after.last_success_at == 101 * HOUR


def test_a_quiet_endpoint_is_not_disabled_by_its_first_outage() -> None:
    quiet = acknowledged(ENDPOINT, 0)
    after = failed(failed(quiet, 1, 1000 * HOUR), 6, 1015 * HOUR)
    assert after.status == "enabled"


def test_a_success_enables_again() -> None:
    disabled = failed(failed(ENDPOINT, 1, 0), 6, 200 * HOUR)
    assert disabled.status == "disabled"
    after = acknowledged(disabled, 201 * HOUR)
    assert (after.status, after.disabled_reason, after.exhausted) == ("enabled", None, False)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 40 * HOUR)), max_size=40),
)
def test_disabled_means_120_hours_of_failures_and_one_exhausted(
    attempts: list[tuple[int, int]],
) -> None:
    endpoint, now = ENDPOINT, 0
    failures: list[tuple[int, int]] = []
    for attempt, pause in attempts:
        now += pause
        if attempt == 0:
            endpoint, failures = acknowledged(endpoint, now), []
        else:
            endpoint = failed(endpoint, attempt, now)
            failures.append((attempt, now))
    long = any(
        now - failures[0][1] >= 120 * HOUR and any(each == 6 for each, _ in failures[: index + 1])
        for index, (_, now) in enumerate(failures)
    )
    assert (endpoint.status == "disabled") == long
