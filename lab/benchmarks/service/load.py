"""The load generator: a separate process that reads a plan and prints its measurements."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count
from statistics import quantiles

PLAN_ID = "pln_ee-1gb-7d"
CLIENTS = 32
ORDERS_TO_GET = 8
WARM_UP = 0.2
_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length:"


@dataclass(frozen=True, slots=True)
class Plan:
    """The requests to send, their target, credentials and duration.

    Attributes:
        kind: `orders` or `gets`.
        ports: of the server processes; the clients are spread over them.
        tag: makes references different from those of other plans on the same database.
        clients: the number of clients that send one request after another.
    """

    kind: str
    ports: list[int]
    prefix: str
    keys: list[str]
    seconds: float
    tag: str
    clients: int = CLIENTS


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a plan, without its warm-up; times are in milliseconds.

    Attributes:
        began, ended: Unix times between which responses count.
        cpu: microseconds of this process per response.
    """

    per_second: float
    p50: float
    p99: float
    answers: int
    began: float
    ended: float
    cpu: float


class Connection(asyncio.Protocol):
    """A keep-alive connection with one request at a time."""

    def __init__(self) -> None:
        self._seen = b""
        self._end = -1
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the server hung up"))

    def data_received(self, data: bytes) -> None:
        self._seen += data
        if self._end < 0:
            head = self._seen.find(_HEAD)
            if head < 0:
                return
            fields = self._seen[:head].lower()
            start = fields.index(_LENGTH) + len(_LENGTH)
            length = int(fields[start:].split(b"\r\n", 1)[0])
            self._end = head + len(_HEAD) + length
        if len(self._seen) >= self._end and self._answer is not None:
            self._answer.set_result(self._seen)
            self._seen, self._end = b"", -1

    def send(self, request: bytes) -> asyncio.Future[bytes]:
        """Send a request; the result is the whole response."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def close(self) -> None:
        self._transport.close()


def order(prefix: str, key: str, reference: str) -> bytes:
    body = json.dumps(
        {
            "plan_id": PLAN_ID,
            "reference": reference,
            "quantity": 1,
            "end_user": {"label": "guest 4711"},
            "metadata": {"booking": "4711"},
        }
    ).encode()
    head = (
        f"POST {prefix}/orders HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {key}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def get(prefix: str, key: str, order_id: str) -> bytes:
    return (
        f"GET {prefix}/orders/{order_id} HTTP/1.1\r\nhost: localhost\r\n"
        f"authorization: Bearer {key}\r\n\r\n"
    ).encode()


async def _send(connection: Connection, request: bytes) -> bytes:
    answer = await connection.send(request)
    if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
        raise RuntimeError(answer.decode())
    return answer


def _orders(plan: Plan, key: str, client: int) -> Iterator[bytes]:
    for number in count():
        yield order(plan.prefix, key, f"{plan.tag}-{client:02}-{number:08}")


async def _client(plan: Plan, client: int) -> list[tuple[float, float]]:
    """Send one request after another; return the completion time and duration of each."""
    port = plan.ports[client % len(plan.ports)]
    key = plan.keys[client % len(plan.keys)]
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
    requests = _orders(plan, key, client)
    if plan.kind == "gets":
        made = [await _send(connection, next(requests)) for _ in range(ORDERS_TO_GET)]
        ids = [json.loads(answer.partition(_HEAD)[2])["order_id"] for answer in made]
        known = [get(plan.prefix, key, order_id) for order_id in ids]
        requests = (known[number % len(known)] for number in count())
    taken = []
    clock = time.perf_counter
    end = clock() + plan.seconds
    while (started := clock()) < end:
        await _send(connection, next(requests))
        now = clock()
        taken.append((now, now - started))
    connection.close()
    return taken


async def run(plan: Plan) -> Load:
    """Carry out a plan; the first part of its time is only a warm-up."""
    groups = await asyncio.gather(*(_client(plan, client) for client in range(plan.clients)))
    every = sorted(sample for group in groups for sample in group)
    first, last = every[0][0], every[-1][0]
    begin = first + plan.seconds * WARM_UP
    counted = [seconds for at, seconds in every if at >= begin]
    cuts = quantiles(counted, n=100)
    rate, cpu = len(counted) / (last - begin), time.process_time() * 1e6 / len(every)
    passed = time.time() - time.perf_counter()
    window = begin + passed, last + passed
    return Load(rate, cuts[49] * 1000, cuts[98] * 1000, len(every), *window, cpu)


def main() -> None:
    # The other cores are for the servers.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(json.dumps(asdict(asyncio.run(run(Plan(**json.load(sys.stdin)))))))


if __name__ == "__main__":
    main()
