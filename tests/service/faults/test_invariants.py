"""After any calls of a partner in any order: money, references, feed and deliveries agree."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pydantic import TypeAdapter

from partner_esim import EsimClient, models, webhooks
from partner_esim.errors import (
    ConflictError,
    PaymentRequiredError,
    ServerError,
    UnprocessableContentError,
)

from ..books import Books, books
from ..receiver import Authority, Receiver, answer, receiver
from ..running import DEADLINE, Running, serving

pytestmark = pytest.mark.anyio
T = TypeVar("T")

FULL_BALANCE = Decimal("1000.00")
THRESHOLD = Decimal("100.00")
TOPUP_PLAN = "tpl_jp-3gb-30d"
# Fixed ones that can be topped up; and one with which the balance can be used up.
PLANS = st.sampled_from(["pln_jp-5gb-30d", "pln_jp-5gb-30d", "pln_asia-daily-1gb"])
TYPES = ("order.completed", "topup.completed", "balance.low")
ENDPOINTS = 3
EVENTS: TypeAdapter[models.Event] = TypeAdapter(models.Event)


@dataclass
class Arena:
    """A service and a receiver for all examples of a run."""

    portal: BlockingPortal
    running: Running
    books: Books
    hook: Receiver
    partners: Iterator[int] = field(default_factory=lambda: count(1))


@dataclass
class Endpoint:
    """An endpoint, and the events that must reach it."""

    made: models.WebhookEndpointCreated
    path: str
    expected: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Done:
    """A call that succeeded, how to make it again, and how to make another one of it."""

    again: Callable[[], tuple[object, bytes, bool]]
    changed: Callable[[], object]
    content: bytes


class Partner(RuleBasedStateMachine):
    """A new partner, beside a model of the state that it must see."""

    arena: Arena

    @initialize()
    def join(self) -> None:
        self.name = f"partner {next(self.arena.partners)}"
        key = self.arena.portal.call(self.arena.books.key, self.name)
        self.client: EsimClient = self.arena.running.client(key)
        self.names = (f"r{number}" for number in count())
        self.balance, self.is_low = FULL_BALANCE, False
        self.orders: dict[str, str] = {}
        self.done: list[Done] = []
        self.wanted: Counter[str] = Counter()
        self.open: list[Endpoint] = []
        self.closed: list[Endpoint] = []
        self.frozen: dict[str, bytes] = {}
        self.polled: list[str] = []
        self.place = self.client.events.list().next_cursor or ""

    def charge(self, amount: Decimal) -> None:
        """Apply a debit or a refund to the balance and its event in the model."""
        self.balance -= amount
        is_low = self.balance < THRESHOLD
        self.wanted["balance.low"] += is_low and not self.is_low
        self.is_low = is_low

    def settle(self) -> None:
        """Wait until nothing is under way; then the model of the feed and of its deliveries."""

        def look() -> bool:
            return self.arena.portal.call(self.arena.books.is_settled)

        end = time.monotonic() + DEADLINE
        while not look():
            assert time.monotonic() < end, "it does not come to rest"
            time.sleep(0.005)
        feed = self.arena.portal.call(self.arena.books.feed, self.name)
        for event_id in feed.keys() - self.frozen.keys():
            event = EVENTS.validate_json(feed[event_id])
            for endpoint in self.open:
                if event.type == "webhook.test":
                    is_for = event.data.webhook_endpoint_id == endpoint.made.id
                else:
                    is_for = event.type in endpoint.made.event_types
                if is_for:
                    endpoint.expected.add(event_id)
        self.frozen |= feed

    def raw(self, method: Callable[..., T], **arguments: Any) -> tuple[T, bytes, bool]:
        """Call a method; return its value, the bytes of the answer, and whether it is a replay."""
        said = self.client.with_raw_response(method, **arguments)
        assert said.status == 201
        return said.value, said.content, said.headers.get("idempotent-replay") == "true"

    # Orders.

    @rule(plan_id=PLANS, quantity=st.integers(1, 3), days=st.sampled_from([1, 30, 250]))
    def order(self, plan_id: str, quantity: int, days: int) -> None:
        body: dict[str, Any] = {"plan_id": plan_id, "quantity": quantity}
        if "daily" in plan_id:
            body["days"] = days
        self.buy(body | {"reference": next(self.names)})

    @rule()
    def order_without_a_quantity(self) -> None:
        self.buy({"plan_id": "pln_jp-5gb-30d", "reference": next(self.names)})

    @precondition(lambda self: self.balance >= 200)
    @rule()
    def use_up_most_of_the_balance(self) -> None:
        price = self.client.plans.get("pln_asia-daily-1gb").price_usd
        days = int((self.balance - 70) / price / 3)
        self.order("pln_asia-daily-1gb", 3, days)

    def buy(self, body: dict[str, Any]) -> None:
        price = self.client.plans.get(body["plan_id"]).price_usd
        total = price * body.get("quantity", 1) * body.get("days", 1)
        if total > self.balance:
            with pytest.raises(PaymentRequiredError):
                self.client.orders.create(**body)
            return
        made, content, is_replay = self.raw(self.client.orders.create, **body)
        assert (made.total_usd, is_replay) == (total, False)
        self.ordered(body, made, content)

    def ordered(self, body: dict[str, Any], made: models.Order, content: bytes) -> None:
        self.charge(made.total_usd)
        self.orders[body["reference"]] = made.order_id
        self.wanted["order.completed"] += 1
        changed = {**body, "quantity": body.get("quantity", 1) + 1}
        self.done.append(
            Done(
                lambda: self.raw(self.client.orders.create, **{"quantity": 1, **body}),
                lambda: self.client.orders.create(**changed),
                content,
            )
        )

    @precondition(lambda self: self.balance >= 20)
    @rule(times=st.integers(2, 5))
    def order_at_once(self, times: int) -> None:
        body = {"plan_id": "pln_jp-5gb-30d", "reference": next(self.names)}

        def attempt(_: int) -> tuple[models.Order, bytes, bool] | None:
            try:
                return self.raw(self.client.orders.create, **body)
            except ConflictError as error:
                assert error.code == "reference_in_progress"
                return None

        with ThreadPoolExecutor(times) as threads:
            answers = [each for each in threads.map(attempt, range(times)) if each]
        [(made, content, _)] = [each for each in answers if not each[2]]
        assert {each[1] for each in answers} == {content}
        self.ordered(body, made, content)

    @precondition(lambda self: self.balance >= 20)
    @rule()
    def order_what_is_out_of_stock(self) -> None:
        body = {"plan_id": "pln_jp-5gb-30d", "reference": next(self.names)}
        scenario = {"sandbox_scenario": "out_of_stock"}
        made = self.client.orders.create(**body, metadata=scenario)
        self.orders[body["reference"]] = made.order_id
        self.charge(made.total_usd)
        self.settle()
        assert self.client.orders.get(made.order_id).status == "failed"
        self.charge(-made.total_usd)

    @precondition(lambda self: self.balance >= 20)
    @rule()
    def order_what_the_carrier_refuses(self) -> None:
        body = {"plan_id": "pln_jp-5gb-30d", "reference": next(self.names)}
        with pytest.raises(ServerError) as refused:
            self.client.orders.create(**body, metadata={"sandbox_scenario": "upstream_502"})
        assert refused.value.code == "upstream_error"
        # The reference is free again, also for another payload.
        self.buy(body)

    @precondition(lambda self: self.orders and self.balance >= 20)
    @rule(data=st.data())
    def top_up(self, data: st.DataObject) -> None:
        self.settle()
        name = data.draw(st.sampled_from(sorted(self.orders)))
        order = self.client.orders.get(self.orders[name])
        if order.plan_id != "pln_jp-5gb-30d" or not order.iccids:
            return
        body = {"topup_plan_id": TOPUP_PLAN, "reference": next(self.names)}
        iccid = order.iccids[0]
        made, content, is_replay = self.raw(
            lambda **given: self.client.topups.create(iccid, **given), **body
        )
        assert not is_replay
        self.charge(made.total_usd)
        assert made.balance_after_usd == self.balance
        self.wanted["topup.completed"] += 1
        self.done.append(
            Done(
                lambda: self.raw(lambda: self.client.topups.create(iccid, **body)),
                lambda: self.client.topups.create(
                    iccid, topup_plan_id="tpl_jp-daily-1gb", days=1, reference=body["reference"]
                ),
                content,
            )
        )

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        done = data.draw(st.sampled_from(self.done))
        _, content, is_replay = done.again()
        assert (content, is_replay) == (done.content, True)

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def change(self, data: st.DataObject) -> None:
        with pytest.raises(UnprocessableContentError) as refused:
            data.draw(st.sampled_from(self.done)).changed()
        assert refused.value.code == "reference_reused"

    @rule()
    def reset(self) -> None:
        self.settle()
        assert self.client.sandbox.reset().balance_usd == FULL_BALANCE
        self.balance, self.is_low = FULL_BALANCE, False
        self.orders, self.done, self.wanted = {}, [], Counter()
        # What was not polled until now is gone; the place in the feed is still good.
        self.polled.clear()

    # Events.

    @rule(limit=st.integers(1, 10))
    def poll(self, limit: int) -> None:
        page = self.client.events.list(cursor=self.place, limit=limit)
        self.polled += [event.id for event in page.items]  # type: ignore[union-attr]
        self.place = page.next_cursor or ""

    @precondition(lambda self: len(self.open) < ENDPOINTS)
    @rule(types=st.none() | st.sets(st.sampled_from(TYPES), min_size=1))
    def subscribe(self, types: set[str] | None) -> None:
        self.settle()
        path = f"/{self.name.split()[1]}/{len(self.open) + len(self.closed)}"
        url = f"https://127.0.0.1:{self.arena.hook.port}{path}"
        selection = {} if types is None else {"event_types": sorted(types)}
        made = self.client.webhook_endpoints.create(url=url, **selection)  # type: ignore[arg-type]
        self.open.append(Endpoint(made, path))

    @precondition(lambda self: len(self.open) == ENDPOINTS)
    @rule()
    def subscribe_once_too_often(self) -> None:
        with pytest.raises(ConflictError) as refused:
            self.client.webhook_endpoints.create(url="https://hooks.example.com/")
        assert refused.value.code == "webhook_endpoint_limit_reached"

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def unsubscribe(self, data: st.DataObject) -> None:
        self.settle()
        endpoint = data.draw(st.sampled_from(self.open))
        self.client.webhook_endpoints.delete(endpoint.made.id)
        self.open.remove(endpoint)
        self.closed.append(endpoint)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def test(self, data: st.DataObject) -> None:
        self.client.webhook_endpoints.test(data.draw(st.sampled_from(self.open)).made.id)
        self.wanted["webhook.test"] += 1

    # What holds at any moment, and in the end.

    @invariant()
    def the_balance_is_the_sum_of_the_ledger(self) -> None:
        balance, total = self.arena.portal.call(self.arena.books.money, self.name)
        assert balance == total == self.client.balance.get().balance_usd == self.balance

    def teardown(self) -> None:
        if sys.exc_info()[0] is not None:
            # The step that failed says more.
            return
        self.settle()
        self.arena.portal.call(self.arena.books.audit)
        listed = {each.reference: each.order_id for each in self.client.orders.list(limit=100)}
        assert listed == self.orders
        while self.client.events.list(cursor=self.place).items:
            self.poll(100)
        feed = self.arena.portal.call(self.arena.books.feed, self.name)
        assert self.polled == list(feed)
        assert +Counter(EVENTS.validate_json(body).type for body in feed.values()) == +self.wanted
        for endpoint in (*self.open, *self.closed):
            self.check_deliveries(endpoint)
        self.client.close()

    def check_deliveries(self, endpoint: Endpoint) -> None:
        line = f"POST {endpoint.path} HTTP/1.1"
        received = {}
        for each in [request for request in self.arena.hook.requests if request.line == line]:
            event = webhooks.parse(each.body, each.headers, endpoint.made.signing_secret)
            assert event.id == each.headers["Service-Event-Id"]  # type: ignore[union-attr]
            received[event.id] = each.body  # type: ignore[union-attr]
        assert received == {each: self.frozen[each] for each in endpoint.expected}


@pytest.mark.hypothesis
async def test_the_invariants_hold(ready: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    variables = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(authority.file),
    }
    context = authority.context("127.0.0.1")
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        hook = stack.enter_context(
            portal.wrap_async_context_manager(receiver(context, answer("200 OK")))
        )
        running = stack.enter_context(serving(ready, tmp_path, **variables))
        known = stack.enter_context(portal.wrap_async_context_manager(books(ready)))
        arena = Arena(portal, running, known, hook)
        run_state_machine_as_test(
            type("PartnerOfThisRun", (Partner,), {"arena": arena}),
            settings=settings(
                max_examples=12,
                stateful_step_count=25,
                # To make an example smaller takes minutes when a failure is a long wait.
                phases=(Phase.reuse, Phase.generate),
                suppress_health_check=list(HealthCheck),
            ),
        )
