"""Webhook delivery times, from event to arrival, and order times beside dead receivers."""

import asyncio
import contextlib
import json
import os
import ssl
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles

import trustme

from lab.benchmarks.service.load import Connection, order
from lab.benchmarks.service.servers import Postgres, Serving, service
from lab.benchmarks.workshop import ROOT, Workshop

ENDPOINTS = 100
DEAD = 1
PER_SECOND = 200
# Dead receivers accept connections and never respond; the others are healthy.
MANY_DEAD = 300
BESIDE_DEAD = 330
CALM_PER_SECOND = 80
_HEAD = b"\r\n\r\n"
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
_LONGEST = 30.0
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of the process that orders and receives; the first receivers are dead."""

    port: int
    prefix: str
    keys: list[str]
    certificate: str
    seconds: float
    per_second: int
    dead: int


@dataclass(frozen=True, slots=True)
class Attempts:
    """The times of first attempts in milliseconds, and the number of those that never arrived.

    Attributes:
        order_p50: the median time of an order, in milliseconds; `order_p99` likewise.
    """

    p50: float
    p99: float
    longest: float
    arrived: int
    missing: int
    order_p50: float
    order_p99: float


def address(number: int) -> str:
    """Return an address of this machine for an endpoint, so that each has a host of its own."""
    return f"127.0.{number // 250 + 1}.{number % 250 + 1}"


def made_at(event_id: str) -> float:
    """Return the time in an id, which is exact to the millisecond; other times are in seconds."""
    time_digits = event_id.partition("_")[2][:10]
    return sum(_DIGITS.index(each) << 5 * (9 - at) for at, each in enumerate(time_digits)) / 1000


class Receiver:
    """Acknowledges every delivery to healthy endpoints; dead ones only accept connections."""

    def __init__(self) -> None:
        self.arrivals: list[tuple[float, bytes]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(_HEAD)).lower()
                start = head.index(b"content-length:") + 15
                body = await reader.readexactly(int(head[start:].split(b"\r\n", 1)[0]))
                self.arrivals.append((time.time(), body))
                writer.write(_ANSWER)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            writer.close()

    async def hang(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)

    def attempts(self, expected: int, orders: list[float]) -> Attempts:
        first: dict[str, float] = {}
        for at, body in self.arrivals:
            event_id = json.loads(body)["id"]
            first.setdefault(event_id, at - made_at(event_id))
        cuts, order_cuts = quantiles(first.values(), n=100), quantiles(orders, n=100)
        return Attempts(
            p50=cuts[49] * 1000,
            p99=cuts[98] * 1000,
            longest=max(first.values()) * 1000,
            arrived=len(first),
            missing=expected - len(first),
            order_p50=order_cuts[49] * 1000,
            order_p99=order_cuts[98] * 1000,
        )


async def ask(plan: Plan, request: bytes) -> bytes:
    """Send a request over its own connection: the service closes idle ones."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", plan.port)
    answer = await connection.send(request)
    connection.close()
    if not answer.startswith(b"HTTP/1.1 201"):
        raise RuntimeError(answer.decode())
    return answer


async def register(plan: Plan, key: str, url: str) -> None:
    body = json.dumps({"url": url, "event_types": ["order.completed"]}).encode()
    head = (
        f"POST {plan.prefix}/webhook-endpoints HTTP/1.1\r\nhost: localhost\r\n"
        f"content-type: application/json\r\nauthorization: Bearer {key}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    await ask(plan, head.encode() + body)


async def run(plan: Plan) -> Attempts:
    """Order at a steady pace and record the deliveries."""
    receiver = Receiver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(plan.certificate)
    alive = await asyncio.start_server(receiver.serve, "0.0.0.0", 0, ssl=context)
    dead = await asyncio.start_server(receiver.hang, "0.0.0.0", 0)
    ports = [server.sockets[0].getsockname()[1] for server in (alive, dead)]
    loop = asyncio.get_running_loop()
    for number, key in enumerate(plan.keys):
        port = ports[number < plan.dead]
        url = f"https://{address(number)}:{port}/hooks"
        await register(plan, key, url)

    async def place(number: int) -> float:
        sent = loop.time()
        key = plan.keys[number % len(plan.keys)]
        await ask(plan, order(plan.prefix, key, f"event-{number}"))
        return loop.time() - sent

    total = round(plan.per_second * plan.seconds)
    began = loop.time()
    placing = []
    for number in range(total):
        await asyncio.sleep(max(0.0, began + number / plan.per_second - loop.time()))
        placing.append(asyncio.create_task(place(number)))
    expected = sum(number % len(plan.keys) >= plan.dead for number in range(total))
    end = loop.time() + _LONGEST
    while len(receiver.arrivals) < expected and loop.time() < end:
        await asyncio.sleep(0.05)
    return receiver.attempts(expected, await asyncio.gather(*placing))


def measure(workshop: Workshop, seconds: float) -> list[Attempts]:
    """Measure the service and its worker in one process on SQLite."""
    certificates = _certificates(workshop)
    found = []
    for number in range(workshop.rounds):
        database = str(workshop.fresh(f"deliveries-{number}") / "service.db")
        found.append(_one(database, certificates, ENDPOINTS, seconds, PER_SECOND, DEAD))
    return found


def beside_dead(
    workshop: Workshop, seconds: float, server: Postgres
) -> dict[tuple[str, int], list[Attempts]]:
    """Measure orders when none or most of the partners have receivers that never respond."""
    certificates = _certificates(workshop)
    found: dict[tuple[str, int], list[Attempts]] = {}
    for number in range(workshop.rounds):
        for dead in (0, MANY_DEAD):
            file = str(workshop.fresh(f"dead-{number}-{dead}") / "service.db")
            for name, database in (("SQLite", file), ("PostgreSQL", server.database())):
                one = _one(database, certificates, BESIDE_DEAD, seconds, CALM_PER_SECOND, dead)
                found.setdefault((name, dead), []).append(one)
    return found


def _certificates(workshop: Workshop) -> Path:
    place = workshop.fresh("certificates")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(place / "ca.pem")
    names = [address(number) for number in range(BESIDE_DEAD)]
    authority.issue_cert(*names).private_key_and_cert_chain_pem.write_to_path(place / "server.pem")
    return place


def _one(
    database: str, certificates: Path, partners: int, seconds: float, per_second: int, dead: int
) -> Attempts:
    variables = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(certificates / "ca.pem"),
    }
    with service(database, partners=partners, variables=variables) as serving:
        attempts = _deliver(serving, certificates / "server.pem", seconds, per_second, dead)
    print("deliveries", dead, attempts, file=sys.stderr, flush=True)
    return attempts


def _deliver(
    serving: Serving, certificate: Path, seconds: float, per_second: int, dead: int
) -> Attempts:
    port, keys = serving.ports[0], serving.keys
    plan = Plan(port, serving.prefix, keys, str(certificate), seconds, per_second, dead)
    done = subprocess.run(
        [sys.executable, "-m", "lab.benchmarks.service.deliveries"],
        input=json.dumps(asdict(plan)),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        check=True,
    )
    return Attempts(**json.loads(done.stdout))


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(json.dumps(asdict(asyncio.run(run(Plan(**json.load(sys.stdin)))))))


if __name__ == "__main__":
    main()
