"""Recorded traffic, checked against a contract by the rules for single exchanges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlsplit

from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED, accepted_request
from specwright.conformance.checks.requests.validity import RequestJudge
from specwright.conformance.checks.responses.monitors import Monitors
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.recording.exchange import Exchange, Request
from specwright.conformance.recording.record import Record, Violation
from specwright.document.operations.security import Credential
from specwright.document.operations.sites import essence
from specwright.findings import Level
from specwright.pointer import join
from specwright.runtime.shared.auth.scheme import Scheme

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


@dataclass(frozen=True, slots=True)
class Traffic:
    """Recorded traffic.

    Attributes:
        record: the requests below the base URL, and the violations in their responses.
        others: the number of requests to other URLs.
    """

    record: Record
    others: int


def watch(contract: Contract, base_url: str, exchanges: Iterable[Exchange]) -> Traffic:
    """Run the monitors on the exchanges with a base URL."""
    record, others = Record(), 0
    routes, credential = ContractRoutes(contract, base_url), Credential.of(contract.document)
    record.monitors = (Monitors(contract, record), _Requests(contract, record, routes))
    places = _places(credential)
    for exchange in exchanges:
        request = exchange.request
        if not request.url.startswith(f"{base_url}/"):
            others += 1
            continue
        operation = routes.operation(request.method, request.url)
        is_known = not places or any(True for _ in _texts(request, places))
        record.add(
            replace(
                exchange,
                role=MAIN if is_known else ANONYMOUS,
                operation=None if operation is None else operation.pointer,
            )
        )
    return Traffic(record, others)


class _Requests:
    """A monitor of successful requests: the document must declare and allow them."""

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
        shape = "/".join("{id}" if _ID.fullmatch(each) else each for each in path.split("/"))
        asked = f"{request.method} {shape if known is None else known[0]}"
        place = join("paths") if known is None else join("paths", known[0])
        message = f"{asked} was answered {response and response.status}"
        cause = f"{asked} is not in the document"
        yield Violation(UNDOCUMENTED_OPERATION, place, message, (exchange,), cause)


def credentials(contract: Contract, exchanges: Iterable[Exchange]) -> set[str]:
    """Return the keys in recorded requests."""
    places = _places(Credential.of(contract.document))
    return {
        secret
        for exchange in exchanges
        for scheme, text in _texts(exchange.request, places)
        for secret in _secrets(scheme, text)
    }


def _places(credential: Credential | None) -> list[Scheme]:
    """Return the schemes that have a place for their credentials in a request."""
    known = credential.schemes.values() if credential is not None else ()
    return [scheme for scheme in known if scheme.is_sent]


def _texts(request: Request, schemes: Iterable[Scheme]) -> Iterator[tuple[Scheme, str]]:
    """Yield the texts in the parts of a request that contain credentials."""
    query = parse_qs(urlsplit(request.url).query)
    pairs = [each.strip().partition("=") for each in (request.header("cookie") or "").split(";")]
    for scheme in schemes:
        match scheme.location:
            case "header":
                found = [request.header(scheme.name) or ""]
            case "cookie":
                found = [text for name, _, text in pairs if name == scheme.name]
            case _:
                found = query.get(scheme.name, [])
        yield from ((scheme, text) for text in found if text)


def _secrets(scheme: Scheme, text: str) -> tuple[str, ...]:
    credential = scheme.read(text)
    return (text,) if credential is None else (*scheme.secrets(credential), text)
