"""The response of a carrier is checked against the contract before it is stored."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from esim_service.domain import bodies, lifecycle, orders
from esim_service.values.entities import Profile

from .world import World

pytestmark = pytest.mark.anyio

GOOD = Profile(
    iccid="8944500000000000005",
    smdp_address="smdp.example.com",
    matching_id="AB-CD",
    confirmation_required=False,
    ios_install_url="https://install.example.com/1",
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"iccid": "12"},
        {"iccid": "89445x0000000000005"},
        {"smdp_address": ""},
        {"ios_install_url": "javascript:alert(1)"},
        {"ios_install_url": "http://install.example.com/1"},
    ],
    ids=str,
)
async def test_what_the_contract_cannot_show_is_not_stored(
    world: World, wrong: dict[str, str]
) -> None:
    """One that is stored would break every list that it is in."""
    (known,) = await world.completed("r1")
    esim = await world.esim(known)
    bodies.checked_esim(replace(esim, profile=GOOD))
    (name, value), *_ = wrong.items()
    bad = replace(GOOD, **{name: value})
    with pytest.raises(ValueError, match="carrier returned") as caught:
        bodies.checked_esim(replace(esim, profile=bad))
    # It may be secret.
    assert not value or value not in str(caught.value)
    order_id = (await world.order("r2", quantity=2)).body.decode().split('"order_id":"')[1][:30]
    complete = partial(orders.complete, order_id, [GOOD, bad], lifecycle.at_once)
    with pytest.raises(ValueError, match="carrier returned"):
        await world.change(order_id, complete)
    assert await world.count("esims") == 1
