"""No statement reads more because a partner has more, whatever the database knows about its rows.

Every statement of the store is run on a large database, and its work is counted: the steps of the
program of SQLite, the pages that PostgreSQL touches. A few read whole tables, each for a reason.
"""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import asyncpg
import pytest

import esim_service
from esim_service import catalogue
from esim_service.delivery import outbox as records
from esim_service.delivery.runner import DueDelivery
from esim_service.delivery.sender import WebhookMessage
from esim_service.domain import (
    endpoints,
    idempotency,
    lifecycle,
    observation,
    orders,
    redelivery,
    sandbox,
    topups,
)
from esim_service.domain import events as feed
from esim_service.domain import partners as issuing
from esim_service.domain.esims import revoke
from esim_service.domain.idempotency import IdempotentRequest
from esim_service.domain.stamp import AccountRule, account_change
from esim_service.rate_limits import postgres as rate_limits
from esim_service.store.changes.change import run_single
from esim_service.store.changes.database import Database, Dialect
from esim_service.store.drivers.postgres import _SETTINGS, PostgresDatabase
from esim_service.store.drivers.sqlite import SqliteDatabase, _dialect
from esim_service.store.drivers.sqlite_file import open_writer
from esim_service.store.statements.batched_sql import merged_writes, run_merged
from esim_service.store.statements.unit import Row, Statement, Unit, Value, rows
from esim_service.store.tables import (
    attempts,
    dates,
    epochs,
    esims,
    events,
    jobs,
    outbox,
    partners,
    plans,
    purchases,
    secrets,
)
from esim_service.store.tables import catalogue as catalogue_store
from esim_service.store.tables import orders as order_store
from esim_service.values.clock import HOUR
from esim_service.values.entities import Failure, Job, Profile, Scope
from esim_service.values.ids import Ids

from .large import START, TABLES, ended_delivery, fill, iccid, made_id
from .manual_clock import ManualClock
from .world import FIXED, SECRET, World

T = TypeVar("T")
Make: TypeAlias = Callable[[], Unit[Any]]

pytestmark = pytest.mark.anyio

SERVICE = Path(esim_service.__file__).parent
# Not one page of a list is longer.
FEW = 20
TOPUP = "tpl_jp-3gb-30d"
_SQL = re.compile(r"(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH) ")


@dataclass(frozen=True, slots=True)
class Sample:
    """A unit of the service, with parameters as in the middle of a large database.

    Attributes:
        reads_much: why it may read more when there is more.
        dialect: the only database that runs it.
        is_merged: whether PostgreSQL merges its statements with those of others.
    """

    make: Make
    reads_much: str = ""
    dialect: Dialect | None = None
    is_merged: bool = False


def samples(world: World, size: int) -> Iterator[Sample]:
    """Yield the units of the service, which together have all of its statements."""
    yield from _requests(world, size)
    yield from _work(world, size)
    yield from _commands(world, size)


def _requests(world: World, size: int) -> Iterator[Sample]:
    scope, middle = world.scope(), size // 2 + 1
    ends = [None, feed.FeedPosition(middle, None), feed.FeedPosition(size, None)]
    order_id, esim_id = made_id("ord", middle), made_id("esm", middle)
    units: Sequence[Make] = (
        *(
            partial(order_store.page, scope, reference, before, FEW)
            for reference in (None, f"r{middle}", "missing")
            for before in ("~", order_id)
        ),
        *(
            partial(esims.page, scope, wanted, before, FEW)
            for wanted in (None, order_id, "ord_missing")
            for before in ("~", esim_id)
        ),
        *(
            partial(feed.feed, scope, after, type_, FEW)
            for after in ends
            for type_ in (None, "order.completed", "esim.expired")
        ),
        *(
            partial(plans.plans, country, coverage, "", FEW)
            for country in (None, "JP")
            for coverage in (None, "regional")
        ),
        partial(order_store.find, scope, order_id),
        partial(esims.find, scope, iccid(middle)),
        partial(plans.topup_plans, FIXED, "", FEW),
        partial(partners.account, scope),
        partial(partners.principal, b"\0" * 32, START),
        partial(idempotency.replay, IdempotentRequest(scope, "createOrder", "missing", b"")),
        partial(_purchase, world),
        partial(_failure, world),
        partial(_topup, world, middle),
        partial(_observation, world, middle),
    )
    for make in units:
        yield Sample(make, is_merged=True)
    yield Sample(partial(_endpoint, world))
    yield Sample(partial(sandbox.reset, scope, world.stamp()))
    for waits in (True, False):
        lock = partial(partners.lock_accounts, [scope], [1], waits=waits)
        yield Sample(lock, dialect="postgres")
    take = partial(rows, rate_limits._SQL.format("NULL"), "bucket", 5, 60)
    yield Sample(take, dialect="postgres")


