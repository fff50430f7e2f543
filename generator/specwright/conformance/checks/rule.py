"""The records of rules, which stand beside the code that finds their violations."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from specwright.conformance.checks.verdicts import Repetition, ReplayVerdict
from specwright.conformance.contract.contract import Contract
from specwright.findings import Level, RuleDescription
from specwright.pointer import Pointer


class BehaviourCategory(StrEnum):
    """The category of a rule, in the order of reports."""

    SHAPE = "Behaviour: shape"
    VALIDATION = "Behaviour: validation"
    AUTHENTICATION = "Behaviour: authentication"
    ISOLATION = "Behaviour: isolation"
    STATE = "Behaviour: state"
    IDEMPOTENCY = "Behaviour: idempotency"
    LISTS = "Behaviour: lists"
    LIMITS = "Behaviour: limits"
    WEBHOOKS = "Behaviour: webhooks"
    ROBUSTNESS = "Behaviour: robustness"


class BehaviourRule(str):
    """A rule for a running implementation; as text, it is the id.

    Args:
        why: the behaviour that the rule demands, and its reason.
        example: behaviour that breaks the rule.
        advice: how to fix it.
        level: its level in the recommended profile; in the strict one it is an error.
        weight: how early API teams fix its findings; 0 for those that are not among the first:
            exposed data, server errors, work that is lost or done twice, and responses that
            clients cannot read.
        expected: the response that the rule expects, or a function of the contract and the place
            of a violation that returns it; empty where it is not known.
        judge: judges a repetition of the requests by which it failed; None if they do not suffice.
    """

    def __new__(
        cls,
        id: str,
        category: BehaviourCategory,
        why: str,
        *,
        example: str,
        advice: str,
        level: Level = Level.ERROR,
        weight: int = 0,
        expected: str | Callable[[Contract, Pointer], str] = "",
        judge: Callable[[Repetition], ReplayVerdict] | None = None,
    ) -> BehaviourRule:
        """Create a rule with this id."""
        rule = super().__new__(cls, id)
        rule.category, rule.expected, rule.judge = category, expected, judge
        rule.description = RuleDescription(
            id,
            category,
            why,
            "",
            "",
            level,
            Level.ERROR,
            example=example,
            advice=advice,
            weight=weight,
        )
        return rule

    category: BehaviourCategory
    expected: str | Callable[[Contract, Pointer], str]
    judge: Callable[[Repetition], ReplayVerdict] | None
    description: RuleDescription
