"""Recorded traffic, checked against a contract by the rules for single exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlsplit

from specwright.conformance.checks.requests.undocumented import RecordedRequests
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.exchange import Exchange, HttpRequest
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.runtime.shared.auth.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Traffic:
    """Recorded traffic.

    Attributes:
        record: the requests below the base URL, and the violations in their responses.
        others: the number of requests to other URLs.
    """

    record: Record
    others: int


def watch(contract: Contract, base_urls: Sequence[str], exchanges: Iterable[Exchange]) -> Traffic:
    """Run the monitors on the exchanges with a base URL.

    Args:
        base_urls: that of most operations, then those of the others.
    """
    record, others = Record(), 0
    below = tuple(f"{base_url}/" for base_url in base_urls)
    routes, credential = ContractRoutes(contract, base_urls[0]), Credential.of(contract.document)
    record.monitors = (Monitors(contract, record), RecordedRequests(contract, record, routes))
    places = _places(credential)
    for exchange in exchanges:
        request = exchange.request
        if not request.url.startswith(below):
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


def _texts(request: HttpRequest, schemes: Iterable[Scheme]) -> Iterator[tuple[Scheme, str]]:
    """Yield the texts in the parts of a request that contain credentials."""
    query = parse_qs(urlsplit(request.url).query)
    pairs = [
        cookie.strip().partition("=") for cookie in (request.header("cookie") or "").split(";")
    ]
    for scheme in schemes:
        match scheme.location:
            case "header":
                texts = [request.header(scheme.name) or ""]
            case "cookie":
                texts = [text for name, _, text in pairs if name == scheme.name]
            case _:
                texts = query.get(scheme.name, [])
        yield from ((scheme, text) for text in texts if text)


def _secrets(scheme: Scheme, text: str) -> tuple[str, ...]:
    credential = scheme.read(text)
    return (text,) if credential is None else (*scheme.secrets(credential), text)
