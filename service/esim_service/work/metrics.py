"""What the background work counts, for the operators' metrics."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge


class WorkMetrics:
    """The metrics of deliveries and jobs."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.deliveries = Counter(
            "esim_delivery_attempts",
            "Attempts to deliver an event, by how they ended.",
            ["outcome"],
            registry=registry,
        )
        self.exhausted = Counter(
            "esim_deliveries_exhausted",
            "Deliveries that were given up after their last attempt.",
            registry=registry,
        )
        self.disabled = Counter(
            "esim_endpoints_disabled",
            "Webhook endpoints that were disabled because nothing reached them.",
            registry=registry,
        )
        self.waiting = Gauge(
            "esim_deliveries_waiting",
            "Deliveries that are neither acknowledged nor given up.",
            registry=registry,
        )
        self.jobs = Counter(
            "esim_jobs",
            "Jobs that were done, by kind and by how they ended.",
            ["kind", "outcome"],
            registry=registry,
        )
        self.jobs_due = Gauge(
            "esim_jobs_due", "Jobs whose time has come.", ["kind"], registry=registry
        )
        self.purged = Counter(
            "esim_events_purged", "Events that were removed from the feed.", registry=registry
        )
