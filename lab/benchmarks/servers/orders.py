"""The models of one operation, written by hand for the servers compared with the stub."""

import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

PRICE = Decimal("9.50")
NOW = datetime.datetime(2026, 3, 2, 9, 15, tzinfo=datetime.UTC)

Reference = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class EndUser(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: Annotated[str, StringConstraints(min_length=1, max_length=120)] | None = None


class OrderCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    plan_id: Id
    reference: Reference
    quantity: Annotated[int, Field(ge=1, le=20)] = 1
    days: Annotated[int, Field(ge=1, le=365)] | None = None
    end_user: EndUser | None = None
    metadata: dict[str, str] = {}


class Order(BaseModel):
    order_id: Id
    reference: Reference
    status: Literal["processing", "completed", "failed"]
    plan_id: Id
    quantity: int
    days: int | None
    unit_price_usd: Decimal
    total_usd: Decimal
    iccids: list[str]
    end_user: EndUser | None
    metadata: dict[str, str]
    failure: None
    created_at: datetime.datetime
    completed_at: datetime.datetime | None


def made_from(body: OrderCreate) -> Order:
    return Order(
        order_id="ord_01kjpx8nh0aqdvgyy0jrsyegax",
        reference=body.reference,
        status="processing",
        plan_id=body.plan_id,
        quantity=body.quantity,
        days=body.days,
        unit_price_usd=PRICE,
        total_usd=PRICE,
        iccids=[],
        end_user=body.end_user,
        metadata=body.metadata,
        failure=None,
        created_at=NOW,
        completed_at=None,
    )
