"""The order in which a server checks requests (`precedence` of `x-contract-error`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from specwright.conformance.checks.robustness.unknown_routes import NOWHERE
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import Absent
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import ANONYMOUS, UNKNOWN_KEY
from specwright.conformance.recording.exchange import Exchange
from specwright.findings import values_of
from specwright.pointer import join
from specwright.vocabulary.keywords.error import ERROR, Condition, ErrorContract

PRECEDENCE = BehaviourRule(
    "precedence",
    BehaviourCategory.SHAPE,
    (
        "Of several faults of a request, the response is about the one that is declared to be "
        "checked first: callers without credentials learn nothing about paths and bodies."
    ),
    example="POST /items without a key, with a body that is not JSON -> 400",
    advice="Check the credentials in a middleware that runs before routing and parsing.",
)

# The roles of callers with a fault of their own, and its condition.
_CALLERS: Final = (
    (Condition.MISSING_CREDENTIALS, ANONYMOUS, "without credentials"),
    (Condition.INVALID_CREDENTIALS, UNKNOWN_KEY, "with a wrong key"),
)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A request that meets one condition, for any caller.

    Attributes:
        shown: the request in words.
        operation: None for a path that does not exist.
    """

    condition: Condition
    shown: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    operation: ContractOperation | None

    def send(self, driver: Driver, role: str) -> Exchange:
        """Send the request in a role."""
        at = None if self.operation is None else self.operation.pointer
        request = driver.target.request(
            self.method,
            self.path,
            role=role,
            headers=self.headers,
            body=self.body,
            operation=at,
        )
        return driver.target.send(request, driver.source, at, role)


@scenario(after="credentials")
def precedence(driver: Driver) -> None:
    """Send requests with two faults: the response is about the one that is checked first."""
    errors = driver.contract.errors
    for mistake in mistakes(driver) if errors is not None else ():
        for condition, role, how in _CALLERS:
            is_caller = role == ANONYMOUS or role in driver.target.keys
            if errors is not None and is_caller and precedes(errors, condition, mistake.condition):
                _is_about(driver, errors, condition, mistake.send(driver, role), mistake.shown, how)


def precedes(errors: ErrorContract, first: Condition, second: Condition) -> bool:
    """Return whether one condition is declared to be checked before another one."""
    order = errors.precedence
    return first in order and second in order and order.index(first) < order.index(second)


def mistakes(driver: Driver) -> Iterator[Mistake]:
    """Yield a request for an unknown path per method, and one with each malformed body."""
    accept = (("Accept", "application/json"),)
    for method in ("GET", "POST", "DELETE"):
        shown = f"{method} {NOWHERE}, which is not a path of the document"
        yield Mistake(Condition.ROUTE_NOT_FOUND, shown, method, NOWHERE, accept, None, None)
    bodies = {
        Condition.INVALID_JSON: (b'{"a": ', "a body that is not JSON"),
        Condition.MISSING_FIELD: (b"{}", "an empty object"),
    }
    for call, _ in list(driver.successes.values()):
        operation, schema = call.operation, driver.contract.body_schema(call.operation)
        if operation.scheme is None or schema is None or isinstance(call.body, Absent):
            continue
        needed = any(driver.contract.requests.problems(schema, {}))
        for condition, (body, how) in bodies.items():
            if needed or condition is Condition.INVALID_JSON:
                shown = f"{operation.name} with {how}"
                headers = tuple(call.headers)
                yield Mistake(
                    condition, shown, operation.method, call.path, headers, body, operation
                )
        return


def _is_about(
    driver: Driver,
    errors: ErrorContract,
    condition: Condition,
    exchange: Exchange,
    shown: str,
    how: str,
) -> None:
    place, response = join(ERROR.name, "precedence"), exchange.response
    driver.target.record.check(PRECEDENCE, place)
    if response is None or response.status == 429:
        return
    wanted = [code.raw for code, each in errors.codes.items() if each.condition is condition]
    if wanted and response.at(errors.code.raw) not in wanted:
        cause = f"answered {response.status}, not with '{wanted[0]}'"
        message = f"{shown}, {how}: {cause}"
        rule, values = PRECEDENCE, values_of(response.status, wanted[0])
        driver.violate(rule, None, message, exchange, at=place, cause=cause, values=values)
