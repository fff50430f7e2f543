"""The operators' port: health, readiness and metrics."""

import httpx2
import pytest
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.parser import text_string_to_metric_families

from esim_service.http.health import Probe, create_operations_app
from esim_service.store.changes.database import OperatorError, UnavailableError

pytestmark = pytest.mark.anyio


async def is_ready() -> None:
    """A service that has all it needs."""


def fails(error: Exception) -> Probe:
    async def probe() -> None:
        raise error

    return probe


def client(ready: Probe, registry: CollectorRegistry | None = None) -> httpx2.AsyncClient:
    app = create_operations_app(ready, registry or CollectorRegistry())
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://operators")


async def test_a_service_that_has_all_it_needs_is_ready() -> None:
    answer = await client(is_ready).get("/readyz")
    assert (answer.status_code, answer.text) == (200, "ready\n")


@pytest.mark.parametrize("kind", [OperatorError, UnavailableError])
async def test_a_service_without_its_database_lives_but_is_not_ready(
    kind: type[Exception],
) -> None:
    operators = client(fails(kind("the disk is full")))
    answer = await operators.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: the disk is full\n")
    assert (await operators.get("/healthz")).status_code == 200


async def test_metrics_are_written_as_prometheus_reads_them() -> None:
    registry = CollectorRegistry()
    Counter("orders_placed", "Orders", registry=registry).inc(3)
    answer = await client(is_ready, registry).get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    samples = {
        sample.name: sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["orders_placed_total"] == 3
