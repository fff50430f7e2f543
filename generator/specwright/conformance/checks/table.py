"""All rules, scenarios and checks of responses that the modules of `checks` define."""

from __future__ import annotations

from specwright.conformance import checks
from specwright.conformance.checks.responses.checked_response import ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import Scenario
from specwright.findings import RuleDescription
from specwright.registry import records

_CATEGORIES = list(BehaviourCategory)
RULES: tuple[BehaviourRule, ...] = tuple(
    sorted(
        records(BehaviourRule, checks),
        key=lambda rule: (_CATEGORIES.index(rule.category), rule),
    )
)
BY_ID = {str(rule): rule for rule in RULES}
DESCRIPTIONS: tuple[RuleDescription, ...] = tuple(rule.description for rule in RULES)
SCENARIOS: tuple[Scenario, ...] = records(Scenario, checks)
RESPONSE_CHECKS: tuple[ResponseCheck, ...] = records(ResponseCheck, checks)
