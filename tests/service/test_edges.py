"""Behaviour exactly at a limit: the last cent, the last character, the second use of a name."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Decimal

import pytest

from partner_esim import EsimClient
from partner_esim.errors import (
    InvalidArgumentError,
    PaymentRequiredError,
    UnprocessableContentError,
)

from .running import Running, eventually

PLAN = "pln_jp-5gb-30d"
TOPUP_PLAN = "tpl_jp-3gb-30d"

partners = (f"partner-{number}" for number in itertools.count())


@pytest.fixture
def partner() -> str:
    return next(partners)


@pytest.fixture
def client(running: Running, partner: str) -> Iterator[EsimClient]:
    with running.client(running.key("test", partner)) as made:
        yield made


def iccids(client: EsimClient, quantity: int) -> list[str]:
    """Order eSIMs and wait for them."""
    placed = client.orders.create(plan_id=PLAN, reference="esims", quantity=quantity)
    return eventually(lambda: client.orders.get(placed.order_id).iccids)


def test_a_top_up_reference_belongs_to_its_esim(client: EsimClient) -> None:
    first, second = iccids(client, 2)
    client.topups.create(first, topup_plan_id=TOPUP_PLAN, reference="t")
    before = client.balance.get().balance_usd
    with pytest.raises(UnprocessableContentError) as refused:
        client.topups.create(second, topup_plan_id=TOPUP_PLAN, reference="t")
    assert refused.value.code == "reference_reused"
    assert client.balance.get().balance_usd == before


def test_an_order_may_cost_all_there_is_and_not_a_unit_more(
    running: Running, client: EsimClient, partner: str
) -> None:
    price = client.plans.get(PLAN).price_usd
    spare = client.balance.get().balance_usd - price
    credit = ("partners", "credit", "--mode", "test", partner, "--")
    running.run(*credit, str(-spare - Decimal("0.0001")))
    with pytest.raises(PaymentRequiredError) as refused:
        client.orders.create(plan_id=PLAN, reference="r")
    [detail] = refused.value.details
    assert (detail.required_usd, detail.balance_usd) == (price, price - Decimal("0.0001"))
    running.run(*credit, "0.0001")
    client.orders.create(plan_id=PLAN, reference="r")
    assert client.balance.get().balance_usd == Decimal("0.00")


def test_a_balance_says_when_it_was_changed_last(
    running: Running, client: EsimClient, partner: str
) -> None:
    seen = [client.balance.get().updated_at]
    running.run("partners", "credit", "--mode", "test", partner, "1")
    seen.append(client.balance.get().updated_at)
    order = client.orders.create(plan_id=PLAN, reference="r")
    seen.append(client.balance.get().updated_at)
    assert seen == sorted(seen)
    assert seen[-1] == order.created_at
    assert client.balance.get().updated_at == seen[-1]
    assert client.sandbox.reset().reset_at == client.balance.get().updated_at >= seen[-1]


def test_a_webhook_url_has_up_to_2048_characters(client: EsimClient) -> None:
    url = "https://hooks.example/".ljust(2048, "a")
    assert client.webhook_endpoints.create(url=url).url == url
    # The client says so before the service could.
    with pytest.raises(InvalidArgumentError):
        client.webhook_endpoints.create(url=f"{url}a")


def test_a_reset_makes_references_of_top_ups_free(client: EsimClient) -> None:
    for _ in range(2):
        [iccid] = iccids(client, 1)
        topup = client.topups.create(iccid, topup_plan_id=TOPUP_PLAN, reference="t")
        assert topup.iccid == iccid
        assert client.sandbox.reset().balance_usd == Decimal("1000.00")
