"""Requests without credentials, or with wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from specwright.conformance.checks.access.ignored_credentials import CREDENTIALS_IGNORED, ignored
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import (
    ANONYMOUS,
    CASE_SWAPPED,
    MAIN,
    SUFFIXED,
    UNKNOWN_KEY,
    WRONG_SCHEME,
)
from specwright.conformance.recording.exchange import Exchange

_WORDS = {
    UNKNOWN_KEY: "with a wrong key",
    CASE_SWAPPED: "with the key in another case",
    SUFFIXED: "with text appended to the key",
}
# Undocumented places in which APIs accept keys (RFC 6750, 2.3, is one of them).
_QUERY = ("access_token", "api_key", "key", "token")
_HEADERS = ("X-Api-Key", "Api-Key", "X-Auth-Token")


@scenario(after="windows", share=3)
def credentials(driver: Driver) -> None:
    """Call every operation that requires a credential without one, and with a wrong one."""
    for operation in driver.contract.operations.values():
        if operation.scheme is None:
            continue
        success = driver.successes.get(operation.pointer)
        call = next(driver.candidates(operation), None) if success is None else success[0]
        if call is None:
            reason = "no request could be made"
            driver.target.record.skip(CREDENTIALS_IGNORED, operation.pointer, reason)
            continue
        if success is None and not driver.send(call).succeeded:
            # It is refused for another reason, as the other requests may be.
            reason = "the operation never succeeded"
            driver.target.record.skip(CREDENTIALS_IGNORED, operation.pointer, reason)
            continue
        strangers = _strangers(driver).items()
        if all(
            _is_refused(driver, operation, driver.send(call, role), how) for role, how in strangers
        ):
            for how, exchange in _elsewhere(driver, call):
                # The added parameter is unknown, so it may also be refused for another reason.
                if exchange.succeeded:
                    _is_refused(driver, operation, exchange, how)


def _is_refused(driver: Driver, operation: ContractOperation, exchange: Exchange, how: str) -> bool:
    """Return whether a request without valid credentials is refused; record it if it is not."""
    driver.target.record.check(CREDENTIALS_IGNORED, operation.pointer)
    response = exchange.response
    # Statuses with which other APIs hide that a resource exists (RFC 9110, 15.5.4).
    refused = (401,) if operation.response(401) is not None else (401, 403, 404)
    if response is None or response.status in (*refused, 429) or operation.scheme is None:
        return True
    violation = ignored(operation.name, operation.pointer, exchange, how)
    if violation is not None:
        driver.target.record.violate(violation)
    return False


def _strangers(driver: Driver) -> dict[str, str]:
    keys, credential = driver.target.keys, driver.target.credential
    roles = {ANONYMOUS: "without credentials"}
    # User names and sign-in credentials may be accepted in several spellings.
    is_key = not driver.target.signer.sign_in and ":" not in keys.get(MAIN, "")
    roles |= {
        role: how
        for role, how in _WORDS.items()
        if role in keys and (is_key or role == UNKNOWN_KEY)
    }
    if credential is not None and credential.prefix:
        roles[WRONG_SCHEME] = "with the right key under another scheme"
    return roles


def _elsewhere(driver: Driver, call: OperationCall) -> Iterator[tuple[str, Exchange]]:
    """Send the right key in places that the document does not name, and yield the exchanges."""
    key, credential = driver.target.keys.get(MAIN), driver.target.credential
    if key is None or credential is None or not call.operation.is_safe:
        return
    query = "&".join(f"{name}={quote(key, safe='')}" for name in _QUERY)
    path = f"{call.path}{'&' if '?' in call.path else '?'}{query}"
    named = {credential.header.lower()}
    headers = [(name, key) for name in _HEADERS if name.lower() not in named]
    for how, where, more in (
        ("with the key in the query", path, []),
        ("with the key in another header", call.path, headers),
    ):
        request = driver.target.request(
            call.operation.method,
            where,
            role=ANONYMOUS,
            headers=[*call.headers, *more],
            operation=call.operation.pointer,
        )
        yield how, driver.target.send(request, driver.source, call.operation.pointer, ANONYMOUS)
