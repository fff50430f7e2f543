"""Recorded traffic, held against a contract by the rules that look at single answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from specwright.conformance.bench.target import MAIN, NOBODY
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import Routes
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.conformance.rules.monitors import Monitors
from specwright.document.security import Credential


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
    for exchange in exchanges:
        request = exchange.request
        if not request.url.startswith(f"{base_url}/"):
            others += 1
            continue
        operation = routes.operation(request.method, request.url)
        is_known = credential is None or request.header(credential.header) is not None
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
    credential = Credential.of(contract.document)
    if credential is None:
        return set()
    found = (each.request.header(credential.header) for each in exchanges)
    return {value.removeprefix(credential.prefix) for value in found if value}
