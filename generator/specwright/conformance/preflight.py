"""Whether there is an implementation at all, before anything is blamed on it."""

from __future__ import annotations

from specwright.conformance.contract import Contract
from specwright.conformance.exchange import Exchange
from specwright.conformance.target import Target
from specwright.conformance.workbench import Workbench
from specwright.document import sites
from specwright.errors import InputError

SOURCE = "preflight"

_NOT_THERE = "start it, or see to the URL"
# What failures of TLS say, the more exact ones first.
_HINTS = {
    "CERTIFICATE": "its certificate is not trusted: set SSL_CERT_FILE to the file of its CA",
    "SSL": "does it speak TLS on this port? if not, the URL begins with http://",
}


def reach(contract: Contract, target: Target) -> None:
    """Make sure that there is an implementation, and that it takes the key.

    Raises:
        InputError: there is none, or what answers is something else.
    """
    bench = Workbench(contract, target, SOURCE)
    safe = [each for each in contract.operations.values() if each.is_safe]
    plain = [each for each in safe if not each.template.names] or safe
    for operation in plain[:1]:
        call = next(bench.candidates(operation), None)
        if call is not None:
            _judge(bench.send(call), target)


def _judge(exchange: Exchange, target: Target) -> None:
    response = exchange.response
    if response is None:
        failure = str(exchange.failure)
        hint = next((hint for sign, hint in _HINTS.items() if sign in failure), _NOT_THERE)
        raise InputError(f"{target.base_url} does not answer: {failure}", hint=hint)
    if response.status == 401 and exchange.role:
        raise InputError(
            f"{target.base_url} refuses the key with 401", hint="see to the variable and the key"
        )
    if response.status == 429:
        raise InputError(
            f"{target.base_url} answers 429 to the first request",
            hint="wait, or use a key with higher limits",
        )
    if sites.essence(response.header("content-type") or "") == "text/html":
        raise InputError(
            f"{target.base_url} answers with a web page", hint="is this the base URL of the API?"
        )
