"""All lint rules: those that the modules of this package define."""

from __future__ import annotations

from specwright.check import lint
from specwright.check.lint.rule import Category, LintRule
from specwright.registry import records

_CATEGORIES = list(Category)
RULES: tuple[LintRule, ...] = tuple(
    sorted(records(LintRule, lint), key=lambda rule: _CATEGORIES.index(Category(rule.category)))
)
RULE_IDS = frozenset(rule.id for rule in RULES)
