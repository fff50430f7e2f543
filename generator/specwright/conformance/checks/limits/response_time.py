"""The time that responses take."""

from __future__ import annotations

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule

RESPONSE_TIME = BehaviourRule(
    "response-time",
    BehaviourCategory.LIMITS,
    "A response is complete within the time in `--max-response-time`.",
    example="GET /items?limit=100 -> 200 after 2.4 s, with --max-response-time 1",
    advice=(
        "Look at the slowest responses in the traffic of the report. The usual fixes are an "
        "index, a smaller page, or work that is done after the response."
    ),
)
