"""Requests by hand, which show that a fault is there and that the service without it is right.

A proof is a function that says whether the service keeps the promise that a fault breaks. Each one
gets partners of its own, so that many of them can be asked of one service.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import trustme

from esim_service.domain import partners
from esim_service.domain.stamp import Stamp
from esim_service.keys import auth
from esim_service.store.drivers.open import open_database
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import partners as store
from esim_service.values.clock import SystemClock
from esim_service.values.entities import Mode, PartnerKey, Scope
from esim_service.values.ids import Ids
from esim_service.values.money import UNITS_PER_DOLLAR
from lab.faults.seeding import Seed

T = TypeVar("T")

PLAN = "pln_fr-1gb-7d"
DAILY_PLAN = "pln_eu-daily-1gb"
UNLIMITED_PLAN = "pln_fr-daily-unlimited"
DEAR_PLAN = "pln_africa-5gb-30d"
TOPUP_PLAN = "tpl_fr-3gb-30d"
DAILY_TOPUP_PLAN = "tpl_fr-daily-1gb"
MANY = 1_000_000
# What comes at all comes within this time; a machine with other work is slow.
SECONDS = 25.0

Api = httpx2.Client
Answer = httpx2.Response


class Desk:
    """Clients of partners who exist for one proof."""

    def __init__(self, base_url: str, database: Path, authority: trustme.CA) -> None:
        self.base_url = base_url
        self.authority = authority
        self.database = database
        self._name = f"partner-{secrets.token_hex(8)}"

    @cached_property
    def api(self) -> Api:
        """A partner in test mode, whose rate limits are out of the way."""
        return self.client(self.key())

    @cached_property
    def other(self) -> Api:
        """Another partner."""
        return self.client(self.key(name=f"{self._name}-other"))

    @cached_property
    def live(self) -> Api:
        """The first partner in live mode, with 1000.00 USD."""
        return self.client(self.key(mode="live"))

    @cached_property
    def limited(self) -> Api:
        """The first partner, with the rate limits of the contract."""
        return self.client(self.key(limit=None))

    @cached_property
    def suspended(self) -> Api:
        """A suspended partner."""
        return self.client(self.key(name=f"{self._name}-suspended", suspended=True))

    @cached_property
    def anybody(self) -> Api:
        """Sends no key."""
        return httpx2.Client(base_url=self.base_url, timeout=60)

    def client(self, key: str, scheme: str = "Bearer ") -> Api:
        """Return a client that sends a key."""
        headers = {"Authorization": f"{scheme}{key}"}
        return httpx2.Client(base_url=self.base_url, headers=headers, timeout=60)

    def key(
        self,
        *,
        name: str = "",
        mode: Mode = "test",
        limit: int | None = MANY,
        suspended: bool = False,
    ) -> str:
        """Issue a key beside the service."""
        text, clock = auth.new_key(mode), SystemClock()
        stamp = Stamp(clock.now(), Ids(clock))

        def make() -> Unit[PartnerKey]:
            owner = yield from partners.ensure(name or self._name, stamp)
            scope = Scope(owner.partner_id, mode)
            if mode == "live":
                yield from partners.credit(scope, 1000 * UNITS_PER_DOLLAR, stamp)
            if suspended:
                yield from store.set_status(owner.partner_id, "suspended")
            return (
                yield from partners.issue_key(
                    *(scope, auth.digest(text), text[-4:], stamp),
                    read_limit=limit,
                    write_limit=limit,
                )
            )

        async def issue() -> None:
            async with open_database(str(self.database), exclusive=False) as database:
                await database.write(make)

        asyncio.run(issue())
        return text


Proof = Callable[[Desk], bool]
PROOFS: dict[str, Proof] = {}


def shown_by(proof: Proof) -> Callable[[Seed], Seed]:
    """Name the proof of a fault: it returns True without the fault and False with it."""

    def keep(seed: Seed) -> Seed:
        PROOFS[seed.__name__.replace("_", "-")] = proof
        return seed

    return keep


def fresh() -> str:
    """Return a reference that has not been used."""
    return f"by-hand-{secrets.token_hex(8)}"


def eventually(look: Callable[[], T], seconds: float = SECONDS) -> T:
    """Look until there is something to see, or for so long; return what was seen last."""
    end = time.monotonic() + seconds
    while not (seen := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return seen


def order(api: Api, plan_id: str = PLAN, *, reference: str = "", **more: object) -> Answer:
    """Place an order."""
    body = {"plan_id": plan_id, "reference": reference or fresh(), **more}
    return api.post("/orders", json=body)


def played(scenario: str) -> dict[str, str]:
    """Return the metadata that choose a scenario."""
    return {"sandbox_scenario": scenario}


def ended(api: Api, order_id: str) -> Any:
    """Return an order that has come to its end."""

    def look() -> Any:
        found = api.get(f"/orders/{order_id}").json()
        return found if found["status"] != "processing" else None

    return eventually(look)


def ordered(api: Api, plan_id: str = PLAN, **more: object) -> Any:
    """Place an order and return it when it has come to its end."""
    return ended(api, order(api, plan_id, **more).json()["order_id"])


def esim(api: Api, scenario: str = "", status: str = "ready", plan_id: str = PLAN) -> Any:
    """Order an eSIM and return it once it has a status."""
    metadata = played(scenario) if scenario else {}
    (iccid,) = ordered(api, plan_id, metadata=metadata)["iccids"]

    def look() -> Any:
        found = api.get(f"/esims/{iccid}").json()
        return found if found["status"] == status else None

    return eventually(look)


def topup(
    api: Api, iccid: str, plan_id: str = TOPUP_PLAN, *, reference: str = "", **more: object
) -> Answer:
    """Buy a top-up."""
    body = {"topup_plan_id": plan_id, "reference": reference or fresh(), **more}
    return api.post(f"/esims/{iccid}/topups", json=body)


def balance(api: Api) -> Decimal:
    """Return the balance."""
    return Decimal(api.get("/balance").json()["balance_usd"])


def code(answer: Answer) -> str:
    """Return the code of an error."""
    return str(answer.json()["error"]["code"])


def events(api: Api, type_: str) -> list[Any]:
    """Return the events of a type."""
    found: list[Any] = api.get("/events", params={"type": type_, "limit": 200}).json()["data"]
    return found


def event(api: Api, type_: str) -> Any:
    """Return the first event of a type, or None when there is none in time."""
    return next(iter(eventually(lambda: events(api, type_))), None)


@dataclass
class Delivery:
    """A request to a receiver."""

    at: float
    headers: dict[str, str]
    body: bytes


# What a receiver does with its delivery of this number, from 1: a status; 0 to hang up, less to
# wait for so many seconds and then answer 200.
Manner = Callable[[int], int]


@dataclass
class Receiver:
    """An endpoint on this machine, with what it has got."""

    url: str
    deliveries: list[Delivery] = field(default_factory=list)

    def has(self, count: int, seconds: float = SECONDS) -> bool:
        """Whether so many deliveries come in time."""
        return eventually(lambda: len(self.deliveries) >= count, seconds)


@contextlib.contextmanager
def receiving(desk: Desk, manner: Manner = lambda _: 200) -> Iterator[Receiver]:
    """Receive on this machine for the time of the context."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen.deliveries.append(Delivery(time.time(), headers, body))
            status = manner(len(seen.deliveries))
            if status < 0:
                time.sleep(-status)
            if status:
                self.send_response(max(status, 200))
                self.send_header("Content-Length", "0")
                self.end_headers()
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    desk.authority.issue_cert("127.0.0.1").configure_cert(context)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    seen = Receiver(f"https://127.0.0.1:{server.server_port}/hook")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def register(
    api: Api, url: str = "https://hooks.example.com/a", types: Sequence[str] | None = None
) -> Any:
    """Register an endpoint."""
    chosen = {} if types is None else {"event_types": types}
    return api.post("/webhook-endpoints", json={"url": url, **chosen}).json()


def tested(api: Api, url: str) -> Any:
    """Register an endpoint and send it a test event, which it has not selected; return it."""
    endpoint = register(api, url, ["esim.expired"])
    api.post(f"/webhook-endpoints/{endpoint['id']}/test")
    return endpoint
