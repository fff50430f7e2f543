"""What every process of the service is made of, whether it serves, works or both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector

from ..carrier.simulator import Simulator
from ..delivery.addresses import AddressRule
from ..delivery.resolver import SystemResolver
from ..delivery.sender import Sender, trust
from ..settings import Settings
from ..store.database import Database
from ..store.open import open_database
from ..values.clock import Clock, SystemClock
from ..values.ids import Ids
from ..work.metrics import WorkMetrics
from .background import Background


@dataclass(frozen=True, slots=True)
class Ports:
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
async def open_ports(settings: Settings) -> AsyncIterator[Ports]:
    """Open the database, and make the other ports, for the time of the context.

    Raises:
        OperatorError: the database cannot be used.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    clock = SystemClock()
    async with open_database(settings.database) as database:
        with closing(SystemResolver()) as resolver:
            yield Ports(
                database=database,
                clock=clock,
                ids=Ids(clock),
                carrier=Simulator(),
                rule=AddressRule(settings.webhook_allow_cidr),
                resolver=resolver,
                registry=registry,
            )


@asynccontextmanager
async def open_background(ports: Ports, settings: Settings) -> AsyncIterator[Background]:
    """Make the background work of a process, for the time of the context."""
    context = trust(settings.webhook_ca_file)
    async with Sender(ports.clock, ports.rule, ports.resolver, context) as sender:
        yield Background(
            ports.database,
            ports.clock,
            ports.ids,
            ports.carrier,
            ports.carrier,
            sender.send,
            WorkMetrics(ports.registry),
            settings.webhook_retry_scale,
        )
