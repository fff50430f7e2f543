"""Fair queuing: what a partner sends at once delays only itself."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.types import Message

from esim_service.api.backend import CARRIER_PER_SCOPE, READS_PER_SCOPE, ApiBackend
from esim_service.api.balance import BalanceGroup
from esim_service.api.esims import EsimGroup
from esim_service.api.events import EventGroup
from esim_service.api.orders import OrderGroup
from esim_service.api.plans import PlanGroup
from esim_service.api.sandbox import SandboxGroup
from esim_service.api.slots import Slots
from esim_service.api.topups import TopupGroup
from esim_service.api.webhook_endpoints import WebhookEndpointGroup
from esim_service.carrier.simulator import Simulator
from esim_service.domain import partners
from esim_service.rate_limits.limiter import KeyLimiter
from esim_service.store.changes.database import UnavailableError
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.values.clock import DAY, SystemClock
from esim_service.values.entities import Principal, Scope
from esim_service.values.ids import Ids
from partner_esim import AsyncEsimClient
from partner_esim.server import Allowance, Context, Cursors, RateLimitClass, create_app
from tests.conftest import ROOT

from .caller import PLAN, Caller
from .large import fill
from .running import DEADLINE, Running, serving, until
from .world import World

pytestmark = pytest.mark.anyio

SLOW_PLAN = "pln_jp-5gb-30d"
MANY = 60
PAGE = "/esims?limit=100"
LARGE, SMALL = "acme", "small"
# Method, path and body.
Sent: TypeAlias = tuple[str, str, bytes]
ICCID = "8900000000000000001"
# A request for each operation of the contract.
REQUESTS = {
    "GET /plans": ("/plans?country=JP", None),
    "GET /plans/{plan_id}": (f"/plans/{PLAN}", None),
    "GET /orders": ("/orders", None),
    "POST /orders": ("/orders", {"plan_id": PLAN, "reference": "r"}),
    "GET /orders/{order_id}": ("/orders/ord_1", None),
    "GET /esims": ("/esims", None),
    "GET /esims/{iccid}": (f"/esims/{ICCID}", None),
    "GET /esims/{iccid}/topup-plans": (f"/esims/{ICCID}/topup-plans", None),
    "POST /esims/{iccid}/topups": (
        f"/esims/{ICCID}/topups",
        {"topup_plan_id": "tpl_jp-3gb-30d", "reference": "t"},
    ),
    "GET /balance": ("/balance", None),
    "GET /events": ("/events", None),
    "GET /webhook-endpoints": ("/webhook-endpoints", None),
    "POST /webhook-endpoints": ("/webhook-endpoints", {"url": "https://hooks.example/"}),
    "DELETE /webhook-endpoints/{id}": ("/webhook-endpoints/whe_1", None),
    "POST /webhook-endpoints/{id}/test": ("/webhook-endpoints/whe_1/test", None),
    "POST /sandbox/reset": ("/sandbox/reset", None),
}


async def any_message() -> Message:
    """Return the end of a body."""
    return {"type": "http.request"}


async def any_url(_: str) -> None:
    """Let every URL be registered."""


@asynccontextmanager
async def clients(
    world: World, reads: int, writes: int, taken: int
) -> AsyncIterator[dict[str, httpx2.AsyncClient]]:
    """Clients of two partners, of which the large one has some slots taken all the time."""
    small = await world.database.write(lambda: partners.ensure(SMALL, world.stamp()))
    scopes = {LARGE: world.scope(), SMALL: Scope(small.partner_id, "test")}

    async def authenticate(credential: str, request: Request) -> Principal:
        return Principal(scopes[credential], credential, False, None, None)

    backend = ApiBackend(
        world.database,
        world.clock,
        world.ids,
        Simulator(),
        Cursors(b"secret"),
        reads=Slots(reads, wait_seconds=0.01),
        writes=Slots(writes, wait_seconds=0.01),
    )
    app = create_app(
        plans=PlanGroup(backend),
        orders=OrderGroup(backend),
        esims=EsimGroup(backend),
        topups=TopupGroup(backend),
        balance=BalanceGroup(backend),
        events=EventGroup(backend),
        webhook_endpoints=WebhookEndpointGroup(backend, any_url, str),
        sandbox=SandboxGroup(backend),
        authenticate=authenticate,
    )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(backend.reads.take(scopes[LARGE], taken))
        await stack.enter_async_context(backend.writes.take(scopes[LARGE], taken))
        yield {
            name: await stack.enter_async_context(
                httpx2.AsyncClient(
                    transport=httpx2.ASGITransport(app),
                    base_url="http://test",
                    headers={"authorization": f"Bearer {name}"},
                )
            )
            for name in scopes
        }


async def test_each_operation_waits_for_slots_of_its_partner_only(world: World) -> None:
    async with clients(world, reads=1, writes=1, taken=1) as partner:
        for operation, (path, body) in REQUESTS.items():
            method = operation.split()[0]
            large = await partner[LARGE].request(method, path, json=body)
            outcome = large.status_code, large.headers.get("retry-after")
            assert (operation, outcome) == (operation, (503, "1"))
            small = await partner[SMALL].request(method, path, json=body)
            assert (operation, small.status_code) != (operation, 503)


async def test_a_page_takes_slots_for_its_rows(world: World) -> None:
    lists = [
        "/plans?country=JP&",
        f"/esims/{ICCID}/topup-plans?",
        "/orders?",
        "/esims?",
        "/events?",
    ]
    async with clients(world, reads=READS_PER_SCOPE, writes=1, taken=1) as partner:
        for path in lists:
            statuses = [
                (await partner[LARGE].get(f"{path}limit={limit}")).status_code
                for limit in (100, 99)
            ]
            assert (path, statuses[0], statuses[1] != 503) == (path, 503, True)


class StoppedWindows:
    """Windows that never answer for one partner, and the requests that they were asked about."""

    def __init__(self) -> None:
        self.buckets: list[str] = []

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        self.buckets.append(bucket)
        if bucket == f"{LARGE}/read":
            await asyncio.Event().wait()
        return Allowance(True, 1, 1)

    async def check(self) -> None:
        """Do nothing."""


async def test_requests_are_counted_a_few_of_a_partner_at_a_time() -> None:
    windows = StoppedWindows()
    limiter = KeyLimiter(windows)

    async def take(name: str) -> Allowance:
        context = Context[Principal]({"type": "http", "headers": []}, any_message)
        context.principal = Principal(Scope(name, "test"), name, False, None, None)
        return await limiter.take(RateLimitClass("read", 600, 60), context)

    async with asyncio.timeout(DEADLINE):
        waiting = [asyncio.create_task(take(LARGE)) for _ in range(MANY)]
        # All of them wait from now on.
        await asyncio.sleep(0)
        assert (await take(SMALL)).allowed
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert 0 < windows.buckets.count(f"{LARGE}/read") < MANY / 2


def test_each_operation_of_the_contract_has_a_request() -> None:
    document = json.loads((ROOT / "spec" / "openapi.json").read_text("utf-8"))
    declared = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item.keys() & {"get", "post", "delete"}
    }
    assert REQUESTS.keys() == declared


@asynccontextmanager
async def served(place: str, cwd: Path) -> AsyncIterator[Running]:
    """Serve a partner with pages that take some time, for the duration of the context."""
    clock = SystemClock()
    async with open_database(place) as database:
        await migrate(database)
        world = World(database, clock, Ids(clock))
        await world.prepare()
        # Nothing of it is due.
        await fill(world, 400, clock.now() + DAY)
    with serving(place, cwd) as running:
        yield running


class Crowd:
    """Connections that each send one request at the same time, and the order of their answers."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, int]] = []

    def before(self, name: str) -> int:
        """Return how many were answered before the one with a name."""
        return [answered for answered, _ in self.answers].index(name)

    @property
    def statuses(self) -> set[int]:
        return {status for _, status in self.answers}

    async def send(self, callers: Sequence[Caller], requests: Mapping[str, Sent]) -> None:
        """Send requests, the last one last, and wait for all answers."""
        async with asyncio.timeout(DEADLINE), asyncio.TaskGroup() as group:
            for caller, (name, request) in zip(callers, requests.items(), strict=True):
                group.create_task(self._send(caller, name, request))

    async def _send(self, caller: Caller, name: str, request: Sent) -> None:
        answer = await caller.send(*request)
        self.answers.append((name, answer.status))


