"""Requests for paths that are not in the document."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.driver.driver import Driver
from specwright.pointer import join
from specwright.vocabulary.keywords.error import ERROR, Condition, ErrorContract

UNKNOWN_ROUTE = BehaviourRule(
    "unknown-route",
    BehaviourCategory.ROBUSTNESS,
    "A path that the document does not have is refused with the declared error.",
    example="GET /nothing -> 404 with a page of HTML",
    advice="Return the shared error for unknown paths, too: frameworks have a handler for it.",
)

NOWHERE = "/nothing-is-at-this-path"
_METHODS = ("GET", "POST", "DELETE")


@scenario(after="hostile")
def routes(driver: Driver) -> None:
    """Request paths that are not in the document, if it declares the response to that."""
    errors = driver.contract.errors
    if errors is None:
        return
    for code, declared in errors.codes.items():
        if declared.condition is Condition.ROUTE_NOT_FOUND:
            for method, path, shown in _elsewhere(driver):
                _ask(driver, errors, (declared.status, code.raw), method, path, shown)
            return


def _ask(
    driver: Driver,
    errors: ErrorContract,
    wanted: tuple[int, str],
    method: str,
    path: str,
    shown: str,
) -> None:
    place = join(ERROR.name, "codes", wanted[1])
    request = driver.target.request(method, path, headers=[("Accept", "application/json")])
    exchange = driver.target.send(request, driver.source, None)
    driver.target.record.check(UNKNOWN_ROUTE, place)
    response = exchange.response
    if response is None or response.status == 429:
        return
    if (response.status, response.at(errors.code.raw)) != wanted:
        message = (
            f"{method} {shown}, which is not a path of the document, was answered "
            f"{response.status}, not {wanted[0]} with the code '{wanted[1]}'"
        )
        driver.violate(UNKNOWN_ROUTE, None, message, exchange, at=place)


def _elsewhere(driver: Driver) -> Iterator[tuple[str, str, str]]:
    """Yield methods and paths that do not exist, with the paths as shown in messages."""
    for method in _METHODS:
        yield method, NOWHERE, NOWHERE
    known = {operation.site.key for operation in driver.contract.operations.values()}
    for call, _ in list(driver.successes.values()):
        key = call.operation.site.key
        if call.operation.is_safe and not key.endswith("/") and f"{key}/" not in known:
            yield call.operation.method, f"{call.path.partition('?')[0]}/", f"{key}/"
