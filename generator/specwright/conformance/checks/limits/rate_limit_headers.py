"""Headers that describe a rate limit (`x-contract-rate-limits`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.recording.record import Violation
from specwright.pointer import join
from specwright.vocabulary.keywords.rate_limit import RATE_LIMIT, RATE_LIMITS

RATE_LIMIT_HEADERS = BehaviourRule(
    "rate-limit-headers",
    BehaviourCategory.LIMITS,
    "The headers for the rate limit are present and correct.",
    example="429 without Retry-After, or a number of remaining requests that does not fall",
    advice="Write the headers from the counter that decides, with each response.",
    judge=judge_shape,
)

_POLICY = re.compile(r'"(?P<name>[^"]*)";q=(?P<quota>\d+);w=(?P<window>\d+)')
STATE = re.compile(r'"(?P<name>[^"]*)";r=(?P<left>\d+);t=(?P<reset>\d+)')


@ResponseCheck
def rate_limit_is_described(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield violations in the headers of the policy, of its state, and of the time to wait."""
    limits, declared = checked.contract.rate_limits, checked.operation.get(RATE_LIMIT)
    response = checked.response
    if limits is None or declared is None or response.status == 401 or checked.declared is None:
        return
    place = join(RATE_LIMITS.name, "headers")
    for header, form in ((limits.headers.policy, _POLICY), (limits.headers.state, STATE)):
        if header is None or not checked.exchange.role:
            continue
        checked.record.check(RATE_LIMIT_HEADERS, place)
        match = form.search(response.header(header.raw) or "")
        if match is None or match["name"] != declared.class_.raw:
            message = f"{header.raw} does not describe the limit"
            yield checked.violation(RATE_LIMIT_HEADERS, place, message)
    if response.status == 429 and limits.headers.retry is not None:
        name = limits.headers.retry.raw
        after = response.header(name) or ""
        classes = {key.raw: limit for key, limit in limits.classes.items()}
        window = classes[declared.class_.raw].window_seconds
        if not after.isdecimal() or not 0 < int(after) <= window:
            message = f"{name} is not between 1 and {window} seconds"
            yield checked.violation(RATE_LIMIT_HEADERS, place, message)
