"""Whether there is an implementation at all, before anything is blamed on it."""

from __future__ import annotations

from specwright.conformance.bench.target import Target
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import Exchange
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
    plain = [each for each in safe if not each.template.names] or safe[:1]
    calls = [call for each in plain if (call := next(bench.candidates(each), None)) is not None]
    # A key may lack the permission for some operations, and not for all of them.
    if calls and all(_judge(bench.send(each), target) == 403 for each in calls):
        raise InputError(
            f"{target.base_url} answers 403 to whatever is read", hint="see to what the key may do"
        )


def _judge(exchange: Exchange, target: Target) -> int:
    """The status of an answer that an implementation may give."""
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
    return response.status
