"""Placing and getting orders with FastAPI and the SQLAlchemy ORM, as a team would write it.

One transaction per order: the reference is guarded by a UNIQUE constraint, the account is locked,
the ledger gets an entry, and the carrier's job a row. The other features of the service are left
out: limits, logs, metrics, response validation, and processing of the jobs.
"""

import hashlib
import json
import os
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Response
from orders import EndUser, Order, OrderCreate
from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint, event, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

URL = os.environ["BASELINE_DATABASE"]
UNITS = 10_000


class Base(DeclarativeBase):
    pass


class AccountRow(Base):
    __tablename__ = "accounts"

    account_id: Mapped[str] = mapped_column(primary_key=True)
    balance: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[int] = mapped_column(BigInteger)


class KeyRow(Base):
    __tablename__ = "api_keys"

    digest: Mapped[bytes] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"))


class PlanRow(Base):
    __tablename__ = "plans"

    plan_id: Mapped[str] = mapped_column(primary_key=True)
    price: Mapped[int] = mapped_column(BigInteger)


class OrderRow(Base):
    __tablename__ = "orders"
    __table_args__ = (UniqueConstraint("account_id", "reference"),)

    order_id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"))
    reference: Mapped[str]
    payload: Mapped[str]
    status: Mapped[str]
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.plan_id"))
    quantity: Mapped[int]
    days: Mapped[int | None]
    unit_price: Mapped[int] = mapped_column(BigInteger)
    total: Mapped[int] = mapped_column(BigInteger)
    iccids: Mapped[str]
    end_user: Mapped[str | None]
    details: Mapped[str]
    created_at: Mapped[int] = mapped_column(BigInteger)
    completed_at: Mapped[int | None] = mapped_column(BigInteger)


class EntryRow(Base):
    __tablename__ = "ledger"

    entry_id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"))
    kind: Mapped[str]
    amount: Mapped[int] = mapped_column(BigInteger)
    balance_after: Mapped[int] = mapped_column(BigInteger)
    subject_id: Mapped[str]
    created_at: Mapped[int] = mapped_column(BigInteger)


class JobRow(Base):
    __tablename__ = "jobs"

    job_id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    subject_id: Mapped[str]
    due_at: Mapped[int] = mapped_column(BigInteger, index=True)


engine = create_async_engine(URL, pool_size=10, max_overflow=0)
is_sqlite = engine.dialect.name == "sqlite"

if is_sqlite:

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection, _):
        connection.isolation_level = None
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 30000"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection):
        # A transaction that reads first and writes later would fail next to another one.
        is_writing = connection.get_execution_options().get("writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


reading = async_sessionmaker(engine, expire_on_commit=False)
writing = async_sessionmaker(engine.execution_options(writing=True), expire_on_commit=False)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    keys = json.loads(Path(os.environ["BASELINE_KEYS"]).read_text("utf-8"))
    async with writing() as session:
        if await session.get(AccountRow, "acc_0") is None:
            session.add(PlanRow(plan_id="pln_ee-1gb-7d", price=9230))
            for number, key in enumerate(keys):
                account_id = f"acc_{number}"
                session.add(AccountRow(account_id=account_id, balance=10**12, updated_at=now()))
                await session.flush()
                session.add(KeyRow(digest=digest(key), account_id=account_id))
            await session.commit()
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


def now() -> int:
    return time.time_ns() // 1_000_000


def digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def new_id(prefix: str) -> str:
    return f"{prefix}_{now():012x}{secrets.token_hex(8)}"


async def account_of(authorization: Annotated[str, Header()] = "") -> str:
    async with reading() as session:
        row = await session.get(KeyRow, digest(authorization.removeprefix("Bearer ")))
    if row is None:
        raise HTTPException(401, "The credentials are not valid.")
    return row.account_id


Account = Annotated[str, Depends(account_of)]


@app.post("/orders", status_code=201)
async def create_order(body: OrderCreate, account_id: Account, response: Response) -> Order:
    payload = json.dumps(body.model_dump(mode="json"), sort_keys=True)
    async with writing() as session:
        plan = await session.get(PlanRow, body.plan_id)
        if plan is None:
            raise HTTPException(400, "There is no such plan.")
        total = plan.price * body.quantity
        row = OrderRow(
            order_id=new_id("ord"),
            account_id=account_id,
            reference=body.reference,
            payload=payload,
            status="processing",
            plan_id=plan.plan_id,
            quantity=body.quantity,
            days=body.days,
            unit_price=plan.price,
            total=total,
            iccids="",
            end_user=body.end_user.model_dump_json() if body.end_user else None,
            details=json.dumps(body.metadata),
            created_at=now(),
            completed_at=None,
        )
        session.add(row)
        try:
            await session.flush()
        except IntegrityError:
            await session.rollback()
            return await replay(session, account_id, body.reference, payload, response)
        session.add(
            JobRow(
                job_id=new_id("job"),
                kind="provision",
                subject_id=row.order_id,
                due_at=row.created_at,
            )
        )
        # The order's foreign key already locks the account, so a full lock would deadlock.
        query = select(AccountRow).where(AccountRow.account_id == account_id)
        account = (await session.execute(query.with_for_update(key_share=True))).scalar_one()
        if account.balance < total:
            raise HTTPException(402, "The balance is too low.")
        account.balance -= total
        account.updated_at = row.created_at
        session.add(
            EntryRow(
                entry_id=new_id("led"),
                account_id=account_id,
                kind="order",
                amount=-total,
                balance_after=account.balance,
                subject_id=row.order_id,
                created_at=row.created_at,
            )
        )
        await session.commit()
    return shown(row)


async def replay(
    session: AsyncSession, account_id: str, reference: str, payload: str, response: Response
) -> Order:
    query = select(OrderRow).where(
        OrderRow.account_id == account_id, OrderRow.reference == reference
    )
    row = (await session.execute(query)).scalar_one()
    if row.payload != payload:
        raise HTTPException(422, "This reference was used with another payload.")
    response.headers["Idempotent-Replay"] = "true"
    return shown(row)


@app.get("/orders/{order_id}")
async def get_order(order_id: str, account_id: Account) -> Order:
    async with reading() as session:
        row = await session.get(OrderRow, order_id)
    if row is None or row.account_id != account_id:
        raise HTTPException(404, "There is no such order.")
    return shown(row)


def shown(row: OrderRow) -> Order:
    return Order(
        order_id=row.order_id,
        reference=row.reference,
        status=row.status,
        plan_id=row.plan_id,
        quantity=row.quantity,
        days=row.days,
        unit_price_usd=Decimal(row.unit_price) / UNITS,
        total_usd=Decimal(row.total) / UNITS,
        iccids=row.iccids.split(),
        end_user=EndUser.model_validate_json(row.end_user) if row.end_user else None,
        metadata=json.loads(row.details),
        failure=None,
        created_at=datetime.fromtimestamp(row.created_at / 1000, UTC),
        completed_at=None,
    )
