"""The webhooks source: a test of all webhooks that a document declares, for one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.endpoints import SOURCE
from specwright.conformance.checks.webhooks.judge import EVENT_MISSING
from specwright.conformance.checks.webhooks.observe import WebhookObservation, setting
from specwright.conformance.checks.webhooks.receiver import Receiver
from specwright.conformance.checks.webhooks.sequence import Pace
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.webhooks import registration, webhooks
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIVE_MODE, MAIN, OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.driver.triggers import cause
from specwright.vocabulary.keywords.charge import CHARGE


@dataclass(frozen=True, slots=True)
class ReceiverOptions:
    """The options of the receiver of webhooks.

    Attributes:
        authority: signs the certificate of a local receiver; None behind a tunnel.
        public_url: the public URL of the tunnel.
        port: the local port; 0 chooses a free one.
        retry_scale: the factor by which the target multiplies the declared pauses.
    """

    authority: Authority | None = None
    public_url: str | None = None
    port: int = 0
    retry_scale: float = 1.0


@dataclass(slots=True)
class Watch:
    """An observer of the webhooks of a target, as the other tenant if there is one.

    Attributes:
        options: None if no receiver was requested.
        patience_seconds: the maximum wait for the next attempt of a delivery.
    """

    contract: Contract
    target: TargetServer
    options: ReceiverOptions | None
    patience_seconds: float
    _receiver: Receiver | None = field(default=None, repr=False)
    _is_over: bool = False

    def observe(self) -> None:
        """Register endpoints, trigger every event, and judge the deliveries."""
        document, keys, record = self.contract.document, self.target.keys, self.target.record
        declared, registered, options = webhooks(document), registration(document), self.options
        if options is None or registered is None:
            reason = "the document does not declare how endpoints are registered"
            for webhook in declared:
                why = "no receiver was requested" if options is None else reason
                record.skip(EVENT_MISSING, webhook.pointer, why)
            return
        main = OTHER_TENANT if OTHER_TENANT in keys else MAIN
        where = setting(
            declared,
            authority=options.authority,
            public_url=options.public_url,
            port=options.port,
        )
        with (
            self.target.as_main(main) as target,
            self._in_live_mode() as apart,
            Receiver(where) as receiver,
        ):
            self._receiver = receiver
            if self._is_over:
                receiver.give_up()
            driver = Driver(self.contract, target, SOURCE)
            pace = Pace(options.retry_scale, self.patience_seconds)
            provoke = partial(cause, driver)
            undone = list(_undone(self.contract))
            WebhookObservation(
                target, receiver, declared, registered, provoke, pace, apart, undone
            ).run()

    @contextmanager
    def _in_live_mode(self) -> Iterator[TargetServer | None]:
        """Yield a target with a key of live mode; None without such a key."""
        key = self.target.keys.get(LIVE_MODE)
        if key is None:
            yield None
            return
        with replace(self.target, keys={MAIN: key}, own={}, main=LIVE_MODE) as apart:
            yield apart

    def give_up(self) -> None:
        """End an observation without waiting for further deliveries."""
        self._is_over = True
        if self._receiver is not None:
            self._receiver.give_up()


def _undone(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield the operations with a declared refund, and the names of its request examples."""
    for operation, charge in contract.declaring(CHARGE):
        if charge.refund is not None and operation.site.id:
            yield operation.site.id, charge.refund.scenario.raw
