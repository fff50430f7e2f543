"""Requests that make the server fail, or that get no response."""

from __future__ import annotations

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_any_response, judge_status
from specwright.runtime.shared import rule_ids

SERVER_ERROR = BehaviourRule(
    rule_ids.SERVER_ERROR,
    BehaviourCategory.ROBUSTNESS,
    "No request makes the server fail.",
    example="POST /items with a single emoji as the name -> 500",
    advice=(
        "Look for the traceback in the log of the server at the time of the request. Any request "
        "must either succeed or be refused with 4xx."
    ),
    weight=18,
    judge=judge_status,
    expected="a success, or a 4xx error",
)
NO_RESPONSE = BehaviourRule(
    "no-answer",
    BehaviourCategory.ROBUSTNESS,
    "Every request gets a response in time, with a body that is encoded as its headers say.",
    example="GET /report -> the connection is closed without a response",
    advice=(
        "Check whether the process crashed, was restarted or waits without a limit; set timeouts "
        "on its own requests. Send Content-Encoding only with a body that has this encoding."
    ),
    weight=17,
    judge=judge_any_response,
    expected="a response",
)
