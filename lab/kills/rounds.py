"""Rounds of kill -9 under load: a process that serves is killed, and its successor asked."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.service.books import Books, books
from tests.service.caller import GONE, Answer, Caller
from tests.service.receiver import Authority, Receiver, answer, receiver
from tests.service.running import Running, esim_service, until

CLIENTS = 12
# Of the seconds after the first response of a round, in which its process is killed.
LATEST_KILL = 0.25
AGAIN_SECONDS = 0.05
# What a process that was killed has claimed is due again after half a minute.
SETTLED_SECONDS = 120.0
AUDITED = 10
PAGE = 100


@dataclass
class Tally:
    """Counts of the run; violations are not counted, since the first one ends the run."""

    rounds: int = 0
    acknowledged: int = 0
    cut_off: int = 0
    committed: int = 0
    events: int = 0
    deliveries: int = 0
    seconds: float = 0.0


@dataclass
class Partner:
    """A partner of one round, with its records: it orders, and one of its clients polls.

    Attributes:
        answered: the bytes that came back for a reference.
        unanswered: references whose request got no whole answer.
    """

    name: str
    key: str
    answered: dict[str, bytes] = field(default_factory=dict)
    unanswered: list[str] = field(default_factory=list)
    polled: list[str] = field(default_factory=list)
    place: str = ""

    async def order(self, base_url: str, client: int, stopped: asyncio.Event) -> None:
        """Place one order after another until told to stop, or until the server is gone."""
        number = 0
        reference = ""
        try:
            async with Caller(base_url, self.key) as caller:
                while not stopped.is_set():
                    reference = f"{client}-{number}"
                    self.keep(reference, await caller.order(reference))
                    number += 1
        except GONE:
            # Without one, it was not even reached.
            if reference and reference not in self.answered:
                self.unanswered.append(reference)

    def keep(self, reference: str, answer: Answer) -> None:
        """Keep an acknowledged order; the same reference must always have the same bytes."""
        assert answer.status == 201, answer
        known = self.answered.setdefault(reference, answer.body)
        assert known == answer.body, f"{reference} has two answers"

    async def poll(self, base_url: str, stopped: asyncio.Event) -> None:
        """Follow the feed until told to stop, or until the server is gone."""
        try:
            async with Caller(base_url, self.key) as caller:
                while not stopped.is_set():
                    await self.read_page(caller)
        except GONE:
            return

    async def read_page(self, caller: Caller) -> bool:
        """Read a page of the feed; return whether there is more."""
        place = f"&cursor={self.place}" if self.place else ""
        answer = await caller.send("GET", f"/events?limit={PAGE}{place}")
        assert answer.status == 200, answer
        page = json.loads(answer.body)
        self.polled += [event["id"] for event in page["data"]]
        self.place = page["next_cursor"]
        return bool(page["has_more"])

    async def ask_again(self, base_url: str) -> None:
        """Repeat all orders: answered ones are replayed, the others are placed once."""
        async with Caller(base_url, self.key) as caller:
            for reference in self.answered:
                again = await caller.order(reference)
                assert again.is_replay, f"{reference} was acknowledged and is lost"
                self.keep(reference, again)
            for reference in self.unanswered:
                # PostgreSQL may need a moment to see that the holder of the reference is gone.
                while (made := await caller.order(reference)).status == 409:
                    await asyncio.sleep(AGAIN_SECONDS)
                self.keep(reference, made)


class Siege:
    """A service on one database; its processes are killed one after the other."""

    def __init__(self, place: str, directory: Path, authority: Authority, seed: int) -> None:
        self._place = place
        self._directory = directory
        self._authority = authority
        self._random = random.Random(seed)
        self._fleet: list[Running] = []
        self._partners: list[Partner] = []
        self.tally = Tally()

    async def run(self, rounds: int) -> Tally:
        """Kill that often, then let everything come to its end and look at all of it."""
        begun = time.monotonic()
        if self._place.startswith("postgresql"):
            done = esim_service("migrate", "--database", self._place, cwd=self._directory)
            assert done.returncode == 0, done.stderr
        async with AsyncExitStack() as stack:
            stack.callback(self._end)
            context = self._authority.context("127.0.0.1")
            hook = await stack.enter_async_context(receiver(context, answer("200 OK")))
            self._reinforce()
            known = await stack.enter_async_context(books(self._place))
            for number in range(rounds):
                await self._round(number, known, hook)
                self.tally.rounds += 1
            await until(known.is_settled, SETTLED_SECONDS)
            await self._look_at_all(known, hook)
        self.tally.seconds = time.monotonic() - begun
        return self.tally

    def _reinforce(self) -> None:
        """Have as many processes as the database allows."""
        size = 2 if self._place.startswith("postgresql") else 1
        variables: Mapping[str, str] = {
            "ESIM_LOG_LEVEL": "warning",
            "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
            "ESIM_WEBHOOK_CA_FILE": str(self._authority.file),
        }
        while len(self._fleet) < size:
            self._fleet.append(Running(self._place, self._directory, **variables))

    def _end(self) -> None:
        for running in self._fleet:
            running.process.kill()
            running.stop(signal.SIGKILL)

    async def _round(self, number: int, known: Books, hook: Receiver) -> None:
        partner = Partner(f"partner {number}", await known.key(f"partner {number}"))
        self._partners.append(partner)
        urls = [running.base_url for running in self._fleet]
        async with Caller(urls[0], partner.key) as caller:
            body = json.dumps({"url": f"https://127.0.0.1:{hook.port}/{number}"}).encode()
            assert (await caller.send("POST", "/webhook-endpoints", body)).status == 201
        stopped = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for client in range(CLIENTS):
                group.create_task(partner.order(urls[client % len(urls)], client, stopped))
            group.create_task(partner.poll(urls[-1], stopped))

            async def begun() -> bool:
                return bool(partner.answered)

            await until(begun)
            await asyncio.sleep(self._random.uniform(0, LATEST_KILL))
            victim = self._fleet.pop(0)
            victim.process.kill()
            stopped.set()
        victim.stop(signal.SIGKILL)
        if number % AUDITED == 0:
            await known.audit()
        committed = await known.references(partner.name)
        lost = partner.answered.keys() - committed
        assert not lost, f"acknowledged and lost: {lost}"
        self.tally.acknowledged += len(partner.answered)
        self.tally.cut_off += len(partner.unanswered)
        self.tally.committed += len(committed & set(partner.unanswered))
        self._reinforce()
        await partner.ask_again(self._fleet[-1].base_url)

    async def _look_at_all(self, known: Books, hook: Receiver) -> None:
        await known.audit()
        received: dict[str, bytes] = {}
        for request in hook.requests:
            event_id = request.headers["Service-Event-Id"]
            assert received.setdefault(event_id, request.body) == request.body, "not the same bytes"
        frozen: dict[str, bytes] = {}
        for partner in self._partners:
            feed = await known.feed(partner.name)
            async with Caller(self._fleet[0].base_url, partner.key) as caller:
                while await partner.read_page(caller):
                    pass
            assert partner.polled == list(feed), f"the feed of {partner.name} has a gap"
            types = Counter(json.loads(body)["type"] for body in feed.values())
            assert types["order.completed"] == len(partner.answered)
            frozen |= feed
        assert received == frozen, "an event was not delivered"
        self.tally.events = len(frozen)
        self.tally.deliveries = len(hook.requests)
