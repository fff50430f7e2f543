"""Recorded traffic, held against a contract by the rules that look at single answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlsplit

from specwright.conformance.bench.roles import MAIN, NOBODY
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import Routes
from specwright.conformance.recording.exchange import Exchange, Request
from specwright.conformance.recording.record import Record
from specwright.conformance.rules.monitors import Monitors
from specwright.document.security import Credential
from specwright.runtime.shared.auth.http_client import ByHTTPClient
from specwright.runtime.shared.auth.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Traffic:
    """What was recorded.

    Attributes:
        record: the requests below the base URL, and what their answers break.
        others: how many requests went elsewhere.
    """

    record: Record
    others: int


def watch(contract: Contract, base_url: str, exchanges: Iterable[Exchange]) -> Traffic:
    """Let the monitors look at what went to a base URL."""
    record, others = Record(), 0
    record.monitors = (Monitors(contract, record),)
    routes, credential = Routes(contract, base_url), Credential.of(contract.document)
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
                role=MAIN if is_known else NOBODY,
                operation=None if operation is None else operation.pointer,
            )
        )
    return Traffic(record, others)


def credentials(contract: Contract, exchanges: Iterable[Exchange]) -> set[str]:
    """The keys in recorded requests."""
    places = _places(Credential.of(contract.document))
    return {
        secret
        for each in exchanges
        for scheme, text in _texts(each.request, places)
        for secret in _secrets(scheme, text)
    }


def _places(credential: Credential | None) -> list[Scheme]:
    """The schemes that have a part of a request for their credentials."""
    known = credential.schemes.values() if credential is not None else ()
    return [each for each in known if not isinstance(each, ByHTTPClient)]


def _texts(request: Request, schemes: Iterable[Scheme]) -> Iterator[tuple[Scheme, str]]:
    """The texts in the parts of a request that hold credentials."""
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