def _work(world: World, size: int) -> Iterator[Sample]:
    scope, middle, now = world.scope(), size // 2 + 1, START + 10
    job = Job(made_id("job", middle), scope, "observe", made_id("esm", middle), 0, START + middle)
    delivery_id = made_id("dlv", middle)
    ended = epochs.EndedEpoch(scope.partner_id, "test")
    yield Sample(partial(_deliveries, world, middle), is_merged=True)
    units: Sequence[Make] = (
        partial(jobs.take, now, {"provision": FEW, "topup": FEW, "observe": FEW}, now + HOUR),
        partial(jobs.take, now, {"provision": FEW}, now + HOUR),
        partial(jobs.postpone, job, now, 1),
        partial(jobs.release, job, now),
        partial(jobs.make_due, job.job_id, now),
        partial(jobs.take_over, now),
        partial(jobs.count_due, now),
        purchases.oldest,
        partial(esims.known, scope, job.subject_id),
        partial(outbox.due, now, 4),
        partial(outbox.take, [made_id("dlv", 1), made_id("dlv", 2)], now, now + HOUR),
        partial(outbox.release, delivery_id, START + middle, now),
        partial(outbox.clear, made_id("whe", 1), "webhook.test", FEW // 4),
        partial(events.old, now, FEW),
        partial(feed.forget, events.OldEvents(scope, "test", 10), now),
        epochs.ended,
        *(partial(epochs.remove_some, ended, table, FEW) for table in epochs.TABLES),
        partial(epochs.forget, ended),
        partial(attempts.remove_old, ended_delivery(10), FEW),
        partial(dates.count_ahead, START + size),
        partial(secrets.ensure, "cursors", b"secret"),
        events.newest_secret,
        events.secrets,
    )
    for make in units:
        yield Sample(make)
    yield Sample(partial(outbox.take_over, now), "once, when the process starts")
    yield Sample(outbox.count, "a gauge counts what waits")


def _commands(world: World, size: int) -> Iterator[Sample]:
    middle = size // 2 + 1
    by_order, by_delivery = purchases.OrderFilter, attempts.DeliveryFilter
    units: Sequence[Make] = (
        partial(purchases.newest, by_order(), FEW // 4),
        partial(purchases.newest, by_order(order_id=made_id("ord", middle)), FEW),
        partial(purchases.job_about, made_id("ord", middle)),
        partial(attempts.newest, by_delivery(delivery_id=made_id("dlv", middle)), FEW),
        partial(attempts.of, ended_delivery(middle)),
        partial(redelivery.replay, ended_delivery(middle), world.stamp()),
        partial(partners.usage, START, START + 10),
        partners.all_partners,
        partners.keys,
        partial(partners.has_live_keys, START),
        partial(partners.revoke_key, "key_missing", START),
        partial(partners.set_status, world.partner_id, "active"),
        partial(_revocation, world, middle),
        partial(endpoints.check_secrets, str),
        partial(esims.newest, esims.EsimFilter(), FEW // 4),
        partial(esims.newest, esims.EsimFilter(iccid=iccid(middle)), FEW),
        partial(_credit, world),
        partial(_key, world),
        partial(endpoints.renew_secrets, str, str),
        catalogue_store.is_empty,
    )
    for make in units:
        yield Sample(make)
    for wanted in (by_order(status="failed"), by_order(min_attempts=1), by_order(partner="acme")):
        make = partial(purchases.newest, wanted, FEW)
        yield Sample(make, "an operator looks through all of them")
    for unusual in (
        by_delivery(endpoint_id="whe_missing"),
        by_delivery(event_id="evt_missing"),
        by_delivery(state="exhausted"),
        by_delivery(state="dropped"),
        by_delivery(partner="acme"),
    ):
        make = partial(attempts.newest, unusual, FEW)
        yield Sample(make, "an operator looks through all of them")
    for rare in (esims.EsimFilter(status="revoked"), esims.EsimFilter(partner="acme")):
        make = partial(esims.newest, rare, FEW)
        yield Sample(make, "an operator looks through all of them")
    begin = partial(partners.begin_feed_epoch, START)
    yield Sample(begin, dialect="sqlite")
    yield Sample(begin, "after a restore, the cursors of all accounts expire", "postgres")
    for examination in (
        partners.wrong_balances,
        purchases.without_jobs,
        partial(outbox.count_due, START),
    ):
        yield Sample(examination, "`doctor` looks at all of them")
    for usual in (by_delivery(), by_delivery(state="acknowledged"), by_delivery(state="waiting")):
        make = partial(attempts.newest, usual, FEW // 4)
        yield Sample(make, dialect="sqlite")
        yield Sample(make, "an operator looks through all of them", dialect="postgres")
    yield Sample(catalogue_store.for_sale, dialect="sqlite")
    yield Sample(catalogue_store.for_sale, "the command lists a whole catalogue", "postgres")
    # The last few are dated ahead.
    correct = partial(dates.correct, START, START + size - 5)
    yield Sample(correct, "a wrong clock may have dated any row")
    goods = catalogue.load(catalogue.default_path())
    yield Sample(partial(catalogue_store.replace, goods), "the catalogue is replaced as a whole")


def _changed(world: World, subject: str, rule: AccountRule[T]) -> Unit[T]:
    change = account_change(world.scope(), subject, rule, world.stamp())
    return (yield from run_single(change))


def _placed(world: World) -> Unit[str]:
    purchase = IdempotentRequest(world.scope(), "createOrder", "new", b"")
    request = orders.OrderRequest(purchase, FIXED, 1, None, False, None, {})
    yield from orders.check(request)
    response = yield from _changed(world, purchase.name, partial(orders.place, request))
    order_id: str = json.loads(response.body)["order_id"]
    return order_id


def _purchase(world: World) -> Unit[None]:
    order_id = yield from _placed(world)
    profile = Profile("8900000000000000005", "smdp.example", "A", False, None)
    complete = partial(orders.complete, order_id, [profile], lifecycle.at_once)
    yield from _changed(world, order_id, complete)


def _failure(world: World) -> Unit[None]:
    order_id = yield from _placed(world)
    yield from _changed(world, order_id, partial(orders.fail, order_id, Failure("a", "b")))


def _topup(world: World, number: int) -> Unit[None]:
    purchase = IdempotentRequest(world.scope(), "createTopup", "new", b"")
    request = topups.TopupRequest(purchase, iccid(number), TOPUP, None)
    yield from topups.check(request)
    yield from _changed(world, purchase.name, partial(topups.buy, request))
    for other, end in ((number, topups.complete), (1, topups.fail)):
        topup_id = made_id("top", other)
        yield from _changed(world, topup_id, partial(end, topup_id))


def _observation(world: World, number: int) -> Unit[None]:
    esim_id = made_id("esm", number)
    job = Job(made_id("job", number), world.scope(), "observe", esim_id, 0, START + number)
    for minutes in (1, 2):
        at = world.clock.now() + minutes
        seen = lifecycle.Observation(at, "enabled", 10**12, at)
        follow = partial(observation.follow, job, seen, 0, lifecycle.at_once)
        yield from _changed(world, esim_id, follow)
    ended = lifecycle.Observation(world.clock.now() + 3, "enabled", 10**12, START, START)
    follow = partial(observation.follow, job, ended, 0, lifecycle.at_once)
    yield from _changed(world, esim_id, follow)


def _endpoint(world: World) -> Unit[None]:
    url = "https://hooks.example"
    yield from endpoints.remove(world.scope(), made_id("whe", 2), FEW // 4)
    yield from endpoints.clear(made_id("whe", 2), FEW // 4)
    made = yield from endpoints.register(world.scope(), url, None, SECRET, world.stamp())
    yield from endpoints.test(world.scope(), made.endpoint_id, world.stamp())


def _deliveries(world: World, number: int) -> Unit[None]:
    message = WebhookMessage("https://hooks.example", SECRET, "evt_1", "order.completed", b"")
    for place, record in enumerate((records._acknowledge, records._fail, records._fail)):
        delivery_id, due_at = made_id("dlv", number + place), START + number + place
        claim = DueDelivery(delivery_id, made_id("whe", 1), 1, START, due_at, message)
        # The second failure is the last one.
        next_at = None if place == 2 else START
        attempt = attempts.StoredAttempt(2, START, 1, "status", 500, next_at)
        yield from record(claim, attempt, START)


def _revocation(world: World, number: int) -> Unit[None]:
    esim_id = made_id("esm", number)
    yield from _changed(world, esim_id, partial(revoke, esim_id))


def _credit(world: World) -> Unit[None]:
    yield from issuing.credit(world.scope("live"), 1, world.stamp())


def _key(world: World) -> Unit[None]:
    for name in ("acme", "new"):
        made = yield from issuing.ensure(name, world.stamp())
        digest = name.encode()
        yield from issuing.issue_key(Scope(made.partner_id, "test"), digest, "abcd", world.stamp())


class Meter(Protocol):
    """Runs statements, and counts their work."""

    # A page of a list needs a tenth, a table as small as in these tests several times as much.
    most: int

    async def run(self, statement: Statement) -> Sequence[Row]:
        """Run a statement."""
        ...

    async def measure(self, statement: Statement) -> tuple[int, str]:
        """Return the work of a statement, which is then undone, and its plan."""
        ...

    async def analyze(self) -> None:
        """Let the database know its rows."""
        ...

    async def begin(self) -> None:
        """Begin a transaction."""
        ...

    async def undo(self) -> None:
        """Undo the transaction."""
        ...


class SqliteMeter:
    """Counts the steps of the virtual machine, in hundreds."""

    most = 50

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def run(self, statement: Statement) -> Sequence[Row]:
        return self._connection.execute(_dialect(statement.sql), statement.parameters).fetchall()

    async def measure(self, statement: Statement) -> tuple[int, str]:
        hundreds = 0

        def count() -> int:
            nonlocal hundreds
            hundreds += 1
            return 0

        self._connection.execute("SAVEPOINT measured")
        self._connection.set_progress_handler(count, 100)
        await self.run(statement)
        self._connection.set_progress_handler(None, 0)
        self._connection.execute("ROLLBACK TO measured")
        self._connection.execute("RELEASE measured")
        explained = Statement(f"EXPLAIN QUERY PLAN {statement.sql}", statement.parameters)
        return hundreds, "\n".join(row["detail"] for row in await self.run(explained))

    async def analyze(self) -> None:
        self._connection.execute("ANALYZE")

    async def begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    async def undo(self) -> None:
        self._connection.execute("ROLLBACK")


@dataclass
class PostgresMeter:
    """Counts the pages of tables and indexes that are touched, as often as they are."""

    connection: asyncpg.Connection
    most: int = 250
    _transactions: list[Any] = field(default_factory=list)

    async def run(self, statement: Statement) -> Sequence[Row]:
        found: Sequence[Row] = await self.connection.fetch(statement.sql, *statement.parameters)
        return found

    async def measure(self, statement: Statement) -> tuple[int, str]:
        # A prepared statement is planned without its parameters, as those of the service are.
        await self.connection.execute(f"PREPARE measured AS {statement.sql}")
        given = ", ".join(map(_literal, statement.parameters))
        executed = f"EXECUTE measured{f' ({given})' if given else ''}"
        await self.begin()
        plan = await self.connection.fetchval(
            f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {executed}"
        )
        await self.undo()
        shown = await self.connection.fetch(f"EXPLAIN {executed}")
        await self.connection.execute("DEALLOCATE measured")
        [explained] = json.loads(plan)
        return max(_pages(explained["Plan"])), "\n".join(line[0] for line in shown)

    async def analyze(self) -> None:
        await self.connection.execute("ANALYZE")

    async def begin(self) -> None:
        self._transactions.append(self.connection.transaction())
        await self._transactions[-1].start()

    async def undo(self) -> None:
        await self._transactions.pop().rollback()


def _pages(node: dict[str, Any]) -> Iterator[int]:
    """Yield the pages that a node of a plan and those below it have touched."""
    yield node["Shared Hit Blocks"] + node["Shared Read Blocks"]
    for part in node.get("Plans", ()):
        yield from _pages(part)


def _literal(value: Value) -> str:
    match value:
        case None:
            return "NULL"
        case int():
            return str(value)
        case bytes():
            return f"'\\x{value.hex()}'::bytea"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            return f"ARRAY[{', '.join(map(_literal, value))}]" if value else "'{}'"


@dataclass(frozen=True, slots=True)
class Ran:
    """A statement that was run, with its work."""

    sample: Sample
    sql: str
    work: int
    plan: str

    def __str__(self) -> str:
        return f"{self.work}: {self.sql}\n{self.plan}"


async def run_samples(meter: Meter, dialect: Dialect, chosen: Sequence[Sample]) -> list[Ran]:
    """Run each sample in a transaction that is undone; return its statements."""
    ran = []
    for sample in chosen:
        if sample.dialect not in (None, dialect):
            continue
        await meter.begin()
        unit = sample.make()
        try:
            statement = next(unit)
            while True:
                ran.append(Ran(sample, statement.sql, *await meter.measure(statement)))
                for form, count in _merged(sample, dialect, statement):
                    work, plan = await meter.measure(form)
                    ran.append(Ran(sample, form.sql, work // count, plan))
                statement = unit.send(await meter.run(statement))
        except StopIteration:
            pass
        finally:
            unit.close()
            await meter.undo()
    return ran


def _merged(
    sample: Sample, dialect: Dialect, statement: Statement
) -> Iterator[tuple[Statement, int]]:
    """Yield the form of a statement in which PostgreSQL runs several at once, and how many."""
    if not sample.is_merged or dialect != "postgres":
        return
    if not statement.has_rows:
        yield merged_writes([statement]), 1
    elif (form := next(run_merged([statement, statement]))) is not statement:
        yield form, 2


@asynccontextmanager
async def metered(database: Database, url: str | None) -> AsyncIterator[Meter]:
    """Open a meter on a database."""
    if isinstance(database, SqliteDatabase):
        with closing(open_writer(database.path, 2)) as connection:
            yield SqliteMeter(connection)
        return
    opened = await asyncpg.connect(url, server_settings=_SETTINGS)
    try:
        yield PostgresMeter(opened)
    finally:
        await opened.close()


@pytest.fixture
def address(request: pytest.FixtureRequest, database: Database) -> str | None:
    """The URL of the database, if it has one."""
    if isinstance(database, SqliteDatabase):
        return None
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.mark.parametrize("size", [30_000, 300_000])
async def test_no_statement_reads_more_because_there_is_more(
    world: World, address: str | None, size: int
) -> None:
    dialect = world.database.dialect
    async with metered(world.database, address) as meter:
        if isinstance(meter, PostgresMeter):
            for table in TABLES:
                # Nothing is known about the rows until it is wanted.
                change = f"ALTER TABLE {table} SET (autovacuum_enabled = false)"
                await meter.connection.execute(change)
        await fill(world, size)
        chosen = [*samples(world, size)]
        ran = await run_samples(meter, dialect, chosen)
        await meter.analyze()
        ran += await run_samples(meter, dialect, chosen)
    much = [each for each in ran if each.work > meter.most]
    wrong = [str(each) for each in much if not each.sample.reads_much]
    assert not wrong, "\n\n".join(wrong)
    if dialect == "sqlite":
        # Its plans are the same at every size.
        used = [each.sample for each in much]
        assert not [str(each) for each in ran if each.sample.reads_much and each.sample not in used]


async def test_every_statement_of_the_service_is_run(
    postgres: PostgresDatabase, postgres_url: str, clock: ManualClock, ids: Ids
) -> None:
    world = World(postgres, clock, ids)
    await world.prepare()
    await fill(world, 50)
    async with metered(postgres, postgres_url) as meter:
        ran = await run_samples(meter, "postgres", [*samples(world, 50)])
    said = {each.sql for each in ran}
    missing = [
        f"{path.stem}: {part}"
        for path in sorted((SERVICE / "store" / "tables").glob("*.py"))
        for part in parts(ast.parse(path.read_text("utf-8")))
        if not any(part in sql for sql in said)
    ]
    assert not missing, "add a sample that runs it"
    always = [
        f"{path.stem}: {choice}"
        for path in sorted((SERVICE / "store" / "tables").glob("*.py"))
        for base, choice in choices(ast.parse(path.read_text("utf-8")))
        if all(choice in sql for sql in said if base in sql)
    ]
    assert not always, "add a sample without it"


def test_statements_are_where_they_are_looked_for() -> None:
    others = {
        path.relative_to(SERVICE).as_posix()
        for path in SERVICE.rglob("*.py")
        if any(map(_SQL.match, texts(ast.parse(path.read_text("utf-8")))))
    }
    assert {name for name in others if not name.startswith("store/")} == {
        # Its only statement is a sample.
        "rate_limits/postgres.py"
    }
    assert {name for name in others if not name.startswith("store/tables/")} == {
        "rate_limits/postgres.py",
        # They look at their own state, migrate the schema and copy a database.
        "store/drivers/migrate.py",
        "store/drivers/postgres.py",
        "store/drivers/sqlite.py",
        "store/drivers/transfer.py",
        # They put together what others give them.
        "store/statements/batched_sql.py",
        "store/statements/unit.py",
    }


def texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are values, without docstrings and lists of words."""
    skipped = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.Attribute) and node.attr == "split")
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if id(node) not in skipped:
                yield text
            case ast.Call(
                ast.Name("insert") | ast.Attribute(attr="insert"), [ast.Constant(str(table)), *_]
            ):
                yield f"INSERT INTO {table} ("


def parts(tree: ast.AST) -> Iterator[str]:
    """Yield the parts of statements that are written in a module."""
    for text in texts(tree):
        for part in re.split(r"\$?\{[^}]*\}", text):
            if " " in part.strip() and re.search("[a-z]", part, re.IGNORECASE):
                yield part


def choices(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the parts that only some statements of a function have, with what all of them have."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        conditional = [node for node in ast.walk(function) if isinstance(node, ast.IfExp)]
        chosen = [part for node in conditional for part in parts(node.body)]
        if chosen:
            others = [part for part in parts(function) if part not in chosen]
            yield from ((max(others, key=len), part) for part in chosen)
