"""Every rule finds its own bad pair and is silent about its good one."""

from pathlib import Path

import pytest

from specwright import compare
from specwright.compare.table import BY_ID, DESCRIPTIONS
from specwright.compare.verdicts.change_rule import (
    BREAKING,
    DOCUMENT_REMOVED,
    SDK_BROKEN,
    ChangeCategory,
    ChangeRule,
)
from specwright.findings import Level, RuleDescription
from specwright.registry import records

from .documents import breaking, changes, parts, report

RULES = [rule for rule in DESCRIPTIONS if rule.bad]
# A change of name is one that goes and one that comes.
COMPANIONS = {"added", "operation-added"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_its_bad_pair_once_and_nothing_else(
    rule: RuleDescription, tmp_path: Path
) -> None:
    found = [change.rule for change in changes(report(tmp_path, *parts(rule.bad)))]
    assert found.count(rule.id) == 1
    assert set(found) <= {rule.id} | COMPANIONS


@pytest.mark.parametrize(
    "rule", [each for each in RULES if each.category in BREAKING], ids=lambda rule: rule.id
)
def test_a_break_has_a_way_around_it_from_the_same_document(
    rule: RuleDescription, tmp_path: Path
) -> None:
    assert rule.instead.endswith(".")
    (base, found), (same, instead) = parts(rule.bad), parts(rule.good)
    assert same == base
    assert instead not in (base, found)
    assert breaking(changes(report(tmp_path, base, instead))) == []


def test_what_breaks_nobody_needs_no_way_around_it() -> None:
    others = [rule for rule in RULES if rule.category not in BREAKING]
    assert [each.id for each in others if each.instead or each.good] == []


def test_rules_without_an_example_are_not_about_one_pair_of_documents() -> None:
    others = {
        rule.id for rule in DESCRIPTIONS if not rule.bad and rule.category != ChangeCategory.REVIEW
    }
    assert others == {DOCUMENT_REMOVED, SDK_BROKEN}


def test_rules_have_ids_of_their_own_and_every_category_has_rules() -> None:
    assert len({rule.id for rule in DESCRIPTIONS}) == len(DESCRIPTIONS)
    assert {rule.category for rule in DESCRIPTIONS} == set(ChangeCategory)


def test_what_breaks_is_an_error_and_nothing_else_is() -> None:
    levels = {rule.category: rule.recommended for rule in RULES}
    assert {level for level in levels if levels[level] is Level.ERROR} == BREAKING
    assert levels[ChangeCategory.SERVER_SOURCE] is levels[ChangeCategory.COMPATIBLE] is Level.INFO


def test_the_table_has_the_rules_of_every_module() -> None:
    assert set(records(ChangeRule, compare)) == set(BY_ID.values())
