"""URLs of receivers that a service must not send to (server-side request forgery)."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

from specwright.conformance.checks.limits.capacity import release_all
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED, accepted_form
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import Absent, OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import value_at
from specwright.pointer import join
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.webhook_endpoint import (
    WEBHOOK_ENDPOINT,
    WebhookEndpointContract,
)

# The metadata of clouds, private networks of both versions, an IPv4 address in an IPv6 one, and one
# as a number.
_NOT_PUBLIC = (
    *("169.254.169.254", "10.0.0.1", "192.168.0.1", "[fd00::1]", "[::ffff:10.0.0.1]"),
    "167772161",
)


@scenario(after="collections", share=2, needs=WEBHOOK_ENDPOINT, name="receiver URLs")
def receiver_urls(driver: Driver) -> None:
    """Register URLs of networks that are not public, and ones with user information."""
    for operation, declared in driver.contract.declaring(WEBHOOK_ENDPOINT):
        if not declared.public:
            continue
        success = driver.successes.get(operation.pointer) or driver.first_success(operation)
        if success is None:
            reason = "the operation never succeeded"
            driver.target.record.skip(INVALID_ACCEPTED, operation.pointer, reason)
            continue
        _register(driver, operation, success[0], declared)


def _register(
    driver: Driver,
    operation: ContractOperation,
    call: OperationCall,
    declared: WebhookEndpointContract,
) -> None:
    before, place = driver.successes.get(operation.pointer), declared.url.raw
    if isinstance(call.body, Absent):
        return
    capacity = operation.get(CAPACITY)
    for how, url in _urls(str(value_at(call.body, place))):
        if capacity is not None:
            release_all(driver, capacity)
        exchange = driver.send(driver.with_fresh_key(call.with_member(place, url)))
        driver.target.record.check(INVALID_ACCEPTED, operation.pointer)
        if exchange.succeeded:
            at, rule = operation.pointer + join(WEBHOOK_ENDPOINT.name), INVALID_ACCEPTED
            driver.target.record.violate(accepted_form(operation, exchange, at, how, rule))
    # Later calls must not use the URLs tried here.
    if before is not None:
        driver.successes[operation.pointer] = before


def _urls(usual: str) -> Iterator[tuple[str, str]]:
    try:
        parts = urlsplit(usual)
    except ValueError:
        return
    for host in _NOT_PUBLIC:
        yield "a URL of a network that is not public", urlunsplit(parts._replace(netloc=host))
    named = f"user:password@{parts.netloc}"
    yield "a URL with user information", urlunsplit(parts._replace(netloc=named))