@asynccontextmanager
async def connected(running: Running, keys: Iterable[str]) -> AsyncIterator[list[Caller]]:
    """Connect once for each of some keys; each connection has had a response."""
    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(Caller(running.base_url, key)) for key in keys]
        for caller in callers:
            assert (await caller.send("GET", "/balance")).status == 200
        yield callers


def page(_: str) -> Sent:
    return "GET", PAGE, b""


def order(reference: str) -> Sent:
    return "POST", "/orders", json.dumps({"plan_id": PLAN, "reference": reference}).encode()


def burst(make: Callable[[str], Sent]) -> dict[str, Sent]:
    return {name: make(name) for name in map(str, range(MANY))}


@pytest.mark.parametrize("make", [page, order], ids=["reads", "orders"])
async def test_a_burst_delays_only_itself(
    ready: str, tmp_path: Path, make: Callable[[str], Sent]
) -> None:
    async with served(ready, tmp_path) as running:
        keys = [*[running.key("test", LARGE)] * MANY, running.key("test", SMALL)]
        crowd = Crowd()
        async with connected(running, keys) as callers:
            await crowd.send(callers, {**burst(make), SMALL: make(SMALL)})
    assert crowd.statuses == {201 if make is order else 200}
    assert crowd.before(SMALL) < MANY / 2


