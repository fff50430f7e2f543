"""Every rule finds its own bad pair and is silent about its good one."""

from pathlib import Path

import pytest

from specwright.compare.verdicts.change_rules import BREAKING, Category
from specwright.compare.verdicts.rule_table import DESCRIPTIONS, RULES
from specwright.findings import Level, RuleDescription

from .documents import changes, parts, report

# A change of name is one that goes and one that comes.
COMPANIONS = {"added", "operation-added"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_its_bad_pair_once_and_nothing_else(
    rule: RuleDescription, tmp_path: Path
) -> None:
    found = [each.rule for each in changes(report(tmp_path, *parts(rule.bad)))]
    assert found.count(rule.id) == 1
    assert set(found) <= {rule.id} | COMPANIONS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_silent_about_its_good_pair(rule: RuleDescription, tmp_path: Path) -> None:
    assert rule.id not in [each.rule for each in changes(report(tmp_path, *parts(rule.good)))]


def test_rules_have_ids_of_their_own_and_every_category_has_rules() -> None:
    assert len({rule.id for rule in DESCRIPTIONS}) == len(DESCRIPTIONS)
    assert {rule.category for rule in DESCRIPTIONS} == set(Category)


def test_what_breaks_is_an_error_and_nothing_else_is() -> None:
    levels = {rule.category: rule.recommended for rule in RULES}
    assert {each for each in levels if levels[each] is Level.ERROR} == BREAKING
    assert levels[Category.SERVER_SOURCE] is levels[Category.COMPATIBLE] is Level.INFO
