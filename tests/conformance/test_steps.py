"""The steps of a run."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

from specwright.conformance import checks
from specwright.conformance.checks.idempotency.used_keys import refusals
from specwright.conformance.checks.requests.examples import examples
from specwright.conformance.checks.requests.explore import renew
from specwright.conformance.driver.budget import SHARES, Budget
from specwright.conformance.driver.roles import MAIN, OTHER
from specwright.conformance.fuzzing.source import SOURCE as FUZZING
from specwright.conformance.run import FIRST_SCENARIOS, LATE_SCENARIOS, RunProfile, begin
from tests.conformance.notes import bench

# A helper of scenarios, and two scenarios that run beside fuzzing.
OTHERS = {renew, examples, refusals}


def test_every_scenario_is_a_step() -> None:
    found = {
        function
        for module in pkgutil.walk_packages(checks.__path__, f"{checks.__name__}.")
        for name, function in inspect.getmembers(importlib.import_module(module.name))
        if inspect.isfunction(function)
        and not name.startswith("_")
        and inspect.getfullargspec(function).args == ["bench"]
        and inspect.getfullargspec(function).annotations["return"] == "None"
    }
    assert found == {*FIRST_SCENARIOS.values(), *LATE_SCENARIOS.values()} | OTHERS


@pytest.mark.parametrize(
    ("roles", "order"),
    [
        ([MAIN], ["fuzzing", "webhooks", "transitions"]),
        # The second partner's webhooks are watched from the beginning, and waited for at the end.
        ([MAIN, OTHER], ["fuzzing", "transitions", "webhooks"]),
    ],
)
def test_one_partner_watches_webhooks_while_another_one_does_the_rest(
    tmp_path: Path, roles: list[str], order: list[str]
) -> None:
    with bench(tmp_path) as made:
        made.target.keys = dict.fromkeys(roles, "key")
        run = begin(made.contract, made.target, RunProfile.QUICK, 0, max_time=1)
        run.go()
    assert [step for step in run.budget.steps if step in order] == order


def test_all_shares_are_of_steps() -> None:
    assert SHARES.keys() <= {*FIRST_SCENARIOS, FUZZING, *LATE_SCENARIOS}


def test_steps_share_the_time_that_is_left() -> None:
    budget = Budget(60)
    budget.begin(["windows", "isolation", "routes"])
    shares = [budget.share(step) for step in budget.steps]
    of = SHARES["isolation"]
    assert shares == pytest.approx([60 / (2 + of), 60 * of / (1 + of), 60], abs=1)


def test_without_a_limit_no_step_has_one() -> None:
    budget = Budget(None)
    budget.begin(["windows"])
    assert budget.share("windows") is None
