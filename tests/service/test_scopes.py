"""Resources of one partner and mode are invisible to other partners and the other mode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx2
import pytest
from starlette.requests import Request

from esim_service.api.backend import ApiBackend
from esim_service.api.esims import EsimGroup
from esim_service.api.events import EventGroup
from esim_service.api.orders import OrderGroup
from esim_service.api.sandbox import SandboxGroup
from esim_service.api.topups import TopupGroup
from esim_service.api.webhook_endpoints import WebhookEndpointGroup
from esim_service.carrier.simulator import Simulator
from esim_service.domain import endpoints, lifecycle, orders, partners
from esim_service.domain.stamp import account_change
from esim_service.store.changes.database import Database
from esim_service.store.statements.unit import execute, rows
from esim_service.values.entities import Principal, Profile, Scope
from esim_service.values.ids import Ids
from esim_service.values.money import UNITS_PER_DOLLAR
from partner_esim.server import Cursors, create_app

from .manual_clock import ManualClock
from .world import FIXED, World

pytestmark = pytest.mark.anyio

CREDENTIALS = ("acme-live", "acme-test", "other-live", "other-test")
ORDER = {"plan_id": FIXED, "reference": "r"}
TOPUP = {"topup_plan_id": "tpl_jp-3gb-30d", "reference": "r"}


@dataclass
class Tenant:
    """A partner in one mode, with one thing of each kind."""

    http: httpx2.AsyncClient
    order_id: str
    iccid: str
    event_id: str
    endpoint_id: str

    async def get(self, path: str) -> Any:
        return (await self.http.get(path)).json()

    async def listed(self, path: str, name: str) -> list[str]:
        return [each[name] for each in (await self.get(path))["data"]]

    async def sees(self) -> list[list[str]]:
        """All that is listed."""
        return [
            await self.listed("/orders", "order_id"),
            await self.listed("/orders?reference=r", "order_id"),
            await self.listed("/esims", "iccid"),
            await self.listed("/events", "id"),
            await self.listed("/webhook-endpoints", "id"),
        ]

    @property
    def own(self) -> list[list[str]]:
        return [[self.order_id], [self.order_id], [self.iccid], [self.event_id], [self.endpoint_id]]


async def any_url(_: str) -> None:
    """Let every URL be registered."""


@pytest.fixture
async def tenants(database: Database, clock: ManualClock, ids: Ids) -> AsyncIterator[list[Tenant]]:
    world = World(database, clock, ids)
    await world.prepare()
    other = await database.write(lambda: partners.ensure("other", world.stamp()))
    scopes = {
        f"{name}-{mode}": Scope(partner_id, mode)
        for name, partner_id in (("acme", world.partner_id), ("other", other.partner_id))
        for mode in ("live", "test")
    }

    async def authenticate(credential: str, request: Request) -> Principal:
        return Principal(scopes[credential], credential, False, None, None)

    backend = ApiBackend(database, clock, ids, Simulator(), Cursors(b"secret"))
    transport = httpx2.ASGITransport(
        create_app(
            orders=OrderGroup(backend),
            esims=EsimGroup(backend),
            topups=TopupGroup(backend),
            events=EventGroup(backend),
            webhook_endpoints=WebhookEndpointGroup(backend, any_url, str),
            sandbox=SandboxGroup(backend),
            authenticate=authenticate,
            unimplemented="501",
        )
    )

    async def tenant(number: int, credential: str) -> Tenant:
        scope, iccid = scopes[credential], f"89{number:017}"
        http = await stack.enter_async_context(
            httpx2.AsyncClient(
                transport=transport,
                base_url="http://test",
                headers={"authorization": f"Bearer {credential}"},
            )
        )
        if scope.mode == "live":
            await database.write(
                lambda: partners.credit(scope, 1000 * UNITS_PER_DOLLAR, world.stamp())
            )
        made = await http.post("/orders", json=ORDER)
        assert (made.status_code, made.headers.get("idempotent-replay")) == (201, None)
        order_id = made.json()["order_id"]
        profile = Profile(iccid, "smdp.example", "M-1", False, None)
        complete = partial(orders.complete, order_id, [profile], lifecycle.at_once)
        await database.change(account_change(scope, order_id, complete, world.stamp()))
        [event] = (await http.get("/events")).json()["data"]
        url = {"url": f"https://{credential}.example/"}
        endpoint = (await http.post("/webhook-endpoints", json=url)).json()
        return Tenant(http, order_id, iccid, event["id"], endpoint["id"])

    async with AsyncExitStack() as stack:
        yield [await tenant(*each) for each in enumerate(CREDENTIALS)]


async def test_each_sees_its_own(tenants: Sequence[Tenant]) -> None:
    for tenant in tenants:
        assert await tenant.sees() == tenant.own
        for path in (f"/orders/{tenant.order_id}", f"/esims/{tenant.iccid}"):
            assert (await tenant.http.get(path)).status_code == 200
        of_order = await tenant.listed(f"/esims?order_id={tenant.order_id}", "iccid")
        assert of_order == [tenant.iccid]


async def test_nobody_sees_or_changes_what_is_of_another(tenants: Sequence[Tenant]) -> None:
    for tenant in tenants:
        for other in tenants:
            if other is tenant:
                continue
            http, endpoint = tenant.http, f"/webhook-endpoints/{other.endpoint_id}"
            for answer in (
                await http.get(f"/orders/{other.order_id}"),
                await http.get(f"/esims/{other.iccid}"),
                await http.get(f"/esims/{other.iccid}/topup-plans"),
                await http.post(f"/esims/{other.iccid}/topups", json=TOPUP),
                await http.post(f"{endpoint}/test"),
                await http.delete(endpoint),
            ):
                assert answer.status_code == 404
            assert await tenant.listed(f"/esims?order_id={other.order_id}", "iccid") == []
    for tenant in tenants:
        assert await tenant.sees() == tenant.own


async def test_a_long_queue_has_gone_when_the_deletion_of_its_endpoint_is_answered(
    tenants: Sequence[Tenant], database: Database
) -> None:
    tenant = tenants[0]
    queued = (
        "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < $1)"
        " INSERT INTO deliveries (delivery_id, partner_id, mode, endpoint_id, event_id, attempts,"
        " due_at, created_at) SELECT 'dlv_' || CAST(i AS TEXT), 'prt_1', 'live', $2, 'evt_1', 0, 0,"
        " 0 FROM numbers"
    )
    parameters = (2 * endpoints.PART + 1, tenant.endpoint_id)
    await database.write(partial(execute, queued, *parameters))
    answer = await tenant.http.delete(f"/webhook-endpoints/{tenant.endpoint_id}")
    assert answer.status_code == 204
    left = await database.read(partial(rows, "SELECT delivery_id FROM deliveries LIMIT 1"))
    assert not left


async def test_a_reference_is_one_per_scope_and_operation(tenants: Sequence[Tenant]) -> None:
    for tenant in tenants:
        bought = await tenant.http.post(f"/esims/{tenant.iccid}/topups", json=TOPUP)
        assert (bought.status_code, bought.headers.get("idempotent-replay")) == (201, None)
        again = await tenant.http.post("/orders", json=ORDER)
        assert again.headers["idempotent-replay"] == "true"
        assert again.json()["order_id"] == tenant.order_id


async def test_a_reset_forgets_what_is_of_one_sandbox(tenants: Sequence[Tenant]) -> None:
    acme_live, tenant, *others = tenants
    assert (await tenant.http.post("/sandbox/reset")).status_code == 200
    assert await tenant.sees() == [[], [], [], [], [tenant.endpoint_id]]
    for other in (acme_live, *others):
        assert await other.sees() == other.own
