"""Keys in the database: looked up, remembered for a moment, and gone when they are revoked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from starlette.requests import Request

from esim_service.domain import partners
from esim_service.domain.stamp import Stamp
from esim_service.keys import auth, keyring
from esim_service.keys.keyring import REMEMBERED_SECONDS, StoredKeys
from esim_service.process.live_mode import require_fit_for_keys
from esim_service.settings import ServiceSettings
from esim_service.store.changes.database import Database, OperatorError, UnavailableError
from esim_service.store.statements.unit import Unit, rows
from esim_service.store.tables import partners as store
from esim_service.values.entities import Mode, Partner, PartnerKey, Scope
from esim_service.values.ids import Ids
from partner_esim.server import Problem

from .manual_clock import ManualClock

pytestmark = pytest.mark.anyio
T = TypeVar("T")

REQUEST = Request({"type": "http", "headers": []})
MOMENT = round(REMEMBERED_SECONDS * 1000)


class Counting:
    """A database that counts its reads."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.reads = 0

    async def read(self, make: Callable[[], Unit[T]]) -> T:
        self.reads += 1
        return await self.database.read(make)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.database, name)


class Issuer:
    """Issues keys to one partner."""

    def __init__(self, database: Database, clock: ManualClock, ids: Ids) -> None:
        self.database = database
        self.stamp = Stamp(clock.now(), ids)

    async def issue(self, mode: Mode = "test", **limits: int) -> tuple[str, PartnerKey]:
        text = auth.new_key(mode)

        def make() -> Unit[PartnerKey]:
            partner = yield from partners.ensure("acme", self.stamp)
            scope = Scope(partner.partner_id, mode)
            return (
                yield from partners.issue_key(
                    scope, auth.digest(text), text[-4:], self.stamp, **limits
                )
            )

        return text, await self.database.write(make)


@pytest.fixture
def issuer(database: Database, clock: ManualClock, ids: Ids) -> Issuer:
    return Issuer(database, clock, ids)


async def test_a_key_stands_for_its_partner_mode_and_limits(
    database: Database, clock: ManualClock, issuer: Issuer
) -> None:
    authenticate = auth.Authenticator(StoredKeys(database, clock))
    text, key = await issuer.issue("live", read_limit=7)
    found = await authenticate(text, REQUEST)
    assert found is not None
    assert (found.scope, found.key_id) == (key.scope, key.key_id)
    assert (found.suspended, found.read_limit, found.write_limit) == (False, 7, None)
    assert await authenticate(auth.new_key("live"), REQUEST) is None


async def test_nothing_of_a_key_is_kept_but_a_digest_and_a_hint(
    database: Database, issuer: Issuer
) -> None:
    text, _ = await issuer.issue()
    (row,) = await database.read(lambda: rows("SELECT * FROM api_keys"))
    kept = str({name: row[name] for name in ("key_id", "digest", "hint", "partner_id", "mode")})
    assert text not in kept
    assert text[-5:] not in kept


async def test_a_key_in_force_is_looked_up_once_in_a_while(
    database: Database, clock: ManualClock, issuer: Issuer
) -> None:
    counting = Counting(database)
    keys = StoredKeys(counting, clock)
    digest = auth.digest((await issuer.issue())[0])
    for _ in range(3):
        assert await keys.find(digest)
    assert counting.reads == 1
    clock.advance(MOMENT)
    assert await keys.find(digest)
    assert counting.reads == 2


async def test_a_key_expires_at_its_moment_also_while_it_is_remembered(
    database: Database, clock: ManualClock, issuer: Issuer
) -> None:
    keys = StoredKeys(database, clock)
    text, _ = await issuer.issue(expires_at=clock.now() + MOMENT // 2)
    digest = auth.digest(text)
    clock.advance(MOMENT // 2 - 1)
    assert await keys.find(digest) is not None
    clock.advance(1)
    assert await keys.find(digest) is None
    # A key that is not cached is looked up, and is not in force either.
    assert await StoredKeys(database, clock).find(digest) is None


async def test_a_live_key_that_has_expired_stops_no_process_with_settings_for_tests(
    database: Database, clock: ManualClock, issuer: Issuer
) -> None:
    settings = ServiceSettings(webhook_retry_scale=0.5)
    await issuer.issue("test")
    await require_fit_for_keys(settings, database, clock.now())
    await issuer.issue("live", expires_at=clock.now() + 1)
    with pytest.raises(OperatorError, match="not allowed with live keys"):
        await require_fit_for_keys(settings, database, clock.now())
    clock.advance(1)
    await require_fit_for_keys(settings, database, clock.now())


async def test_a_query_that_takes_long_is_not_remembered_for_longer(
    database: Database, clock: ManualClock, issuer: Issuer
) -> None:
    class Slow(Counting):
        async def read(self, make: Callable[[], Unit[T]]) -> T:
            found = await super().read(make)
            clock.advance(MOMENT)
            return found

    slow = Slow(database)
    keys = StoredKeys(slow, clock)
    digest = auth.digest((await issuer.issue())[0])
    for count in (1, 2):
        assert await keys.find(digest)
        assert slow.reads == count


async def test_only_so_many_keys_are_remembered(
    database: Database, clock: ManualClock, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring, "_MOST", 3)
    counting = Counting(database)
    keys = StoredKeys(counting, clock)
    digests = [auth.digest((await issuer.issue())[0]) for _ in range(5)]
    for _ in range(2):
        for digest in digests:
            assert await keys.find(digest)
    # The same ones in turn: a memory without an end would have had all of them the second time.
    assert counting.reads > len(digests)


async def test_a_revocation_a_suspension_and_a_new_key_arrive(
    database: Database, clock: ManualClock, issuer: Issuer
) -> None:
    keys = StoredKeys(database, clock)
    text, key = await issuer.issue()
    digest = auth.digest(text)
    assert (await keys.find(digest)) is not None
    partner_id = key.scope.partner_id
    await database.write(lambda: store.set_status(partner_id, "suspended"))
    clock.advance(MOMENT)
    found = await keys.find(digest)
    assert found is not None and found.suspended
    assert await database.write(lambda: store.revoke_key(key.key_id, clock.now()))
    assert not await database.write(lambda: store.revoke_key(key.key_id, clock.now()))
    clock.advance(MOMENT)
    assert await keys.find(digest) is None
    # What was unknown a moment ago is not remembered as unknown.
    later = auth.new_key("test")
    assert await keys.find(auth.digest(later)) is None
    await database.write(
        lambda: partners.issue_key(key.scope, auth.digest(later), later[-4:], issuer.stamp)
    )
    assert await keys.find(auth.digest(later)) is not None


async def test_a_database_that_is_away_is_503(clock: ManualClock) -> None:
    class Away:
        async def find(self, digest: bytes) -> None:
            raise UnavailableError("gone")

    with pytest.raises(Problem) as raised:
        await auth.Authenticator(Away())(auth.new_key("test"), REQUEST)
    assert raised.value.code == "unavailable"
    assert raised.value.headers["Retry-After"]


async def test_a_partner_is_made_once_however_many_ask(
    database: Database, clock: ManualClock, ids: Ids
) -> None:
    async def ensure() -> Partner:
        return await database.write(lambda: partners.ensure("acme", Stamp(clock.now(), ids)))

    made = await asyncio.gather(*(ensure() for _ in range(8)))
    assert len({partner.partner_id for partner in made}) == 1
    assert len(await database.read(store.all_partners)) == 1
