"""The parts that every process of the service has, whether it serves, works or both."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector

from ..carrier.modes import CarrierOfMode, NoCarrier
from ..carrier.plugged import open_carrier
from ..carrier.port import Carrier
from ..carrier.simulator import Simulator
from ..delivery.addresses import AddressRule
from ..delivery.resolver import SystemResolver
from ..delivery.sender import AttemptOutcome, Sender, WebhookMessage, trust
from ..domain import endpoints
from ..settings import ServiceSettings
from ..store.changes.database import Database
from ..store.drivers.migrate import require_current
from ..store.drivers.open import open_database
from ..store.encryption import SecretBox
from ..store.tables import events
from ..values.clock import Clock, SystemClock
from ..values.ids import Ids
from ..work.metrics import WorkMetrics
from .background import Background

_COMMAND_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Components:
    """The ports of the service, with their implementations in a real process.

    Attributes:
        rule: the addresses that webhooks may reach.
        secrets: encrypts the stored signing secrets.
        registry: the metrics of the process.
    """

    database: Database
    clock: Clock
    ids: Ids
    carrier: Carrier
    rule: AddressRule
    resolver: SystemResolver
    secrets: SecretBox
    registry: CollectorRegistry


@asynccontextmanager
async def open_components(settings: ServiceSettings) -> AsyncIterator[Components]:
    """Open the database and create the other parts, for the duration of the context.

    Raises:
        OperatorError: the database or the carrier cannot be used.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        live: Carrier = NoCarrier()
        if settings.carrier is not None:
            live = await stack.enter_async_context(open_carrier(settings.carrier))
        yield Components(
            database=await stack.enter_async_context(
                open_database(settings.database, command_seconds=_COMMAND_SECONDS)
            ),
            clock=clock,
            ids=Ids(clock),
            carrier=CarrierOfMode({"test": Simulator(), "live": live}),
            rule=AddressRule(settings.webhook_allow_cidr),
            resolver=stack.enter_context(closing(SystemResolver())),
            secrets=SecretBox(settings.encryption_keys),
            registry=registry,
        )


@asynccontextmanager
async def open_background(
    components: Components, settings: ServiceSettings
) -> AsyncIterator[Background]:
    """Create the background work of a process, for the duration of the context."""
    context = trust(settings.webhook_ca_file)
    async with Sender(components.clock, components.rule, components.resolver, context) as sender:

        async def send(message: WebhookMessage) -> AttemptOutcome:
            return await sender.send(
                replace(message, secret=components.secrets.decrypt(message.secret))
            )

        yield Background(
            components.database,
            components.clock,
            components.ids,
            components.carrier,
            components.carrier,
            send,
            WorkMetrics(components.registry),
            settings.webhook_retry_scale,
        )


def freeze() -> None:
    """Exclude the start-up objects from garbage collection, for which every thread waits.

    They live until the end, and scanning them takes longer than placing an order.
    """
    gc.collect()
    gc.freeze()


async def require_ready(components: Components) -> None:
    """Check that requests can be served and work can be done.

    Raises:
        OperatorError: the schema or the encryption keys are not the right ones.
        UnavailableError: the database cannot be read or written now.
    """
    await components.database.check(components.clock.now())
    await require_current(components.database)
    newest = await components.database.read(events.newest_secret)
    if newest is not None:
        components.secrets.decrypt(newest)


async def require_secrets(components: Components) -> None:
    """Check that all signing secrets can be decrypted.

    Raises:
        OperatorError: a secret cannot be decrypted with the configured keys.
    """
    await components.database.read(partial(endpoints.check_secrets, components.secrets.decrypt))
