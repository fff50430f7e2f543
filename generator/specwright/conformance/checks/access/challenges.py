"""Challenges: how a response to a request without credentials asks for them."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.recording.record import Violation
from specwright.findings import Level

CHALLENGE = BehaviourRule(
    "challenge",
    BehaviourCategory.AUTHENTICATION,
    "A response with 401 has a challenge in WWW-Authenticate (RFC 9110, 15.5.2).",
    example="GET /invoices without a token -> 401 without WWW-Authenticate",
    advice="Send `WWW-Authenticate` with the scheme, such as `Bearer`, with every 401.",
    level=Level.WARNING,
)

# Security schemes with a scheme of HTTP; API keys have none.
_OF_HTTP = frozenset(("http", "oauth2", "openIdConnect"))


@ResponseCheck
def has_challenge(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation if a 401 has no challenge, and its credentials are those of HTTP."""
    scheme = checked.operation.scheme
    if checked.response.status != 401 or scheme is None:
        return
    if scheme.value.get("type") not in _OF_HTTP:
        return
    checked.record.check(CHALLENGE, checked.operation.pointer)
    if checked.response.header("www-authenticate") is None:
        message = "a 401 has no WWW-Authenticate"
        yield checked.violation(CHALLENGE, checked.operation.pointer, message)