async def test_an_order_does_not_wait_behind_the_reads_of_its_partner(
    ready: str, tmp_path: Path
) -> None:
    async with served(ready, tmp_path) as running:
        crowd = Crowd()
        async with connected(running, [running.key("test", LARGE)] * (MANY + 1)) as callers:
            await crowd.send(callers, {**burst(page), "order": order("r")})
    assert crowd.before("order") < MANY / 2


async def test_requests_that_wait_are_answered_when_the_service_stops(
    ready: str, tmp_path: Path
) -> None:
    async with served(ready, tmp_path) as running:

        async def all_have_arrived() -> bool:
            text = httpx2.get(f"{running.operations}/metrics").text
            counts = re.findall(r"^esim_http_requests_(?:open|total\S+) (\S+)", text, re.MULTILINE)
            # Each connection has had a response before.
            return sum(map(float, counts)) >= 2 * MANY

        crowd = Crowd()
        async with connected(running, [running.key("test", LARGE)] * MANY) as callers:
            sent = asyncio.create_task(crowd.send(callers, burst(page)))
            await until(all_have_arrived)
            assert await asyncio.to_thread(running.stop) == 0
            await sent
    assert (len(crowd.answers), crowd.statuses) == (MANY, {200})


async def test_clients_that_go_away_keep_no_slots(ready: str, tmp_path: Path) -> None:
    async with served(ready, tmp_path) as running:
        key = running.key("test", LARGE)
        async with connected(running, [key] * MANY) as callers:
            sent = [asyncio.create_task(caller.send(*page(""))) for caller in callers]
            await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
            for task in sent:
                task.cancel()
            await asyncio.gather(*sent, return_exceptions=True)
        async with connected(running, [key]) as [caller]:
            assert (await caller.send(*page(""))).status == 200


async def slow(client: AsyncEsimClient, reference: str) -> None:
    """Place an order that the carrier takes three seconds for."""
    scenario = {"sandbox_scenario": "slow_order"}
    await client.orders.create(plan_id=SLOW_PLAN, reference=reference, metadata=scenario)


async def test_slow_orders_of_one_partner_do_not_hold_up_another(
    postgres_url: str, tmp_path: Path
) -> None:
    with serving(postgres_url, tmp_path) as running:
        async with (
            running.async_client(running.key("test", "many", "--write-limit", "1000")) as many,
            running.async_client(running.key("test", "one")) as one,
        ):
            placed = [asyncio.create_task(slow(many, f"r-{number}")) for number in range(MANY)]

            async def some_are_answered() -> bool:
                return any(task.done() for task in placed)

            await until(some_are_answered)
            await slow(one, "r")
            answered = sum(task.done() for task in placed)
            for task in placed:
                task.cancel()
            await asyncio.gather(*placed, return_exceptions=True)
            assert answered < MANY / 2


async def test_slots_are_waited_for_a_limited_time() -> None:
    slots = Slots(CARRIER_PER_SCOPE, wait_seconds=0.01)
    many, one = Scope("many", "live"), Scope("one", "live")
    async with asyncio.timeout(DEADLINE):
        async with AsyncExitStack() as held:
            for _ in range(CARRIER_PER_SCOPE):
                await held.enter_async_context(slots.take(many))
            with pytest.raises(UnavailableError):
                await held.enter_async_context(slots.take(many))
            for other in (one, Scope("many", "test")):
                await held.enter_async_context(slots.take(other))
        async with AsyncExitStack() as held:
            for _ in range(CARRIER_PER_SCOPE):
                await held.enter_async_context(slots.take(many))


@pytest.mark.parametrize("end", ["release", "time", "cancellation", "turn"])
async def test_slots_that_nothing_occupies_are_forgotten(end: str) -> None:
    slots, scope = Slots(1, wait_seconds=0.01 if end == "time" else DEADLINE), Scope("one", "test")

    async def enter() -> None:
        async with slots.take(scope):
            pass

    async with asyncio.timeout(DEADLINE):
        async with slots.take(scope):
            if end != "release":
                waiting = asyncio.create_task(enter())
                await asyncio.sleep(0)
            if end == "cancellation":
                waiting.cancel()
            if end in ("time", "cancellation"):
                await asyncio.wait([waiting])
        if end == "turn":
            # It has the slot, and has not begun.
            waiting.cancel()
            await asyncio.wait([waiting])
    before = len(gc.get_objects())
    for number in range(1_000):
        async with slots.take(Scope(str(number), "test")):
            pass
    gc.collect()
    assert len(gc.get_objects()) < before + 500
    # The one of this scope is new, and the only one.
    async with slots.take(scope):
        task = asyncio.create_task(enter())
        await asyncio.sleep(0)
        assert not task.done()
    await task


