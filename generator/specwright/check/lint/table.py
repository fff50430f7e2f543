"""All rules, in the order of the documentation."""

from __future__ import annotations

from specwright.check.lint import (
    contract,
    document,
    examples,
    links,
    names,
    operations,
    patterns,
    schemas,
    unsupported,
    unsupported_schemas,
)
from specwright.check.lint.rule import Rule

RULES: tuple[Rule, ...] = (
    *document.RULES,
    *operations.RULES,
    *schemas.RULES,
    *names.RULES,
    *examples.RULES,
    *links.RULES,
    *contract.RULES,
    *unsupported.RULES,
    *unsupported_schemas.RULES,
    *patterns.RULES,
)
RULE_IDS = frozenset(rule.id for rule in RULES)
