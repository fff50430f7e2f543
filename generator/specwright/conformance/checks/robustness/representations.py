"""The same resource by HEAD, by ranges, compressed and for pages of other origins."""

from __future__ import annotations

from collections.abc import Iterable

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.target import is_stream
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.findings import Level

HEAD_IS_GET = BehaviourRule(
    "head-is-get",
    BehaviourCategory.ROBUSTNESS,
    "HEAD has the headers of GET, such as the media type (RFC 9110, 9.3.2).",
    example="GET /items/7 -> application/json, and HEAD /items/7 -> text/html",
    advice="Let the framework derive HEAD from GET, or refuse HEAD with 405.",
    level=Level.INFO,
)
RANGE = BehaviourRule(
    "range",
    BehaviourCategory.ROBUSTNESS,
    "A server that announces ranges returns the part that was requested (RFC 9110, 14).",
    example="GET /files/7 with Range: bytes=0-0 -> 206 with all bytes, or no Content-Range",
    advice="Return 206 with Content-Range and the bytes of the range, or no `Accept-Ranges`.",
    level=Level.WARNING,
)
ANY_ORIGIN = BehaviourRule(
    "any-origin",
    BehaviourCategory.ISOLATION,
    "Pages of any origin cannot send requests with the cookies or the password of a user (OWASP "
    "API8:2023).",
    example=(
        "Origin: https://other.example -> Access-Control-Allow-Origin: https://other.example and "
        "Access-Control-Allow-Credentials: true"
    ),
    advice="List the origins that may send credentials, or do not allow credentials.",
    level=Level.WARNING,
    weight=9,
)

# An origin that no API can know (RFC 2606).
_ORIGIN = "https://origin.invalid"


@scenario(after="hostile")
def representations(driver: Driver) -> None:
    """Request the resources of GET in other ways."""
    for operation in driver.contract.operations.values():
        success = driver.successes.get(operation.pointer)
        if operation.method != "GET" or success is None:
            continue
        call, get = success[0], driver.probe(success[0])
        if get.succeeded and get.response is not None and not is_stream(get.response):
            _head(driver, call, get, get.response)
            _range(driver, call, get, get.response)
            if _has_ambient_credentials(operation):
                _origin(driver, call)


def _sent(
    driver: Driver, call: OperationCall, headers: Iterable[tuple[str, str]], method: str = "GET"
) -> Exchange:
    operation = call.operation
    request = driver.target.request(
        method, call.path, headers=[*call.headers, *headers], operation=operation.pointer
    )
    # A HEAD is a request of another operation.
    pointer = operation.pointer if method == operation.method else None
    return driver.target.send(request, driver.source, pointer)


def _head(driver: Driver, call: OperationCall, get: Exchange, whole: HttpResponse) -> None:
    operation = call.operation
    if _has_head(driver, operation):
        return
    exchange = _sent(driver, call, (), "HEAD")
    head = exchange.response
    # A server need not offer HEAD where the document has none.
    if head is None or not head.is_success:
        return
    driver.target.record.check(HEAD_IS_GET, operation.pointer)
    if head.header("content-type") != whole.header("content-type"):
        message = "HEAD has another Content-Type than GET"
        driver.violate(HEAD_IS_GET, operation, message, get, exchange)


def _has_head(driver: Driver, operation: ContractOperation) -> bool:
    return any(
        other.method == "HEAD" and other.site.key == operation.site.key
        for other in driver.contract.operations.values()
    )


def _range(driver: Driver, call: OperationCall, get: Exchange, whole: HttpResponse) -> None:
    units = (whole.header("accept-ranges") or "").lower()
    if units != "bytes" or len(whole.body) < 2 or whole.header("content-encoding"):
        return
    exchange = _sent(driver, call, [("Range", "bytes=1-1")])
    part = exchange.response
    if part is None or part.status == 429:
        return
    driver.target.record.check(RANGE, call.operation.pointer)
    wanted = f"bytes 1-1/{len(whole.body)}"
    is_right = (
        part.status == 206
        and part.body == whole.body[1:2]
        and part.header("content-range") in (wanted, "bytes 1-1/*")
    )
    if not is_right:
        message = f"a range is answered {part.status} with {len(part.body)} bytes"
        driver.violate(RANGE, call.operation, message, get, exchange, cause="ranges are wrong")


def _has_ambient_credentials(operation: ContractOperation) -> bool:
    """Return whether browsers send the credentials by themselves: cookies, and passwords."""
    scheme = operation.scheme.value if operation.scheme is not None else {}
    kind = str(scheme.get("scheme")).lower() if scheme.get("type") == "http" else scheme.get("in")
    return kind in ("basic", "digest", "cookie")


def _origin(driver: Driver, call: OperationCall) -> None:
    exchange = _sent(driver, call, [("Origin", _ORIGIN)])
    response = exchange.response
    if response is None:
        return
    driver.target.record.check(ANY_ORIGIN, call.operation.pointer)
    allowed = response.header("access-control-allow-origin")
    with_credentials = (response.header("access-control-allow-credentials") or "").lower()
    if allowed == _ORIGIN and with_credentials == "true":
        message = "pages of any origin may send credentials"
        driver.violate(ANY_ORIGIN, call.operation, message, exchange)
