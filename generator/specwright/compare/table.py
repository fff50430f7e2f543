"""All rules of the review: those that the modules of this package define."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages

from specwright.compare import document, schemas, verdicts
from specwright.compare.verdicts.change_rule import Category, ChangeRule
from specwright.findings import RuleDescription

_CATEGORIES = list(Category)
_RULES = {
    rule
    for package in (document, schemas, verdicts)
    for module in walk_packages(package.__path__, f"{package.__name__}.")
    for member in vars(import_module(module.name)).values()
    for rule in (member.values() if isinstance(member, Mapping) else (member,))
    if isinstance(rule, ChangeRule)
}
RULES: tuple[ChangeRule, ...] = tuple(
    sorted(_RULES, key=lambda rule: (_CATEGORIES.index(rule.category), rule))
)
BY_ID: Mapping[str, ChangeRule] = {str(rule): rule for rule in RULES}
DESCRIPTIONS: tuple[RuleDescription, ...] = tuple(rule.description for rule in RULES)
