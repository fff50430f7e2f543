"""Plans and eSIMs over HTTP."""

from collections.abc import AsyncIterator
from functools import partial

import httpx2
import pytest
from starlette.requests import Request

from esim_service import catalogue
from esim_service.api.backend import ApiBackend
from esim_service.api.esims import EsimGroup
from esim_service.api.plans import PlanGroup
from esim_service.api.topups import TopupGroup
from esim_service.carrier.simulator import Simulator
from esim_service.domain import partners
from esim_service.domain.stamp import Stamp
from esim_service.store.changes.database import Database
from esim_service.store.tables.catalogue import replace
from esim_service.values.entities import Principal, Scope
from esim_service.values.ids import Ids
from partner_esim.server import Cursors, create_app

from .manual_clock import ManualClock

pytestmark = pytest.mark.anyio


@pytest.fixture
async def api(
    database: Database, clock: ManualClock, ids: Ids
) -> AsyncIterator[httpx2.AsyncClient]:
    await database.write(partial(replace, catalogue.load(catalogue.default_path())))
    partner = await database.write(lambda: partners.ensure("acme", Stamp(clock.now(), ids)))

    async def authenticate(credential: str, request: Request) -> Principal:
        return Principal(Scope(partner.partner_id, "test"), "key", False, None, None)

    backend = ApiBackend(database, clock, ids, Simulator(), Cursors(b"secret"))
    app = create_app(
        plans=PlanGroup(backend),
        esims=EsimGroup(backend),
        topups=TopupGroup(backend),
        authenticate=authenticate,
        unimplemented="501",
    )
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://test",
        headers={"authorization": "Bearer test"},
    ) as client:
        yield client


async def test_plans_come_by_id_and_match_all_filters(api: httpx2.AsyncClient) -> None:
    seen: list[dict[str, object]] = []
    query: dict[str, str | int] = {"country": "fr", "coverage": "regional", "limit": 2}
    while True:
        listed = (await api.get("/plans", params=query)).json()
        seen += listed["data"]
        if not listed["has_more"]:
            break
        query["cursor"] = listed["next_cursor"]
    ids = [str(each["plan_id"]) for each in seen]
    assert ids == sorted(set(ids))
    file = catalogue.load(catalogue.default_path()).plans
    assert ids == sorted(
        each.plan_id for each in file if "FR" in each.countries and each.coverage == "regional"
    )


async def test_only_what_is_for_sale_is_listed(api: httpx2.AsyncClient, database: Database) -> None:
    goods = catalogue.load(catalogue.default_path())
    kept = [plan for plan in goods.plans if "JP" in plan.countries][:1]
    fewer = catalogue.Catalogue(plans=kept, topup_plans=[])
    await database.write(partial(replace, fewer))
    listed = (await api.get("/plans", params={"country": "JP"})).json()["data"]
    assert [each["plan_id"] for each in listed] == [kept[0].plan_id]
    everywhere = (await api.get("/plans", params={"coverage": "global"})).json()["data"]
    assert [each["plan_id"] for each in everywhere] in ([], [kept[0].plan_id])


async def test_a_cursor_belongs_to_its_filters(api: httpx2.AsyncClient) -> None:
    listed = (await api.get("/plans", params={"country": "FR", "limit": 1})).json()
    query = {"country": "DE", "cursor": listed["next_cursor"]}
    answer = await api.get("/plans", params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_cursor")


async def test_one_plan_and_none(api: httpx2.AsyncClient) -> None:
    assert (await api.get("/plans/pln_jp-5gb-30d")).json()["plan_id"] == "pln_jp-5gb-30d"
    assert (await api.get("/plans/pln_none")).status_code == 404


async def test_no_esims_and_an_unknown_one(api: httpx2.AsyncClient) -> None:
    assert (await api.get("/esims")).json() == {
        "data": [],
        "has_more": False,
        "next_cursor": None,
    }
    topup = {"topup_plan_id": "tpl_jp-3gb-30d", "reference": "t"}
    place = "/esims/8900000000000000000"
    for answer in (
        await api.get(place),
        await api.get(f"{place}/topup-plans"),
        await api.post(f"{place}/topups", json=topup),
    ):
        assert answer.status_code == 404
        error = answer.json()["error"]
        found = (error["code"], error["message"], error["param"])
        assert found == ("resource_not_found", "There is no such eSIM.", "path.iccid")
