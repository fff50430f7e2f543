"""Responses that show internals of a server, or that caches show to others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.recording.record import Violation
from specwright.findings import Level, values_of

INTERNALS_SHOWN = BehaviourRule(
    "internals-shown",
    BehaviourCategory.ROBUSTNESS,
    "An error does not show a stack trace or a message of the database (OWASP API8:2023).",
    example='GET /items/%27 -> 500 {"detail": "sqlite3.OperationalError: near \\"…\\""}',
    advice="Log the exception, and return an error without it. Switch off debug mode.",
    level=Level.WARNING,
    weight=9,
)
SHARED_CACHE = BehaviourRule(
    "shared-cache",
    BehaviourCategory.ISOLATION,
    "A response to a request with credentials is not for shared caches (RFC 9111, 3.5).",
    example="GET /invoices/7 with a key -> 200 with Cache-Control: public, max-age=60",
    advice="Send `Cache-Control: private` or `no-store` where the response depends on the caller.",
    level=Level.WARNING,
    weight=9,
)

# What each shows, with a pattern for its text.
_INTERNALS = {
    "a stack trace": re.compile(
        r"Traceback \(most recent call last\)|\bFile \"[^\"\n]+\.py\", line \d+"
        r"|\n\s+at [\w$.<>]+ ?\([^)\n]*:\d+(:\d+)?\)|\bat [\w.$]+\([\w]+\.(java|kt|scala):\d+\)"
        r"|\.go:\d+ \+0x|#\d+ /[^\n]+\.php\(\d+\)|\.rb:\d+:in [`']"
    ),
    "a message of the database": re.compile(
        r"SQLSTATE\[|\bORA-\d{5}\b|syntax error at or near|You have an error in your SQL syntax"
        r"|(sqlite3|psycopg2?|pymysql|asyncpg)\.[\w.]*(Error|Exception|Violation)|SQLITE_[A-Z]{4,}"
        r"|\bPG::\w+|(duplicate key value|violates \w[\w-]* constraint)|UNIQUE constraint failed"
    ),
}
_MOST_BYTES = 100_000
_SHARED = re.compile(r"(?:^|,)\s*(public|s-maxage)\b", re.IGNORECASE)


@ResponseCheck
def hides_internals(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation if an error shows a stack trace or a message of the database."""
    if checked.response.status < 400:
        return
    checked.record.check(INTERNALS_SHOWN, checked.operation.pointer)
    text = checked.response.body[:_MOST_BYTES].decode("utf-8", "replace")
    # A JSON text has the line breaks of a trace as two characters.
    text = text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    for what, pattern in _INTERNALS.items():
        if pattern.search(text):
            message = f"an error shows {what}"
            yield checked.violation(
                *(INTERNALS_SHOWN, checked.operation.pointer, message, message, values_of(what))
            )


@ResponseCheck
def is_private(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation if shared caches may keep a response to a request with credentials."""
    operation, response = checked.operation, checked.response
    is_cached = operation.method == "GET" and response.is_success
    if not is_cached or operation.scheme is None or not checked.exchange.role:
        return
    checked.record.check(SHARED_CACHE, operation.pointer)
    vary = {name.strip().lower() for name in (response.header("vary") or "").split(",")}
    shared = _SHARED.search(response.header("cache-control") or "")
    if shared and vary.isdisjoint({"authorization", "cookie", "*"}):
        message = f"Cache-Control is {shared[1].lower()}, and the request has credentials"
        cause = "shared caches may keep responses to requests with credentials"
        yield checked.violation(SHARED_CACHE, operation.pointer, message, cause)
