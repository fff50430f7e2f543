"""The metrics of the background work, for operators."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

# An attempt ends after 15 seconds; the first retries follow after 1, 5 and 30 minutes.
_ATTEMPT_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0)
_DELAY_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 70.0, 400.0, 2400.0, 10_000.0, 60_000.0)


class WorkMetrics:
    """The metrics of deliveries and jobs."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.deliveries = Counter(
            "esim_delivery_attempts",
            "Delivery attempts, by outcome.",
            ["outcome"],
            registry=registry,
        )
        self.attempt_seconds = Histogram(
            "esim_delivery_attempt_duration_seconds",
            "Seconds that a delivery attempt took.",
            ["outcome"],
            buckets=_ATTEMPT_BUCKETS,
            registry=registry,
        )
        self.delay_seconds = Histogram(
            "esim_delivery_delay_seconds",
            "Seconds from an event to its acknowledgement.",
            buckets=_DELAY_BUCKETS,
            registry=registry,
        )
        self.ended = Counter(
            "esim_deliveries_ended",
            "Deliveries that were acknowledged, exhausted by their last attempt, or dropped "
            "because their endpoint was disabled.",
            ["state"],
            registry=registry,
        )
        self.disabled = Counter(
            "esim_endpoints_disabled",
            "Webhook endpoints that were disabled because nothing reached them.",
            registry=registry,
        )
        self.waiting = Gauge(
            "esim_deliveries_waiting",
            "Deliveries that wait for their first attempt (new) or for another one (retrying).",
            ["state"],
            registry=registry,
        )
        self.jobs = Counter(
            "esim_jobs",
            "Jobs that were done, by kind and outcome.",
            ["kind", "outcome"],
            registry=registry,
        )
        self.jobs_due = Gauge("esim_jobs_due", "Jobs that are due.", ["kind"], registry=registry)
        self.oldest_seconds = Gauge(
            "esim_oldest_purchase_seconds",
            "Seconds since the oldest order (provision) or top-up (topup) was placed that the "
            "carrier has not finished; 0 without one.",
            ["kind"],
            registry=registry,
        )
        self.dated_ahead = Gauge(
            "esim_accounts_dated_ahead",
            "Accounts that are dated more than a day ahead, by a wrong clock.",
            registry=registry,
        )
        self.purged = Counter(
            "esim_events_purged", "Events that were removed from the feed.", registry=registry
        )
