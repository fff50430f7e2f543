"""The steps of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from specwright.conformance.checks.scenario import Step, in_order
from specwright.conformance.checks.table import SCENARIOS
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT
from specwright.conformance.run import Budget, RunProfile, begin
from specwright.vocabulary.keywords.charge import CHARGE
from tests.conformance.notes import notes_driver


def test_a_step_comes_directly_after_the_one_that_it_names() -> None:
    def scenarios(**after: str) -> list[Step]:
        return [Step(name, before) for name, before in after.items()]

    chain = scenarios(explore="", lists="explore", sorting="lists", finish="sorting")
    (new,) = scenarios(new="lists")
    for steps in ([new, *chain], [*chain, new]):
        names = [step.name for step in in_order(steps)]
        assert names == ["explore", "lists", "new", "sorting", "finish"]
    with pytest.raises(ValueError, match="nowhere"):
        list(in_order(scenarios(explore="", lists="nowhere")))


def test_a_scenario_without_the_keyword_that_it_needs_has_no_time(tmp_path: Path) -> None:
    with notes_driver(tmp_path) as made:
        run = begin(made.contract, made.target, RunProfile.QUICK, 0, max_time=1)
        run.go()
        assert not any(made.contract.declaring(CHARGE))
    charging = {each.name for each in SCENARIOS if each.needs is CHARGE}
    assert charging == {"charges", "conservation"}
    assert not charging & set(run.budget.steps)


@pytest.mark.parametrize(
    ("roles", "order"),
    [
        ([MAIN], ["fuzzing", "webhooks", "transitions"]),
        # The second partner's webhooks are watched from the beginning, and waited for at the end.
        ([MAIN, OTHER_TENANT], ["fuzzing", "transitions", "webhooks"]),
    ],
)
def test_one_partner_watches_webhooks_while_another_one_does_the_rest(
    tmp_path: Path, roles: list[str], order: list[str]
) -> None:
    with notes_driver(tmp_path) as made:
        made.target.keys = dict.fromkeys(roles, "key")
        run = begin(made.contract, made.target, RunProfile.QUICK, 0, max_time=1)
        run.go()
    assert [step for step in run.budget.steps if step in order] == order


def test_steps_share_the_time_that_is_left() -> None:
    budget = Budget(60, is_fixed=True)
    of = 6
    budget.begin({"windows": 1, "isolation": of, "routes": 1})
    shares = [budget.share(step) for step in budget.steps]
    assert shares == pytest.approx([60 / (2 + of), 60 * of / (1 + of), 60], abs=1)


def test_without_a_limit_no_step_has_one() -> None:
    budget = Budget(None)
    budget.begin({"windows": 1})
    assert budget.share("windows") is None


def test_a_step_has_some_time_unless_the_user_has_chosen_that_of_the_run() -> None:
    for is_fixed, seconds in ((False, 10.0), (True, 0.0)):
        budget = Budget(0, is_fixed=is_fixed)
        budget.begin({"sorting": 1, "uniqueness": 1})
        assert budget.share("uniqueness") == seconds


def test_a_step_ends_with_its_share_of_the_time(tmp_path: Path) -> None:
    with notes_driver(tmp_path) as made:
        run = begin(made.contract, made.target, RunProfile.QUICK, 0)
        run.budget = Budget(0, is_fixed=True)
        run.go()
    assert {"explore", "lists"} <= set(run.budget.cut)


def test_what_another_tenant_sees_is_not_used_for_the_first(tmp_path: Path) -> None:
    with notes_driver(tmp_path) as made:
        made.target.keys = dict.fromkeys([MAIN, OTHER_TENANT], "key")
        operation = next(each for each in made.contract.operations.values() if each.is_safe)
        call = next(made.candidates(operation))
        assert made.send(call, OTHER_TENANT).succeeded
        assert not made.successes
        assert made.send(call).succeeded
        assert operation.pointer in made.successes
