"""Requests that carry no credentials, or wrong ones."""

from __future__ import annotations

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.bench.target import MISNAMED, NOBODY, STRANGER
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.judging.credentials import ignored


def credentials(bench: Workbench) -> None:
    """Call every operation that asks for a credential without one, and with a wrong one."""
    for operation in bench.contract.operations.values():
        if operation.scheme is None:
            continue
        call = bench.made[operation.pointer][0] if operation.pointer in bench.made else None
        call = call or next(bench.candidates(operation), None)
        if call is None:
            reason = "no request could be made"
            bench.target.record.skip(Behaviour.CREDENTIALS_IGNORED, operation.pointer, reason)
            continue
        for role, how in _strangers(bench).items():
            exchange = bench.send(call, role)
            bench.target.record.check(Behaviour.CREDENTIALS_IGNORED, operation.pointer)
            response = exchange.response
            # Statuses by which other interfaces hide that there is anything (RFC 9110, 15.5.4).
            refused = (401,) if operation.response(401) is not None else (401, 403, 404)
            if response is not None and response.status not in (*refused, 429):
                bench.target.record.violate(
                    ignored(operation.name, operation.pointer, exchange, how)
                )
                break


def _strangers(bench: Workbench) -> dict[str, str]:
    roles = {NOBODY: "without credentials", STRANGER: "with a wrong key"}
    credential = bench.target.credential
    if credential is not None and credential.prefix:
        roles[MISNAMED] = "with the right key under another scheme"
    return roles
