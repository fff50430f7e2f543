"""The examples of request bodies, each of which is a case intended by the author."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.webhooks import webhooks
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import FUZZING
from specwright.document.operations import sites
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

_AT_ONCE = 4


@scenario(beside=FUZZING)
def examples(driver: Driver) -> None:
    """Send every named example once, except those that trigger webhooks.

    The step `refusals` sends those of operations with idempotency keys. The monitors judge the
    responses.
    """
    before = dict(driver.successes)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(driver.send, _calls(driver)))
    # Other scenarios must not repeat special cases such as a slow response.
    driver.successes.update(before)


def _calls(driver: Driver) -> list[OperationCall]:
    causes = {
        webhook.trigger.scenario.raw
        for webhook in webhooks(driver.contract.document)
        if webhook.trigger is not None and webhook.trigger.scenario is not None
    }
    calls = [
        driver.example(operation, name)
        for operation in driver.contract.operations.values()
        if operation.body is not None and operation.get(CAPACITY) is None
        if operation.get(IDEMPOTENCY) is None or operation.pointer not in driver.successes
        for name, _ in sites.members(driver.contract.document, operation.body[1], "examples")
        if name not in causes
    ]
    return [call for call in calls if call is not None]
