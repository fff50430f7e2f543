"""First attempts of webhooks: from the moment of an event to its arrival at a healthy endpoint."""

import asyncio
import contextlib
import json
import os
import ssl
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from statistics import quantiles

import trustme

from benchmarks.service.load import Connection, order
from benchmarks.service.servers import Serving, service
from benchmarks.workshop import ROOT, Workshop

ENDPOINTS = 100
DEAD = 1
PER_SECOND = 200
_HEAD = b"\r\n\r\n"
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
_LONGEST = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What the process that orders and receives has to know."""

    port: int
    prefix: str
    keys: list[str]
    certificate: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Attempts:
    """How long first attempts took in milliseconds, and how many of them never came."""

    p50: float
    p99: float
    longest: float
    arrived: int
    missing: int


def address(number: int) -> str:
    """An address of this machine for each endpoint, as different hosts have."""
    return f"127.0.1.{number + 1}"


class Receiver:
    """Acknowledges everything that arrives at healthy endpoints; the dead ones only accept."""

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

    def attempts(self, expected: int) -> Attempts:
        first: dict[str, float] = {}
        for at, body in self.arrivals:
            event = json.loads(body)
            created = datetime.fromisoformat(event["created_at"]).timestamp()
            first.setdefault(event["id"], at - created)
        cuts = quantiles(first.values(), n=100)
        return Attempts(
            p50=cuts[49] * 1000,
            p99=cuts[98] * 1000,
            longest=max(first.values()) * 1000,
            arrived=len(first),
            missing=expected - len(first),
        )


async def register(connection: Connection, plan: Plan, key: str, url: str) -> None:
    body = json.dumps({"url": url, "event_types": ["order.completed"]}).encode()
    head = (
        f"POST {plan.prefix}/webhook-endpoints HTTP/1.1\r\nhost: localhost\r\n"
        f"content-type: application/json\r\nauthorization: Bearer {key}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    answer = await connection.send(head.encode() + body)
    if not answer.startswith(b"HTTP/1.1 201"):
        raise RuntimeError(answer.decode())


async def run(plan: Plan) -> Attempts:
    """Order at a steady pace and watch what arrives."""
    receiver = Receiver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(plan.certificate)
    alive = await asyncio.start_server(receiver.serve, "0.0.0.0", 0, ssl=context)
    dead = await asyncio.start_server(receiver.hang, "0.0.0.0", 0)
    ports = [server.sockets[0].getsockname()[1] for server in (alive, dead)]
    loop = asyncio.get_running_loop()
    connections = [
        (await loop.create_connection(Connection, "127.0.0.1", plan.port))[1] for _ in plan.keys
    ]
    for number, key in enumerate(plan.keys):
        port = ports[number < DEAD]
        url = f"https://{address(number)}:{port}/hooks"
        await register(connections[number], plan, key, url)

    total = round(PER_SECOND * plan.seconds)
    began = loop.time()
    for number in range(total):
        await asyncio.sleep(max(0.0, began + number / PER_SECOND - loop.time()))
        place = number % len(plan.keys)
        request = order(plan.prefix, plan.keys[place], f"event-{number}")
        connections[place].send(request)
    expected = sum(number % len(plan.keys) >= DEAD for number in range(total))
    end = loop.time() + _LONGEST
    while len(receiver.arrivals) < expected and loop.time() < end:
        await asyncio.sleep(0.05)
    return receiver.attempts(expected)


def measure(workshop: Workshop, seconds: float) -> list[Attempts]:
    """Measure the service with its worker in one process on SQLite."""
    place = workshop.fresh("certificates")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(place / "ca.pem")
    names = [address(number) for number in range(ENDPOINTS)]
    authority.issue_cert(*names).private_key_and_cert_chain_pem.write_to_path(place / "server.pem")
    variables = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(place / "ca.pem"),
    }
    found = []
    for number in range(workshop.rounds):
        database = str(workshop.fresh(f"deliveries-{number}") / "service.db")
        with service(database, partners=ENDPOINTS, variables=variables) as serving:
            found.append(_one(serving, place / "server.pem", seconds))
            print("deliveries", found[-1], file=sys.stderr, flush=True)
    return found


def _one(serving: Serving, certificate: Path, seconds: float) -> Attempts:
    plan = Plan(serving.ports[0], serving.prefix, serving.keys, str(certificate), seconds)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.service.deliveries"],
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
