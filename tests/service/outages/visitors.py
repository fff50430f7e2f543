"""Clients that order and read, and never repeat a request: each failure of one is counted."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2

PLAN = "pln_ee-1gb-7d"
PATIENCE_SECONDS = 60.0
REFUSED = "refused"
_GOOD = (("GET", "200"), ("POST", "201"))


@dataclass
class Visits:
    """The results of all requests.

    Attributes:
        outcomes: how often a method got a status, `refused`, or the name of another error.
        acknowledged: the response to each order, by key and reference.
        longest_seconds: how long a request took at most.
    """

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    acknowledged: dict[tuple[str, str], bytes] = field(default_factory=dict)
    longest_seconds: float = 0.0

    @property
    def total(self) -> int:
        return self.outcomes.total()

    @property
    def failed(self) -> Counter[tuple[str, str]]:
        """The results that a service which is always there does not have."""
        return Counter({key: n for key, n in self.outcomes.items() if key not in _GOOD})


@asynccontextmanager
async def visiting(
    base_url: str, keys: Sequence[str], trust: ssl.SSLContext | None = None
) -> AsyncIterator[Visits]:
    """Let two clients of each key visit for the time of the context.

    One keeps its connection, and the other makes one for each request.
    """
    visits = Visits()
    stopped = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for key in keys:
            for kept in (1, 0):
                http = httpx2.AsyncClient(
                    base_url=base_url,
                    headers={"Authorization": f"Bearer {key}"},
                    limits=httpx2.Limits(max_keepalive_connections=kept),
                    timeout=PATIENCE_SECONDS,
                    verify=True if trust is None else trust,
                )
                group.create_task(_visit(http, key, f"kept-{kept}", visits, stopped))
        try:
            yield visits
        finally:
            stopped.set()


async def _visit(
    http: httpx2.AsyncClient, key: str, name: str, visits: Visits, stopped: asyncio.Event
) -> None:
    number = 0
    async with http:
        while not stopped.is_set():
            number += 1
            reference = f"{name}-{number}"
            ordered = await _request(
                visits, http, "POST", "/orders", {"plan_id": PLAN, "reference": reference}
            )
            if ordered is not None and ordered.status_code == 201:
                visits.acknowledged[key, reference] = ordered.content
            await _request(visits, http, "GET", "/balance")


async def _request(
    visits: Visits,
    http: httpx2.AsyncClient,
    method: str,
    path: str,
    body: dict[str, str] | None = None,
) -> httpx2.Response | None:
    begun = time.monotonic()
    answer = None
    try:
        answer = await http.request(method, path, json=body)
        outcome = str(answer.status_code)
    except httpx2.ConnectError:
        outcome = REFUSED
    except httpx2.TransportError as error:
        outcome = type(error).__name__
    visits.outcomes[method, outcome] += 1
    visits.longest_seconds = max(visits.longest_seconds, time.monotonic() - begun)
    return answer
