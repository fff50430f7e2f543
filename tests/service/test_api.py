"""The groups over HTTP: orders, the balance and the reset, as partners see them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import httpx2
import pytest
from starlette.requests import Request

from esim_service import catalogue
from esim_service.api.backend import ApiBackend
from esim_service.api.balance import BalanceGroup
from esim_service.api.orders import OrderGroup
from esim_service.api.payloads import payload
from esim_service.api.sandbox import SandboxGroup
from esim_service.carrier.simulator import Simulator
from esim_service.domain import partners
from esim_service.domain.idempotency import PAYLOAD_VERSION
from esim_service.domain.stamp import Stamp
from esim_service.store.changes.database import Database
from esim_service.store.statements.unit import execute, rows
from esim_service.store.tables.catalogue import replace
from esim_service.values.clock import SECOND
from esim_service.values.entities import Job, JobKind, Mode, Principal, Scope
from esim_service.values.ids import Ids
from partner_esim.models import TopupCreate
from partner_esim.server import Cursors, create_app

from .manual_clock import ManualClock

pytestmark = pytest.mark.anyio

Purchase: TypeAlias = dict[str, object]

# Of each version of the service, with the digests that it has stored.
SERVICES = json.loads(Path(__file__).with_name("payloads.json").read_text("utf-8"))
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


@pytest.mark.parametrize("empty", [{"metadata": {}}, {"end_user": {}}], ids=list)
@pytest.mark.parametrize("is_first", [False, True])
async def test_an_empty_object_and_none_are_one_payload(
    api: httpx2.AsyncClient, empty: Purchase, is_first: bool
) -> None:
    bare = {"plan_id": ORDER["plan_id"], "reference": "bare"}
    bodies = [bare, {**bare, **empty}]
    first, again = [
        await api.post("/orders", json=body) for body in bodies[:: -1 if is_first else 1]
    ]
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.content, again.headers["idempotent-replay"]) == (first.content, "true")
    for changed in ({"metadata": {"a": ""}}, {"end_user": {"label": "a"}}):
        assert (await api.post("/orders", json={**bare, **changed})).status_code == 422


async def answered(
    api: httpx2.AsyncClient, database: Database, purchase: Purchase, payload: str, version: int
) -> bytes:
    """Store what a service has answered to a request; return it."""
    [partner] = await database.read(partial(rows, "SELECT partner_id FROM partners"))
    order = (await api.post("/orders", json=ORDER)).json()
    body = json.dumps({**order, "reference": purchase["reference"]}).encode()
    columns = "partner_id, mode, operation, reference, payload, body, payload_version"
    await database.write(
        partial(
            execute,
            f"INSERT INTO answers ({columns}) VALUES ($1, 'test', 'createOrder', $2, $3, $4, $5)",
            partner["partner_id"],
            str(purchase["reference"]),
            bytes.fromhex(payload),
            body,
            version,
        )
    )
    return body


@pytest.mark.parametrize("service", SERVICES, ids=itemgetter("service"))
async def test_an_order_of_any_version_of_the_service_is_replayed(
    api: httpx2.AsyncClient, database: Database, service: dict[str, list[dict[str, Purchase]]]
) -> None:
    for purchase in service["purchases"]:
        sent, digest = purchase["body"], str(purchase["payload"])
        if purchase["operation"] != "createOrder":
            # The digests of top-ups are the same in all versions.
            assert payload(TopupCreate(**sent), "8900000000000000005").hex() == digest
            continue
        before = await answered(api, database, sent, digest, int(service["version"]))
        without = {name: value for name, value in sent.items() if value != {}}
        for same in (sent, without, {"end_user": {}, "metadata": {}, **sent}):
            again = await api.post("/orders", json=same)
            assert (again.status_code, again.content) == (201, before), (purchase, same)
            assert again.headers["idempotent-replay"] == "true"
        for changed in ({"quantity": 9}, {"metadata": {"other": ""}}, {"end_user": {"label": "x"}}):
            assert (await api.post("/orders", json={**sent, **changed})).status_code == 422


async def test_a_digest_is_compared_in_its_version_only(
    api: httpx2.AsyncClient, database: Database
) -> None:
    [purchase] = [
        each for each in SERVICES[0]["purchases"] if each["body"]["reference"] == "no-metadata"
    ]
    await answered(api, database, purchase["body"], purchase["payload"], 1)
    stored = await database.read(partial(rows, "SELECT payload_version FROM answers"))
    # Of that order and of one that was placed now.
    assert [record["payload_version"] for record in stored] == [PAYLOAD_VERSION] * 2
    assert (await api.post("/orders", json=purchase["body"])).status_code == 422


async def test_all_timestamps_have_one_form(api: httpx2.AsyncClient, clock: ManualClock) -> None:
    """With fractions, those of a whole second would be written in another form."""
    texts = []
    for number, milliseconds in enumerate((0, 1, 123, 876)):
        clock.advance(milliseconds)
        order = {"plan_id": ORDER["plan_id"], "reference": f"moment-{number}"}
        texts.append((await api.post("/orders", json=order)).json()["created_at"])
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) for text in texts), texts