async def test_a_slot_is_free_again_after_an_error_and_after_a_cancellation() -> None:
    slots, scope = Slots(1), Scope("one", "test")
    entered: list[str] = []

    async def enter(name: str) -> None:
        async with slots.take(scope):
            entered.append(name)

    async with asyncio.timeout(DEADLINE):
        with pytest.raises(ZeroDivisionError):
            async with slots.take(scope):
                raise ZeroDivisionError
        async with slots.take(scope):
            cancelled, last = (asyncio.create_task(enter(name)) for name in ("cancelled", "last"))
            # Both wait from now on.
            await asyncio.sleep(0)
            cancelled.cancel()
        await asyncio.wait([cancelled, last])
        await enter("one more")
    assert entered == ["last", "one more"]


async def test_requests_of_a_scope_get_its_slots_in_their_order() -> None:
    slots, scope = Slots(3), Scope("one", "test")
    entered: list[int] = []
    taken: list[int] = []

    async def enter(number: int) -> None:
        count = number % 3 + 1
        async with slots.take(scope, count):
            entered.append(number)
            taken.append(count)
            assert sum(taken) <= 3
            await asyncio.sleep(0)
            taken.remove(count)

    await asyncio.gather(*map(enter, range(MANY)))
    assert entered == list(range(MANY))


async def test_what_waits_behind_a_large_request_passes_it_once_that_is_cancelled() -> None:
    slots, scope = Slots(2), Scope("one", "test")

    async def enter(count: int) -> None:
        async with slots.take(scope, count):
            pass

    async with asyncio.timeout(DEADLINE), slots.take(scope):
        large, small = (asyncio.create_task(enter(count)) for count in (2, 1))
        # Both wait from now on.
        await asyncio.sleep(0)
        assert not small.done()
        large.cancel()
        await small
        # The cancelled one has freed nothing.
        other = asyncio.create_task(enter(2))
        await asyncio.sleep(0)
        assert not other.done()
    async with asyncio.timeout(DEADLINE):
        await other
    # A request that needs more slots than there are gets all.
    async with asyncio.timeout(DEADLINE):
        await enter(3)


async def test_a_request_that_is_cancelled_as_its_turn_comes_gives_it_up() -> None:
    slots, scope = Slots(1), Scope("one", "test")

    async def enter() -> None:
        async with slots.take(scope):
            pytest.fail("it was cancelled")

    async with asyncio.timeout(DEADLINE):
        async with slots.take(scope):
            waiting = asyncio.create_task(enter())
            await asyncio.sleep(0)
        # It has the slot from now on, and has not begun.
        waiting.cancel()
        await asyncio.wait([waiting])
        async with slots.take(scope):
            pass


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for slots: it keeps them for some passes of the loop, unless it is cancelled."""

    key: str
    count: int
    passes: int
    cancelled_after: int | None


VISITS = st.builds(
    Visit,
    key=st.sampled_from("ab"),
    count=st.integers(1, 4),
    passes=st.integers(0, 3),
    cancelled_after=st.none() | st.integers(0, 6),
)


@given(st.lists(VISITS, max_size=12))
def test_no_key_ever_has_more_slots_and_none_is_lost(visits: Sequence[Visit]) -> None:
    slots, taken = Slots(3, wait_seconds=DEADLINE), Counter[str]()

    async def enter(visit: Visit) -> None:
        count = min(visit.count, 3)
        async with slots.take(visit.key, visit.count):
            taken[visit.key] += count
            assert taken[visit.key] <= 3
            try:
                for _ in range(visit.passes):
                    await asyncio.sleep(0)
            finally:
                taken[visit.key] -= count

    async def run() -> None:
        tasks = [asyncio.create_task(enter(visit)) for visit in visits]
        for number in range(7):
            await asyncio.sleep(0)
            for visit, task in zip(visits, tasks, strict=True):
                if visit.cancelled_after == number:
                    task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(end is None or isinstance(end, asyncio.CancelledError) for end in ends)
        async with asyncio.timeout(DEADLINE), slots.take("a", 3), slots.take("b", 3):
            pass

    asyncio.run(run())
