"""What every process of the service is made of, whether it serves, works or both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector

from .activity import Activity
from .background import Background
from .clock import Clock, SystemClock
from .delivery.addresses import AddressRule
from .delivery.resolver import SystemResolver
from .delivery.sender import Sender, trust
from .ids import Ids
from .settings import Settings
from .simulator import Simulator
from .store.database import Database
from .store.open import open_database


@dataclass(frozen=True, slots=True)
class Parts:
    """The ports of the service, with what fills them in a real process.

    Attributes:
        rule: which addresses webhooks may reach.
        registry: the metrics of the process.
    """

    database: Database
    clock: Clock
    ids: Ids
    carrier: Simulator
    rule: AddressRule
    resolver: SystemResolver
    registry: CollectorRegistry


@asynccontextmanager
async def open_parts(settings: Settings) -> AsyncIterator[Parts]:
    """Open the database, and make the other parts, for the time of the context.

    Raises:
        OperatorError: the database cannot be used.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    clock = SystemClock()
    async with open_database(settings.database) as database:
        with closing(SystemResolver()) as resolver:
            yield Parts(
                database=database,
                clock=clock,
                ids=Ids(clock),
                carrier=Simulator(),
                rule=AddressRule(settings.webhook_allow_cidr),
                resolver=resolver,
                registry=registry,
            )


@asynccontextmanager
async def open_background(parts: Parts, settings: Settings) -> AsyncIterator[Background]:
    """Make the background work of a process, for the time of the context."""
    context = trust(settings.webhook_ca_file)
    async with Sender(parts.clock, parts.rule, parts.resolver, context) as sender:
        yield Background(
            parts.database,
            parts.clock,
            parts.ids,
            parts.carrier,
            parts.carrier,
            sender.send,
            Activity(parts.registry),
            settings.webhook_retry_scale,
        )
