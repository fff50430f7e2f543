"""One session, word by word the same on SQLite and on PostgreSQL, by one process or by three."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from .balancer import balancer
from .running import DEADLINE, esim_service, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"
DAILY = "pln_asia-daily-1gb"
TOPUP_PLAN = "tpl_jp-3gb-30d"

# Values that differ in each session; each is named by the place where it first appears.
_MADE = re.compile(
    r"\b(?:ord|esm|evt|top|whe|req)_[0-9a-z]{26}\b|\b89\d{17}\b|whsec_[\w+/=]+|\d{4}-\d\d-\d\dT[\d:.]+Z"
    r"|[0-9A-F]{5}(?:-[0-9A-F]{5}){3}"
)
# Values that depend on the time.
_PASSING = {"next_cursor": "cursor", "reset_at": "date"}


class Session:
    """The requests of a partner, and the responses."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._names: dict[str, str] = {}
        self.said: list[str] = []

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        """Send a request, note the answer, and return its body."""
        answer = await self._http.request(method, path, **options)
        body = answer.json() if answer.content else None
        shown = {**body, **_shown(body)} if isinstance(body, dict) else body
        headers = sorted(
            f"{name}: {value}"
            for name, value in answer.headers.items()
            if name in ("idempotent-replay", "content-type", "retry-after")
        )
        self.said.append(
            _MADE.sub(self._name, f"{method} {path} {answer.status_code} {headers} {shown}")
        )
        return body

    async def at_once(self, method: str, path: str, **options: Any) -> None:
        """Send a request twice at the same time; note the statuses."""
        requests = (self._http.request(method, path, **options) for _ in range(2))
        answers = await asyncio.gather(*requests)
        self.said.append(f"{method} {path} {sorted(answer.status_code for answer in answers)}")

    async def until(self, path: str, condition: Callable[[Any], bool]) -> None:
        """Wait for a resource, without a note."""

        async def holds() -> bool:
            return condition((await self._http.get(path)).json())

        await until(holds)

    def _name(self, found: re.Match[str]) -> str:
        if "T" in found[0] and found[0].endswith("Z"):
            return "<date>"
        return self._names.setdefault(found[0], f"<{len(self._names)}>")


def _shown(body: dict[str, Any]) -> dict[str, str]:
    return {name: f"<{what}>" for name, what in _PASSING.items() if body.get(name)}


async def everything(session: Session) -> None:
    """Ask for all that there is, and for much that there is not."""
    ask = session.ask

    def order(reference: str, **more: Any) -> dict[str, Any]:
        return {"plan_id": PLAN, "reference": reference, "quantity": 1} | more

    await ask("GET", "/plans", params={"country": "JP"})
    await ask("GET", "/balance")
    first = await ask("POST", "/orders", json=order("r1", quantity=2))
    place = f"/orders/{first['order_id']}"
    await ask("POST", "/orders", json=order("r1", quantity=2))
    await ask("POST", "/orders", json=order("r1"))
    for wrong in (
        order("r2", plan_id="pln_none"),
        order("r2", plan_id=DAILY),
        order("r2", days=3),
        order("r2", plan_id=DAILY, days=90, quantity=20),
        order("r2", quantity=0),
        order("r2", metadata={"sandbox_scenario": "upstream_502"}),
    ):
        await ask("POST", "/orders", json=wrong)
    await session.until(place, lambda found: bool(found["status"] == "completed"))
    iccid = (await ask("GET", place))["iccids"][0]
    await ask("GET", "/orders/ord_none")
    await ask("GET", "/esims", params={"order_id": first["order_id"]})
    await ask("GET", f"/esims/{iccid}")
    await ask("GET", f"/esims/{iccid}/topup-plans")
    topup = {"topup_plan_id": TOPUP_PLAN, "reference": "t1"}
    for body in (
        topup,
        topup,
        {**topup, "days": 3},
        {**topup, "topup_plan_id": "tpl_none", "reference": "t2"},
    ):
        await ask("POST", f"/esims/{iccid}/topups", json=body)
    await session.until("/events", lambda found: len(found["data"]) == 2)
    await ask("POST", "/orders", json=order("r3", metadata={"sandbox_scenario": "out_of_stock"}))
    await session.until("/orders", lambda found: bool(found["data"][0]["status"] == "failed"))
    listed = await ask("GET", "/orders", params={"limit": 1})
    await ask("GET", "/orders", params={"limit": 1, "cursor": listed["next_cursor"]})
    await ask("GET", "/orders", params={"reference": "r1"})
    await ask("GET", "/balance")
    await ask("GET", "/events", params={"type": "topup.completed"})
    for number in range(4):
        await ask("POST", "/webhook-endpoints", json={"url": f"https://127.0.0.1:9/{number}"})
    endpoints = (await ask("GET", "/webhook-endpoints"))["data"]
    for _ in range(2):
        await ask("DELETE", f"/webhook-endpoints/{endpoints[0]['id']}")
    await ask("POST", f"/webhook-endpoints/{endpoints[0]['id']}/test")
    slow = order("r4", metadata={"sandbox_scenario": "slow_order"})
    await session.at_once("POST", "/orders", json=slow)
    await ask("POST", "/orders", json=slow)
    await ask("POST", "/sandbox/reset")
    await ask("GET", "/orders")
    await ask("GET", "/events")
    await ask("POST", "/orders", json=order("r1", quantity=2))


async def said(place: str, processes: int, cwd: Path) -> list[str]:
    with ExitStack() as stack:
        started = [
            stack.enter_context(serving(place, cwd, ESIM_WEBHOOK_ALLOW_CIDR="127.0.0.0/8"))
            for _ in range(processes)
        ]
        headers = {"authorization": f"Bearer {await asyncio.to_thread(started[0].key)}"}
        async with (
            balancer([running.base_url for running in started]) as base_url,
            httpx2.AsyncClient(base_url=base_url, headers=headers, timeout=DEADLINE) as http,
        ):
            session = Session(http)
            await everything(session)
    return session.said


async def test_the_answers_are_the_same_everywhere(
    tmp_path: Path, postgres_url: str, empty_postgres: str
) -> None:
    assert esim_service("migrate", "--database", empty_postgres, cwd=tmp_path).returncode == 0
    on_sqlite = await said(str(tmp_path / "service.db"), 1, tmp_path)
    assert await said(postgres_url, 1, tmp_path) == on_sqlite
    assert await said(empty_postgres, 3, tmp_path) == on_sqlite
    statuses = {int(found[1]) for line in on_sqlite if (found := re.search(r" (\d{3}) ", line))}
    assert {200, 201, 204, 400, 402, 404, 409, 422, 502} <= statuses
