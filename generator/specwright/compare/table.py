"""All rules of the review: those that the modules of this package define."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare import document, schemas, verdicts
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.findings import RuleDescription
from specwright.registry import records

_CATEGORIES = list(ChangeCategory)
RULES: tuple[ChangeRule, ...] = tuple(
    sorted(
        records(ChangeRule, document, schemas, verdicts),
        key=lambda rule: (_CATEGORIES.index(rule.category), rule),
    )
)
BY_ID: Mapping[str, ChangeRule] = {str(rule): rule for rule in RULES}
DESCRIPTIONS: tuple[RuleDescription, ...] = tuple(rule.description for rule in RULES)
