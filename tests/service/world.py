"""A database with a catalogue and a partner that orders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from esim_service import catalogue
from esim_service.domain import endpoints, lifecycle, orders, partners, sandbox, topups
from esim_service.domain import events as feed
from esim_service.domain.idempotency import IdempotentRequest, StoredResponse
from esim_service.domain.stamp import AccountRule, Stamp, account_change
from esim_service.store.changes.database import Database
from esim_service.store.statements.unit import Unit, rows
from esim_service.store.tables import esims
from esim_service.store.tables import events as event_store
from esim_service.store.tables import orders as order_store
from esim_service.store.tables import partners as accounts
from esim_service.store.tables.catalogue import replace as replace_catalogue
from esim_service.values.clock import Clock
from esim_service.values.entities import (
    Account,
    Esim,
    Event,
    Mode,
    Order,
    Profile,
    Scope,
    WebhookEndpoint,
)
from esim_service.values.ids import Ids, Prefix
from esim_service.work.removal import remove_ended

from .books import ledger_sum

T = TypeVar("T")

FIXED = "pln_jp-5gb-30d"
DAILY = "pln_asia-daily-1gb"
SECRET = "whsec_" + "A" * 43 + "="


class World:
    """The calls of a test to the service, below HTTP."""

    def __init__(self, database: Database, clock: Clock, ids: Ids) -> None:
        self.database = database
        self.clock = clock
        self.ids = ids
        self.partner_id = ""

    async def prepare(self) -> None:
        await self.sell(catalogue.load(catalogue.default_path()))
        partner = await self.database.write(lambda: partners.ensure("acme", self.stamp()))
        self.partner_id = partner.partner_id

    async def sell(self, goods: catalogue.Catalogue) -> None:
        await self.database.write(partial(replace_catalogue, goods))

    async def esim(self, iccid: str, mode: Mode = "test") -> Esim:
        found = await self.database.read(partial(esims.find, self.scope(mode), iccid))
        assert found is not None
        return found

    def stamp(self) -> Stamp:
        return Stamp(self.clock.now(), self.ids)

    async def change(self, subject: str, rule: AccountRule[T], mode: Mode = "test") -> T:
        return await self.database.change(
            account_change(self.scope(mode), subject, rule, self.stamp())
        )

    def scope(self, mode: Mode = "test") -> Scope:
        return Scope(self.partner_id, mode)

    async def order(
        self,
        reference: str,
        *,
        plan_id: str = FIXED,
        days: int | None = None,
        quantity: int = 1,
        mode: Mode = "test",
        scenario: str | None = None,
        lease: int = 0,
    ) -> StoredResponse:
        payload = f"{plan_id} {days} {quantity}".encode()
        claim = IdempotentRequest(self.scope(mode), "createOrder", reference, payload, lease)
        metadata = {"a": "\0"} | ({} if scenario is None else {orders.SCENARIO: scenario})
        request = orders.OrderRequest(claim, plan_id, quantity, days, True, "é\0", metadata)
        rule = partial(orders.place, request)
        return await self.change(claim.name, rule, mode)

    async def completed(self, reference: str, quantity: int = 1) -> list[str]:
        order_id = json.loads((await self.order(reference, quantity=quantity)).body)["order_id"]
        numbers = [f"89{int(self.ids.new(Prefix.ESIM)[-6:], 36):017}" for _ in range(quantity)]
        profiles = [Profile(number, "smdp.example", "M-1", False, None) for number in numbers]
        complete = partial(orders.complete, order_id, profiles, lifecycle.at_once)
        for _ in range(2):
            await self.change(order_id, complete)
        return numbers

    async def top_up(self, reference: str, iccid: str, days: int | None = None) -> StoredResponse:
        claim = IdempotentRequest(self.scope(), "createTopup", reference, iccid.encode())
        request = topups.TopupRequest(claim, iccid, "tpl_jp-3gb-30d", days)
        return await self.change(claim.name, partial(topups.buy, request))

    async def balance(self, mode: Mode = "test") -> int:
        account = await self.database.read(partial(accounts.account, self.scope(mode)))
        assert account.balance == await self.database.read(partial(ledger_sum, self.scope(mode)))
        return account.balance

    async def credit(self, amount: int, mode: Mode = "live") -> None:
        await self.database.write(lambda: partners.credit(self.scope(mode), amount, self.stamp()))

    async def reset(self) -> Account:
        return await self.database.write(lambda: sandbox.reset(self.scope(), self.stamp()))

    async def remove_ended(self) -> None:
        await remove_ended(self.database)

    async def shown(self, order_id: str, mode: Mode = "test") -> Order:
        found = await self.database.read(partial(order_store.find, self.scope(mode), order_id))
        assert found is not None
        return found

    async def events(self, mode: Mode = "test") -> list[Event]:
        read = partial(feed.feed, self.scope(mode), None, None, 200)
        found, _, _ = await self.database.read(read)
        return list(found)

    async def endpoint(self, url: str, event_types: Sequence[str] | None = None) -> WebhookEndpoint:
        return await self.database.write(
            lambda: endpoints.register(self.scope(), url, event_types, SECRET, self.stamp())
        )

    async def endpoint_now(self, endpoint_id: str) -> WebhookEndpoint:
        known = await self.database.read(partial(event_store.endpoints, self.scope()))
        return next(each for each in known if each.endpoint_id == endpoint_id)

    async def test_event(self, endpoint_id: str) -> str:
        return await self.database.write(
            lambda: endpoints.test(self.scope(), endpoint_id, self.stamp())
        )

    async def count(self, table: str) -> int:
        def query() -> Unit[int]:
            return int((yield from rows(f"SELECT COUNT(*) AS n FROM {table}"))[0]["n"])

        return await self.database.read(query)
