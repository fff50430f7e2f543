"""All rules and scenarios: those that the modules of `checks` define."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

from specwright.conformance import checks
from specwright.conformance.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.scenario import Scenario
from specwright.findings import RuleDescription


def _members() -> Iterator[object]:
    for module in walk_packages(checks.__path__, f"{checks.__name__}."):
        yield from list(vars(import_module(module.name)).values())


_MEMBERS = tuple(_members())
_CATEGORIES = list(BehaviourCategory)
RULES: tuple[BehaviourRule, ...] = tuple(
    sorted(
        {member for member in _MEMBERS if isinstance(member, BehaviourRule)},
        key=lambda rule: (_CATEGORIES.index(rule.category), rule),
    )
)
BY_ID = {str(rule): rule for rule in RULES}
DESCRIPTIONS: tuple[RuleDescription, ...] = tuple(rule.description for rule in RULES)
SCENARIOS: tuple[Scenario, ...] = tuple(
    {member.name: member for member in _MEMBERS if isinstance(member, Scenario)}.values()
)
