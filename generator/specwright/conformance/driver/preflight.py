"""The check before a run that the target is an implementation of the document."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from urllib.parse import SplitResult, urlsplit

from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import ANONYMOUS
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.servers import all_servers
from specwright.document.operations.sites import Site
from specwright.errors import InputError

SOURCE = "preflight"

# The most operations to call until one responds as the document says.
_MOST = 8
_NOT_THERE = "start it, or check the URL"
# The kind of an error and its number, in front of the words of the system.
_NUMBER = re.compile(r"^\w+: \[Errno -?\d+\] ")
_WORDS = {
    os.strerror(errno.ECONNREFUSED): "nothing listens there",
    "Name or service not known": "the name of the host is unknown",
    "Temporary failure in name resolution": "the name of the host cannot be resolved",
}
# Hints by text in TLS errors, more specific ones first.
_HINTS = {
    "CERTIFICATE": "its certificate is not trusted: set SSL_CERT_FILE to the file of its CA",
    "SSL": "does it speak TLS on this port? if not, the URL begins with http://",
}
# Common base paths, for documents that do not declare one.
_PREFIXES = ("/api", "/v1", "/api/v1", "/v2", "/api/v2")


class ElsewhereError(InputError):
    """The API is not at the base URL that was named, but at another one of the same server.

    Attributes:
        url: that base URL.
        is_declared: whether the document has a server with this path.
    """

    def __init__(self, message: str, url: str, *, is_declared: bool) -> None:
        super().__init__(message, hint=f"the API is found below {url}")
        self.url = url
        self.is_declared = is_declared


def reach(contract: Contract, target: TargetServer) -> None:
    """Ensure that an implementation of the document responds and accepts the key.

    Raises:
        ElsewhereError: the API is at another base URL of the server.
        InputError: nothing responds, the key is refused, or another server responds.
    """
    driver = Driver(contract, target, SOURCE)
    calls = list(_calls(driver))
    exchanges: list[Exchange] = []
    # Those with the declared response for what is missing, as frameworks may send for any path.
    missing: list[OperationCall] = []
    for call in calls:
        exchange = driver.send(call)
        exchanges.append(exchange)
        is_single = exchange.is_undecodable or call.operation.pointer in target.hanging
        if exchange.response is None and not is_single:
            break
        if exchange.response is not None and exchange.response.status == 429:
            break
        if _is_answer(contract, exchange):
            if exchange.response is not None and exchange.response.status == 404:
                missing.append(call)
            else:
                return
    if missing:
        _refuse_elsewhere(driver, missing[0])
    elif exchanges:
        _refuse(driver, calls[0], exchanges)


def _calls(driver: Driver) -> Iterator[OperationCall]:
    """Yield calls of safe operations, without path variables if possible."""
    safe = [operation for operation in driver.contract.operations.values() if operation.is_safe]
    plain = [operation for operation in safe if not operation.template.names] or safe[:1]
    candidates = (next(driver.candidates(operation), None) for operation in plain)
    calls = [call for call in candidates if call is not None]
    # In a large document, the first operations need not be typical ones.
    yield from calls[:: max(len(calls) // _MOST, 1)][:_MOST]


def _is_answer(contract: Contract, exchange: Exchange) -> bool:
    """Return whether a response is from an implementation of the document, right or wrong."""
    response, operation = exchange.response, contract.operations[exchange.operation or ""]
    if response is None:
        return False
    declared = operation.response(response.status)
    kinds = [kind for kind, _ in sites.contents(contract.document, declared)] if declared else []
    kind = sites.essence(response.header("content-type") or "")
    is_declared = kind in map(sites.essence, kinds)
    match response.status:
        case 401:
            return not exchange.role
        case 403:
            return False
        case 404:
            # Frameworks also respond so to unknown paths, but with a body of their own.
            is_own = is_declared and declared is not None and _fits(contract, declared, response)
            return bool(operation.template.names) or is_own
        case _:
            return kind != "text/html" or is_declared


def _fits(contract: Contract, declared: Site, response: HttpResponse) -> bool:
    schema = contract.schema_of(declared)
    value = response.json_or_none
    return schema is not None and not any(contract.instances.problems(schema, value))


def in_words(failure: str) -> str:
    """Return the reason for a request without a response, in words about the target.

    Args:
        failure: the kind and the text of the error.
    """
    text = _NUMBER.sub("", failure)
    return _WORDS.get(text, text)


def _refuse(driver: Driver, first: OperationCall, exchanges: Sequence[Exchange]) -> None:
    """Raise an error with the reason why there is nothing to test.

    Raises:
        InputError: always.
    """
    url, last = driver.target.base_url, exchanges[-1]
    statuses = [exchange.response.status for exchange in exchanges if exchange.response is not None]
    if last.is_undecodable:
        name = driver.contract.name_of(last)
        hint = "check the compression of the server, or of a proxy in front of it"
        raise InputError(f"{name} at {url}: {last.failure}", hint=hint)
    if last.response is None:
        failure = str(last.failure)
        hint = next((hint for sign, hint in _HINTS.items() if sign in failure), _NOT_THERE)
        raise InputError(f"{url} does not respond: {in_words(failure)}", hint=hint)
    if last.response.status == 429:
        raise InputError(
            f"{url} returned 429 to the first request", hint="wait, or use a key with higher limits"
        )
    if 401 in statuses:
        raise InputError(f"{url} refuses the key with 401", hint="check the variable and the key")
    if 403 in statuses:
        raise InputError(
            f"{url} returns 403 for every read", hint="check the permissions of the key"
        )
    is_missing = 404 in statuses
    behaviour = "returns 404 for every read" if is_missing else "returns a web page"
    _look_elsewhere(driver, first, f"{url} {behaviour}")
    raise InputError(f"{url} {behaviour}", hint="is this the base URL of the API?")


def _refuse_elsewhere(driver: Driver, call: OperationCall) -> None:
    """Raise an error if the API is at a base path that the document declares, and not here.

    Raises:
        ElsewhereError: it is there.
    """
    parts = urlsplit(driver.target.base_url)
    for path in declared_paths(driver.contract.document):
        exchange = None if path == parts.path.rstrip("/") else _try(driver, call, path)
        status = exchange.response.status if exchange and exchange.response else 404
        if exchange is not None and status != 404 and _is_answer(driver.contract, exchange):
            message = f"{driver.target.base_url} returns 404 for every read"
            raise ElsewhereError(message, _at(parts, path), is_declared=True)


def _look_elsewhere(driver: Driver, call: OperationCall, message: str) -> None:
    """Raise an error if the API is found at a declared base path, or at a common one.

    Raises:
        ElsewhereError: it is there.
    """
    parts = urlsplit(driver.target.base_url)
    own, declared = parts.path.rstrip("/"), declared_paths(driver.contract.document)
    usual = [place + prefix for place in dict.fromkeys(["", own]) for prefix in _PREFIXES]
    for path in dict.fromkeys([*declared, "", *usual]):
        if _is_answer(driver.contract, _try(driver, call, path)):
            raise ElsewhereError(message, _at(parts, path), is_declared=path in declared)


def _at(parts: SplitResult, path: str) -> str:
    return f"{parts.scheme}://{parts.netloc}{path}"


def declared_paths(document: Document) -> list[str]:
    """Return the base paths of the declared servers, each once."""
    urls = [server.url for server in all_servers(document)]
    return [*dict.fromkeys(urlsplit(url).path.rstrip("/") for url in urls if "{" not in url)]


def _try(driver: Driver, call: OperationCall, path: str) -> Exchange:
    """Send a call without credentials below another base path."""
    parts = urlsplit(driver.target.base_url)
    url = _at(parts, path) + call.path
    request = HttpRequest(call.operation.method, url, (("Accept", "application/json"),))
    return driver.target.send(request, SOURCE, call.operation.pointer, ANONYMOUS)
