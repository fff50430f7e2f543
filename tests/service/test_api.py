"""The groups over HTTP: orders, the balance and the reset, as partners see them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial

import httpx2
import pytest
from starlette.requests import Request

from esim_service import catalogue
from esim_service.api.backend import ApiBackend
from esim_service.api.balance import BalanceGroup
from esim_service.api.orders import OrderGroup
from esim_service.api.sandbox import SandboxGroup
from esim_service.carrier.simulator import Simulator
from esim_service.domain import partners
from esim_service.domain.stamp import Stamp
from esim_service.store.changes.database import Database
from esim_service.store.tables.catalogue import replace
from esim_service.values.clock import SECOND
from esim_service.values.entities import Job, JobKind, Mode, Principal, Scope
from esim_service.values.ids import Ids
from partner_esim.server import Cursors, create_app

from .manual_clock import ManualClock

pytestmark = pytest.mark.anyio

ORDER = {"plan_id": "pln_jp-5gb-30d", "reference": "r1", "metadata": {"a": "b"}}


@dataclass
class Kept:
    """Keeps all jobs for this process, and does none."""

    jobs: list[Job] = field(default_factory=list)
    wakes: int = 0

    def lease(self, kind: JobKind) -> int:
        return 5 * SECOND

    def begin(self, job: Job) -> None:
        self.jobs.append(job)

    def wake(self) -> None:
        self.wakes += 1


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
async def api(
    database: Database, clock: ManualClock, ids: Ids, kept: Kept
) -> AsyncIterator[httpx2.AsyncClient]:
    await database.write(partial(replace, catalogue.load(catalogue.default_path())))
    partner = await database.write(lambda: partners.ensure("acme", Stamp(clock.now(), ids)))

    async def authenticate(credential: str, request: Request) -> Principal:
        mode: Mode = "live" if credential == "live" else "test"
        return Principal(Scope(partner.partner_id, mode), "key", credential == "out", None, None)

    async def sleep(seconds: float) -> None:
        clock.advance(round(seconds * 1000))

    backend = ApiBackend(database, clock, ids, Simulator(sleep), Cursors(b"secret"), kept)
    app = create_app(
        orders=OrderGroup(backend),
        balance=BalanceGroup(backend),
        sandbox=SandboxGroup(backend),
        authenticate=authenticate,
        unimplemented="501",
    )
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://test", headers={"authorization": "Bearer test"}
    ) as client:
        yield client


async def test_the_job_of_an_order_is_begun_by_the_process_that_has_placed_it(
    api: httpx2.AsyncClient, kept: Kept, clock: ManualClock
) -> None:
    first = await api.post("/orders", json=ORDER)
    [job] = kept.jobs
    assert (job.kind, job.subject_id) == ("provision", first.json()["order_id"])
    assert job.due_at == clock.now() + 5 * SECOND
    await api.post("/orders", json=ORDER)
    assert kept.jobs == [job]
    assert kept.wakes == 1


async def test_a_repeated_order_is_answered_byte_for_byte(api: httpx2.AsyncClient) -> None:
    first = await api.post("/orders", json=ORDER)
    again = await api.post("/orders", json={"quantity": 1, **dict(reversed(ORDER.items()))})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["idempotent-replay"] == "true"
    assert "idempotent-replay" not in first.headers
    shown = await api.get(f"/orders/{first.json()['order_id']}")
    assert shown.content == first.content


async def test_repeats_at_the_same_time_all_get_the_answer_of_what_is_done(
    api: httpx2.AsyncClient,
) -> None:
    first = await api.post("/orders", json=ORDER)
    again = await asyncio.gather(*(api.post("/orders", json=ORDER) for _ in range(20)))
    assert {(each.status_code, each.content) for each in again} == {(201, first.content)}
    other = {**ORDER, "quantity": 2}
    changed = await asyncio.gather(*(api.post("/orders", json=other) for _ in range(20)))
    assert {response.status_code for response in changed} == {422}


async def test_another_payload_is_422_and_a_refusal_of_the_carrier_502(
    api: httpx2.AsyncClient,
) -> None:
    refused = {**ORDER, "metadata": {"sandbox_scenario": "upstream_502"}}
    before = (await api.get("/balance")).json()
    assert (await api.post("/orders", json=refused)).status_code == 502
    assert (await api.get("/balance")).json() == before
    assert (await api.post("/orders", json=ORDER)).status_code == 201
    changed = await api.post("/orders", json={**ORDER, "quantity": 2})
    assert changed.status_code == 422
    assert changed.json()["error"]["code"] == "reference_reused"


async def test_orders_come_newest_first_in_pages(api: httpx2.AsyncClient) -> None:
    made = [
        (await api.post("/orders", json={**ORDER, "reference": f"r{n}"})).json()["order_id"]
        for n in range(5)
    ]
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        listed = (await api.get("/orders", params=query)).json()
        seen += [each["order_id"] for each in listed["data"]]
        cursor = listed["next_cursor"]
        if not listed["has_more"]:
            break
    assert seen == made[::-1]
    assert cursor is None
    one = (await api.get("/orders", params={"reference": "r3"})).json()["data"]
    assert [each["order_id"] for each in one] == [made[3]]


@pytest.mark.parametrize("path", ["/orders/none", "/orders/%00", "/orders/a%2F..%2Fb"])
async def test_an_unknown_order_is_404(api: httpx2.AsyncClient, path: str) -> None:
    assert (await api.get(path)).status_code == 404


async def test_a_reset_is_for_test_keys(api: httpx2.AsyncClient) -> None:
    await api.post("/orders", json=ORDER)
    answer = await api.post("/sandbox/reset")
    assert json.loads(answer.content)["balance_usd"] == "1000.00"
    assert (await api.get("/orders")).json()["data"] == []
    live = await api.post("/sandbox/reset", headers={"authorization": "Bearer live"})
    assert (live.status_code, live.json()["error"]["code"]) == (403, "test_mode_only")
    out = await api.get("/balance", headers={"authorization": "Bearer out"})
    assert (out.status_code, out.json()["error"]["code"]) == (403, "partner_suspended")


async def test_no_metadata_and_empty_metadata_are_one_payload(api: httpx2.AsyncClient) -> None:
    bare = {"plan_id": ORDER["plan_id"], "reference": "bare"}
    first = await api.post("/orders", json={**bare, "metadata": {}})
    again = await api.post("/orders", json=bare)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotent-replay"] == "true"


async def test_all_timestamps_have_one_form(api: httpx2.AsyncClient, clock: ManualClock) -> None:
    """With fractions, those of a whole second would be written in another form."""
    texts = []
    for number, milliseconds in enumerate((0, 1, 123, 876)):
        clock.advance(milliseconds)
        order = {"plan_id": ORDER["plan_id"], "reference": f"moment-{number}"}
        texts.append((await api.post("/orders", json=order)).json()["created_at"])
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) for text in texts), texts
