"""The reach of fuzzing."""

from __future__ import annotations

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.findings import Level

NOTHING_FUZZED = BehaviourRule(
    "nothing-fuzzed",
    BehaviourCategory.ROBUSTNESS,
    (
        "Fuzzing sends requests to at least one operation. A run in which it reaches none has "
        "tested less than it seems."
    ),
    example="Fuzzing: reached 0 of 20 operations",
    advice=(
        "Give the run more time with `--max-time`, and see in the report which operations do not "
        "respond in time. If each of them does, it is a bug of this program: please report it."
    ),
    level=Level.WARNING,
)
