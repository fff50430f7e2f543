"""Successful requests of recorded traffic, which the document must declare and allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED, accepted_request
from specwright.conformance.checks.requests.validity import RequestJudge
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record, Violation
from specwright.document.operations.sites import essence
from specwright.findings import Level, values_of
from specwright.pointer import join

UNDOCUMENTED_OPERATION = BehaviourRule(
    "undocumented-operation",
    BehaviourCategory.SHAPE,
    "Recorded traffic uses only operations that the document declares, unless they fail.",
    example="GET /internal/users -> 200, and the document has no such path",
    advice=(
        "Declare the operation if clients are to use it. If they are not, close it to them, or "
        "record the traffic without it."
    ),
    level=Level.WARNING,
)

# Methods that browsers and proxies send on their own.
_UNASKED = frozenset({"HEAD", "OPTIONS", "TRACE"})
# Media types of web pages and their parts, which do not concern an API.
_OF_PAGES = re.compile(r"text/(html|css|javascript)|application/javascript|(image|font)/.*")
# Path segments that are probably ids.
_ID = re.compile(r"[0-9]+|[0-9a-fA-F-]{16,}|(?=.*[0-9])[^/]{12,}")


class RecordedRequests:
    """A monitor of successful requests, which a contract must declare and allow."""

    def __init__(self, contract: Contract, record: Record, routes: ContractRoutes) -> None:
        self._contract = contract
        self._record = record
        self._routes = routes
        self._judge = RequestJudge(contract.document, routes)

    def __call__(self, exchange: Exchange) -> list[Violation]:
        if not exchange.succeeded:
            return []
        operation = self._contract.operations.get(exchange.operation or "")
        if operation is None:
            return list(self._undocumented(exchange))
        request = exchange.request
        # The request had a body that was not recorded.
        if request.body is None and request.header("content-type") is not None:
            return []
        self._record.check(INVALID_ACCEPTED, operation.pointer)
        faults = self._judge.judge(operation.site, request).faults
        return [accepted_request(self._contract, operation, exchange, fault) for fault in faults]

    def _undocumented(self, exchange: Exchange) -> Iterator[Violation]:
        request, response = exchange.request, exchange.response
        media_type = essence((response and response.header("content-type")) or "")
        if (
            request.method in _UNASKED
            or _OF_PAGES.fullmatch(media_type)
            or self._routes.is_uncalled(request.method, request.url)
        ):
            return
        known = self._routes.path(request.url)
        path = urlsplit(request.url).path
        shape = "/".join(
            "{id}" if _ID.fullmatch(segment) else segment for segment in path.split("/")
        )
        asked = f"{request.method} {shape if known is None else known[0]}"
        place = join("paths") if known is None else join("paths", known[0])
        message = f"{asked} was answered {response and response.status}"
        cause = f"{asked} is not in the document"
        rule, values = UNDOCUMENTED_OPERATION, values_of(asked)
        yield Violation(rule, place, message, (exchange,), cause, values=values)
